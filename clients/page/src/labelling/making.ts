/** A labelling sheet of conversations that were judged here: the one that `crs-eval label sample` draws at random. */

import type { FactorInfo, Log, Message, Part, ShownItem } from "../../../typescript/src/index.ts";
import { generator } from "../basics/statistics.ts";
import { partsOf } from "../conversation/shown.ts";
import type { Case } from "../many/judging.ts";
import { hash, type Item, type Question, type Sheet } from "./sheet.ts";

/** One conversation in so many comes twice; in a small sample none does. */
const REPEATED = 10;
const SMALL = 20;
const LEAST_REPEATED = 3;

/** A judged conversation whose log is known. */
type Known = Case & { log: Log };

/** The conversations that people could label: those with a log and a score of one of the factors. */
export function labelable(cases: Case[], slugs: string[]): Known[] {
  const scored = ({ answer }: Case) => (answer?.verdicts ?? []).some((one) => slugs.includes(one.factor) && one.score !== null);
  return cases.filter((one): one is Known => one.log !== null && scored(one));
}

/** The same conversations and factors give the same sheet, so that labels are found again. */
export function makeSheet(cases: Known[], factors: FactorInfo[], size: number): Sheet {
  const drawn = sampled(cases, size);
  const reads = (need: string) => factors.some((one) => [...one.needs, ...one.uses].includes(need));
  const items = drawn.map((one) => itemOf(one, reads));
  const questions = factors.map(questionOf);
  const repeats = items.length < SMALL ? 0 : Math.max(Math.floor(items.length / REPEATED), LEAST_REPEATED);
  return { id: `page-${hash(JSON.stringify([questions.map(({ slug }) => slug), items])).toString(16)}`, repeats, questions, items };
}

function sampled<T>(all: T[], size: number): T[] {
  const random = generator(all.length);
  const rest = [...all];
  return Array.from({ length: Math.min(size, all.length) }, () => rest.splice(Math.floor(random() * rest.length), 1)[0] as T);
}

function questionOf(factor: FactorInfo): Question {
  return {
    slug: factor.slug, name: factor.name, question: factor.definition,
    levels: factor.levels,
    steps: factor.steps, excludes: factor.excludes,
    notes: Object.fromEntries(factor.notes.map(({ domain, note }) => [domain, note])),
  };
}

function itemOf({ conversation, system, log }: Known, reads: (need: string) => boolean): Item {
  const titles = new Map((log.items ?? []).flatMap((item) => (item.id ? [[item.id, item.title]] : [])));
  const named = (name: string) => titles.get(name) ?? name;
  const seen = (messages: Message[]) => messages.filter(isSeen).map((message) => seenMessage(message, named, reads("thoughts")));
  const { attributes, preferences } = log.user ?? {};
  return {
    key: keyOf({ conversation, ...(system === null ? {} : { system }), ...(log.domain ? { domain: log.domain } : {}) }),
    domain: log.domain ?? "other",
    log: { history: seen(log.history ?? []), messages: seen(log.messages) },
    wanted: reads("ground_truth") ? (log.ground_truth ?? []).map(named) : [],
    user: reads("preferences") ? [...(attributes ?? []), ...(preferences ? [preferences] : [])] : [],
  };
}

/** Results of tools are not seen, nor replies that only call one. */
function isSeen(message: Message): boolean {
  const parts = partsOf(message);
  const onlyCalls = parts.length > 0 && parts.every(({ type }) => type === "tool_call" || type === "tool_result");
  return message.role !== "tool" && (Boolean(message.content?.trim()) || Boolean(message.recommendations?.length) || !onlyCalls);
}

function seenMessage(message: Message, named: (name: string) => string, thoughts: boolean): Message {
  const parts = partsOf(message).filter(({ type }) => type !== "tool_call" && type !== "tool_result").map((part): Part => (
    part.items ? { ...part, items: part.items.map((item: ShownItem | string) => (typeof item === "string" ? named(item) : item)) as ShownItem[] } : part));
  return {
    role: message.role, content: message.content, ...(parts.length ? { parts } : {}),
    ...(message.recommendations ? { recommendations: message.recommendations.map(named) } : {}),
    ...(thoughts && message.thoughts ? { thoughts: message.thoughts } : {}),
  };
}

/** Facts about a conversation for the export, in a form that nobody reads by chance. */
function keyOf(about: object): string {
  const bytes = new TextEncoder().encode(JSON.stringify(about));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
