/** Facts of a verdict in a few words: its score, where it lies on its scale, whom it cites, who gave it. */

import type { FactorInfo, JudgeRef, MemberVerdict, Usage, Verdict } from "../../../typescript/src/index.ts";
import { number, labelOf } from "../basics/dom.ts";

/** The reason of verdicts that a judge cannot give in a log's language; the answer's warning says it for all of them. */
export const UNREAD = "unsupported_language";

/** Known facts about a factor that is shown. */
export type Shown = Pick<FactorInfo, "slug" | "name" | "protocol" | "dimension">;

/** Facts about factors that are known from their verdicts alone. */
export function shownOf(verdicts: Verdict[]): Shown[] {
  return verdicts.map(({ factor }) => ({ slug: factor, name: labelOf(factor), protocol: "", dimension: "" }));
}

/** Position of a score on its scale, from 0 to 1; null without a score. */
export function shareOf({ score, scale }: Pick<Verdict, "score" | "scale">): number | null {
  return score === null ? null : (score - scale.min) / (scale.max - scale.min);
}

/** The class that gives a share its colour: five levels, the lowest first. */
export function levelClass(share: number): string {
  return `level-${Math.round(Math.min(1, Math.max(0, share)) * 4)}`;
}

export function scoreText(verdict: Verdict): string {
  if (verdict.score === null) return verdict.status.replaceAll("_", " ");
  return `${number(verdict.score)} of ${verdict.scale.max}`;
}

/** Messages that a verdict cites, by its evidence and its flags, in order. */
export function citedBy(verdict: Verdict): number[] {
  const places = [...verdict.evidence, ...verdict.flags].map((one) => one.message);
  return [...new Set(places.filter((place) => place !== null))].sort((a, b) => a - b);
}

/** The message that speaks most against the recommender; null where none is cited. */
export function worstMessage(verdict: Verdict): number | null {
  const [worst] = verdict.evidence.filter((one) => one.message !== null).sort((a, b) => (a.effect ?? 0) - (b.effect ?? 0));
  return worst?.message ?? citedBy(verdict)[0] ?? null;
}

export function judgeText(judge: JudgeRef): string {
  return judge.model ? `${judge.name}:${judge.model}` : judge.name;
}

/** Those who gave these verdicts. Verdicts without a score name whom they would have asked, in other words than a model that answered
 * names itself: they count where there are no others. */
export function judgesOf(verdicts: Verdict[]): string[] {
  const single = verdicts.flatMap((verdict): (Verdict | MemberVerdict)[] => (verdict.panel?.length ? verdict.panel : [verdict]));
  const scored = single.filter((one) => one.score !== null);
  return [...new Set((scored.length ? scored : single).map((one) => judgeText(one.judge)))];
}

export function usageText(usage: Usage): string {
  const spent = usage.input_tokens + usage.output_tokens;
  const parts = [spent ? `${usage.input_tokens} tokens in, ${usage.output_tokens} out` : "no tokens"];
  if (usage.saved_tokens) parts.push(`${usage.saved_tokens} saved by the cache`);
  if (usage.cost !== null) parts.push(`cost ${usage.cost.toPrecision(3)}`);
  return parts.join(", ");
}

export function factsOf(verdict: Verdict): string[] {
  const { requested, n, spread } = verdict.samples;
  return [
    verdict.confidence === null ? "" : `confidence ${number(verdict.confidence)}`,
    verdict.calibrated ? `people would give ${number(verdict.calibrated.score)} of ${verdict.calibrated.scale.max}` : "",
    verdict.cached ? "cache hit" : "not from the cache",
    verdict.panel?.length ? "" : requested > 1 ? `${n} of ${requested} draws, spread ${spread === null ? "unknown" : number(spread)}` : "",
    verdict.panel?.length ? "" : judgeText(verdict.judge),
    usageText(verdict.usage),
    `revision ${verdict.evaluator_revision}`,
  ].filter(Boolean);
}
