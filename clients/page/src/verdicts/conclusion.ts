/** The conclusion of one judgement: the score, how sure it is, what costs most, and what holds for the whole log. */

import type { Verdict } from "../../../typescript/src/index.ts";
import { h, number, prose, told, type Child } from "../basics/dom.ts";
import { verdictsOf, type Answer } from "../many/rows.ts";
import { flagKey } from "./card.ts";
import { gist, judgesOf, levelClass, shareOf, usageText } from "./facts.ts";
import { lossText, pointsOf, worstOf } from "./points.ts";

const COSTS = 3;
/** A verdict whose score lies above this share of its scale costs nothing worth a sentence. */
const FINE = 0.95;

interface Links {
  name: (factor: string) => string;
  select: (factor: string) => void;
  show?: (message: number) => void;
}

/** What stands above the verdicts; empty until they are there. */
export class Conclusion {
  readonly element = h("section", { class: "conclusion", "aria-label": "Conclusion", hidden: true });
  readonly #links: Links;

  constructor(links: Links) {
    this.#links = links;
  }

  show(answer: Answer) {
    const verdicts = verdictsOf(answer);
    this.element.hidden = false;
    this.element.replaceChildren(
      h("div", { class: "total" }, ...means(answer), confidence(verdicts), this.#worst(verdicts), facts(answer)),
      ...this.#costs(verdicts),
      ...notes(answer));
  }

  #worst(verdicts: Verdict[]): Child {
    const { show } = this.#links;
    const worst = worstOf(pointsOf(verdicts));
    if (!worst || !show) return null;
    return h("p", {}, "Worst: ", h("button", { type: "button", class: "link", title: lossText(worst.points), onclick: () => show(worst.message) },
      `message ${worst.message}`), `, ${number(worst.points.lost)} points lost over ${worst.points.parts.length} ${worst.points.parts.length === 1 ? "factor" : "factors"}`);
  }

  #costs(verdicts: Verdict[]): HTMLElement[] {
    const scored = verdicts.filter((one) => one.score !== null);
    if (!scored.length) return [];
    const dear = scored.map((verdict) => ({ verdict, share: shareOf(verdict) ?? 1 })).filter(({ share }) => share < FINE).sort((a, b) => a.share - b.share).slice(0, COSTS);
    const rows = dear.map(({ verdict, share }) => h("li", {}, h("button", { type: "button", onclick: () => this.#links.select(verdict.factor) },
      h("span", { class: `badge-score ${levelClass(share)}` }, number(verdict.score ?? 0)),
      h("span", {}, h("strong", {}, this.#links.name(verdict.factor)), " ", h("span", { class: "gist", dir: "auto" }, gist(verdict.rationale ?? ""))))));
    return [h("div", { class: "costs" }, h("h2", {}, dear.length ? "What costs most" : "Nothing costs points"),
      dear.length ? h("ol", {}, ...rows) : h("p", { class: "hint" }, "Every factor that could be assessed is at the top of its scale, or near it."))];
  }
}

/** Keys of flags that more than one verdict carries for the whole log: they are said once. */
export function saidOnce(verdicts: Verdict[]): Set<string> {
  const whole = verdicts.flatMap((one) => one.flags.filter((flag) => flag.message === null).map(flagKey));
  return new Set(whole.filter((key, index) => whole.indexOf(key) !== index));
}

function means(answer: Answer): HTMLElement[] {
  const debated = "overall" in answer ? [meanLine(answer.overall, 0, 100, "by debate")] : [];
  const summaries = "summaries" in answer ? answer.summaries ?? [] : [];
  return [...debated, ...summaries.map((one) => meanLine(one.mean, one.scale.min, one.scale.max,
    `${one.mean === null ? "no factor has a score" : `mean of ${one.assessed} factors`} (${one.protocol})${one.not_assessable ? `, ${one.not_assessable} not assessable` : ""}${one.failed ? `, ${one.failed} failed` : ""}`))];
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
  const flags = Map.groupBy(verdicts.flatMap((one) => one.flags.filter((flag) => once.has(flagKey(flag))).map((flag) => ({ flag, factor: one.factor }))), ({ flag }) => flagKey(flag));
  return [
    ...answer.warnings.map((one) => note(one.code, one.detail)),
    ...[...flags.values()].map((members) => note(members[0]?.flag.code ?? "", `${members[0]?.flag.detail} (${members.map(({ factor }) => told(factor)).join(", ")})`)),
  ];
}

function note(code: string, detail: string): HTMLElement {
  return h("p", { class: "warning" }, h("code", {}, code), " ", ...prose(detail));
}

