/** The conclusion of one judgement: the score, the faults that cost most, how sure it is, and what holds for the whole log. */

import type { Summary, Verdict } from "../../../typescript/src/index.ts";
import { h, number, prose, labelOf, type Child } from "../basics/dom.ts";
import { verdictsOf, type Answer } from "../many/rows.ts";
import { flagKey } from "./card.ts";
import { judgesOf, levelClass, shareOf, usageText } from "./facts.ts";
import { faultInfo, faultName, faultsOf, kindsOf, type Kind } from "./faults.ts";

/** Faults that the sentence names; the replies have the rest. */
const NAMED = 2;
/** A verdict whose score lies above this share of its scale costs nothing worth a sentence. */
const FINE = 0.95;

/** Flag of a kind of conversation on which scores agree little with people. */
const UNSURE = "little_tested";

interface Links {
  name: (factor: string) => string;
  select: (factor: string) => void;
  show?: (message: number, fault?: string) => void;
}

/** Summary above the verdicts; empty until they are there. */
export class Conclusion {
  readonly element = h("section", { class: "conclusion", "aria-label": "Conclusion", hidden: true });
  readonly #links: Links;

  constructor(links: Links) {
    this.#links = links;
  }

  show(answer: Answer) {
    const verdicts = verdictsOf(answer);
    const kinds = kindsOf(faultsOf(verdicts));
    this.element.hidden = false;
    this.element.replaceChildren(
      h("div", { class: "total" }, ...means(answer), confidence(verdicts), facts(answer)),
      h("div", { class: "costs" },
        h("p", { class: "sentence" }, ...(kinds.length ? this.#worst(kinds) : this.#lowest(verdicts))),
        kinds.length > NAMED ? h("p", { class: "hint" }, "Also: ", ...between(kinds.slice(NAMED).map((kind) => [faultName(kind.fault), " (", ...this.#places(kind), ")"]), ", ")) : null),
      ...notes(answer));
  }

  /** The costliest faults, in the words of the service. */
  #worst(kinds: Kind[]): Child[] {
    const parts = kinds.slice(0, NAMED).map((kind, index) => {
      const says = faultInfo(kind.fault)?.wording;
      const [first, ...rest] = kind.found;
      const where = this.#place(first?.message ?? null, kind.fault, index ? "message" : "Message");
      const more = rest.length ? [" (also ", ...between(rest.map((one) => [this.#place(one.message, kind.fault)]), ", "), ")"] : [];
      return [where, " ", h("strong", {}, says ?? `shows ${faultName(kind.fault).toLowerCase()}`), ...more];
    });
    return [...between(parts, "; "), "."];
  }

  /** Of a judge that lists no faults: the factors with the lowest scores. */
  #lowest(verdicts: Verdict[]): Child[] {
    const scored = verdicts.filter((one) => one.score !== null);
    const low = scored.filter((one) => (shareOf(one) ?? 1) < FINE).sort((a, b) => (shareOf(a) ?? 1) - (shareOf(b) ?? 1)).slice(0, NAMED);
    if (!scored.length) return [];
    if (!low.length) return ["No fault was found, and every factor that could be assessed is near the top of its scale."];
    return ["No fault was listed. Lowest: ", ...between(low.map((one) => [
      h("button", { type: "button", class: "link", onclick: () => this.#links.select(one.factor) }, this.#links.name(one.factor)), ` (${number(one.score ?? 0)} of ${one.scale.max})`,
    ]), ", "), "."];
  }

  #places(kind: Kind): Child[] {
    return between(kind.found.map((one) => [this.#place(one.message, kind.fault)]), ", ");
  }

  #place(message: number | null, fault: string, word = "message"): Child {
    const { show } = this.#links;
    if (message === null) return "the conversation";
    return show ? h("button", { type: "button", class: "link", onclick: () => show(message, fault) }, `${word} ${message}`) : `${word} ${message}`;
  }
}

function between(parts: Child[][], text: string): Child[] {
  return parts.flatMap((part, index) => (index ? [text, ...part] : part));
}

/** Keys of flags that more than one verdict carries: they are said once. */
export function saidOnce(verdicts: Verdict[]): Set<string> {
  const whole = verdicts.flatMap((one) => one.flags.map(flagKey));
  return new Set(whole.filter((key, index) => whole.indexOf(key) !== index));
}

function means(answer: Answer): HTMLElement[] {
  const debated = "overall" in answer ? [meanLine(answer.overall, 0, 100, "by debate")] : [];
  const summaries = "summaries" in answer ? answer.summaries ?? [] : [];
  return [...debated, ...summaries.map((one) => meanLine(one.overall ?? one.mean, one.scale.min, one.scale.max, meanText(one)))];
}

function meanText({ overall, mean, assessed, protocol, not_assessable, failed }: Summary): string {
  const factors = `${assessed} factors (${protocol})`;
  const said = mean === null ? `no factor has a score (${protocol})` : (overall ?? null) === null ? `mean of ${factors}` : `overall; the mean of ${factors} is ${number(mean)}`;
  return [said, not_assessable ? `${not_assessable} not assessable` : "", failed ? `${failed} failed` : ""].filter(Boolean).join(", ");
}

export function meanLine(mean: number | null, min: number, max: number, said: string): HTMLElement {
  const share = mean === null ? 0 : (mean - min) / (max - min);
  return h("div", { class: "mean" },
    h("p", {}, h("strong", {}, mean === null ? "No score" : number(mean)), mean === null ? "" : ` of ${max}`, h("span", { class: "hint" }, ` ${said}`)),
    mean === null ? null : h("span", { class: "track" }, h("span", { class: `fill ${levelClass(share)}`, "--share": share })));
}

function confidence(verdicts: Verdict[]): Child {
  const known = verdicts.flatMap((one) => one.confidence ?? []).sort((a, b) => a - b);
  const middle = known[Math.floor(known.length / 2)];
  if (middle === undefined) return null;
  return h("p", {}, `Confidence: ${number(middle)} of 1`, h("span", { class: "hint" }, ` median of ${known.length}; from ${number(known[0] ?? 0)} to ${number(known.at(-1) ?? 0)}`));
}

function facts(answer: Answer): HTMLElement {
  const judges = judgesOf(verdictsOf(answer));
  const said = [judges.length ? `judged by ${judges.join(", ")}` : "", usageText(answer.usage), answer.comparison_key ? `comparison key ${answer.comparison_key}` : ""];
  return h("p", { class: "facts" }, said.filter(Boolean).join(" · "));
}

/** Warnings of the answer, and what several verdicts flag alike. */
function notes(answer: Answer): HTMLElement[] {
  const verdicts = verdictsOf(answer);
  const once = saidOnce(verdicts);
  const flags = Map.groupBy(verdicts.flatMap((one) => one.flags.filter((flag) => once.has(flagKey(flag))).map((flag) => ({ ...flag, factor: one.factor }))), flagKey);
  const scored = verdicts.filter((one) => one.score !== null).length;
  return [
    ...answer.warnings.map((one) => note(one.code, one.detail)),
    ...[...flags.values()].flatMap(([first, ...others]) => {
      if (!first) return [];
      const factors = others.length + 1 < scored ? [first, ...others].map(({ factor }) => labelOf(factor)) : [];
      const about = [...(first.message === null ? [] : [`message ${first.message}`]), ...factors].join(", ");
      return [note(first.code, first.detail + (about && ` (${about})`))];
    }),
  ];
}

/** A remark; why people may rate a conversation differently is long, and comes when asked for. */
function note(code: string, detail: string): HTMLElement {
  const text = prose(detail.charAt(0).toUpperCase() + detail.slice(1));
  return code === UNSURE
    ? h("details", { class: "warning", title: code }, h("summary", {}, "People may rate this conversation differently: trust its faults more than its score."), ...text)
    : h("p", { class: "warning", title: code }, ...text);
}
