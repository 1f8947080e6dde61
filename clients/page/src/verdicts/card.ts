/** One verdict to read: its head is its bar; evidence, flags and facts come with it. */

import type { MemberVerdict, Verdict } from "../../../typescript/src/index.ts";
import { h, number } from "../basics/dom.ts";
import { citedBy, factsOf, judgeText, levelClass, scoreText, shareOf, UNREAD } from "./facts.ts";

export interface Reactions {
  /** A verdict was selected; null: none. */
  onSelect?: (verdict: Verdict | null) => void;
  /** A message that a verdict cites was asked for. */
  onMessage?: (message: number) => void;
}

/** The card of a verdict. `said` holds the codes of flags that were said once for all. */
export function card(verdict: Verdict, name: string, said: Set<string>, select: (on?: boolean) => void, onMessage?: (place: number) => void): HTMLElement {
  const flags = verdict.flags.filter((flag) => !said.has(flagKey(flag)));
  const unread = verdict.reason?.code === UNREAD;
  return h("article", { class: `card ${verdict.status}`, "aria-label": name, tabindex: -1, "data-factor": verdict.factor },
    h("h3", {}, h("button", { type: "button", class: `head bar ${verdict.status}`, "aria-pressed": "false", onclick: () => select() }, ...barOf(verdict, name))),
    unread ? null : h("p", { class: "rationale", dir: "auto" }, verdict.rationale ?? verdict.reason?.detail),
    !unread && verdict.reason?.missing.length ? h("p", { class: "hint" }, `It would need: ${verdict.reason.missing.join(", ")}.`) : null,
    members(verdict),
    evidence(verdict, () => select(true), onMessage),
    flags.length ? h("ul", { class: "flags", "aria-label": "Flags" }, ...flags.map((flag) => h("li", {}, h("code", {}, flag.code), ` ${flag.detail}`))) : null,
    unread ? null : h("p", { class: "facts" }, factsOf(verdict).join(" · ")));
}

export function flagKey({ code, detail, message }: Verdict["flags"][number]): string {
  return `${code} ${detail} ${message ?? ""}`;
}

/** The name, the share of the scale, and the score. What has no score has no fill: hatched, and said in words. */
function barOf(verdict: Verdict, name: string): HTMLElement[] {
  const share = shareOf(verdict);
  return [
    h("span", { class: "name" }, name),
    h("span", { class: "track" }, share === null ? null : h("span", { class: `fill ${levelClass(share)}`, "--share": share })),
    h("span", { class: `value ${verdict.status}` }, scoreText(verdict)),
  ];
}

/** A bar without a verdict: `value` says why. */
export function emptyBar(name: string, state: string, value: string): HTMLElement {
  return h("p", { class: `bar ${state}` }, h("span", { class: "name" }, name), h("span", { class: "track" }), h("span", { class: "value" }, value));
}

/** Score and rationale of each member of a panel; null for a single judge. */
function members({ panel, samples }: Verdict): HTMLElement | null {
  if (!panel?.length) return null;
  const apart = samples.spread === null ? "" : `, spread ${number(samples.spread)}`;
  return h("details", { class: "members" }, h("summary", {}, `${panel.length} judges: ${panel.map((one) => (one.score === null ? one.status.replaceAll("_", " ") : number(one.score))).join(", ")}${apart}`),
    h("ul", {}, ...panel.map((one) => {
      const share = shareOf(one);
      return h("li", {},
        h("p", {}, h("span", { class: `badge-score ${share === null ? "" : levelClass(share)}` }, one.score === null ? "n/a" : number(one.score)), " ", h("strong", {}, judgeText(one.judge)), h("span", { class: "hint" }, ` ${memberFacts(one)}`)),
        h("p", { dir: "auto" }, one.rationale ?? one.reason?.detail));
    })));
}

/** Confidence of a member, in a few words. */
function memberFacts({ status, confidence, samples: { requested, n, spread } }: MemberVerdict): string {
  return [
    status === "scored" ? "" : status.replaceAll("_", " "), confidence === null ? "" : `confidence ${number(confidence)}`,
    requested > 1 ? `${n} of ${requested} draws, spread ${spread === null ? "unknown" : number(spread)}` : "",
  ].filter(Boolean).join(", ");
}

function evidence(verdict: Verdict, select: () => void, onMessage?: (place: number) => void): HTMLElement | null {
  const places = citedBy(verdict);
  if (!places.length) return null;
  const links = places.map((place) => {
    const found = verdict.evidence.filter((one) => one.message === place);
    const quote = found.find((one) => one.quote)?.quote;
    const name = `message ${place}`;
    const show = () => { select(); onMessage?.(place); };
    return h("li", {}, onMessage ? h("button", { type: "button", class: "chip", onclick: show }, name) : h("span", { class: "chip" }, name), quote ? h("q", { dir: "auto" }, quote) : null);
  });
  return h("ul", { class: "evidence", "aria-label": "Evidence" }, ...links);
}
