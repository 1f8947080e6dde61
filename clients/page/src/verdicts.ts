/** Verdicts: a bar for each factor by dimension, and a card to read for each. */

import type { FactorInfo, JudgeRef, Usage, Verdict } from "../../typescript/src/index.ts";
import { h, number, told } from "./dom.ts";
import { verdictsOf, type Answer } from "./rows.ts";

/** The reason of verdicts that a judge cannot give in a log's language; the answer's warning says it for all of them. */
const UNREAD = "unsupported_language";

/** What is known of a factor that is shown. */
export type Shown = Pick<FactorInfo, "slug" | "name" | "protocol" | "dimension">;

interface Reactions {
  /** A verdict was selected; null: none. */
  onSelect?: (verdict: Verdict | null) => void;
  /** A message that a verdict cites was asked for. */
  onMessage?: (message: number) => void;
}

/** A figure and cards that fill as verdicts come. */
export class Verdicts {
  readonly overview: HTMLElement;
  readonly cardList = h("div", { class: "cards" });
  readonly #total = h("div", { class: "total" });
  readonly #shown: Shown[];
  readonly #reactions: Reactions;
  readonly #verdicts = new Map<string, Verdict>();
  readonly #cards = new Map<string, HTMLElement>();
  readonly #bars = new Map<string, HTMLElement>();
  #selected = "";

  /** `shown` is what is asked, in order. */
  constructor(shown: Shown[], reactions: Reactions = {}) {
    this.#shown = shown;
    this.#reactions = reactions;
    this.overview = h("div", { class: "overview" }, this.#total, this.#figure());
  }

  #figure(): HTMLElement {
    const dimensions = Map.groupBy(this.#shown, ({ protocol, dimension }) => `${protocol} ${dimension}`);
    const groups = [...dimensions.values()].map((members) => {
      const rows = members.map(({ slug, name }) => {
        const bar = h("li", { class: "bar waiting" }, h("span", { class: "name" }, name), h("span", { class: "track" }), h("span", { class: "value" }, "…"));
        this.#bars.set(slug, bar);
        return bar;
      });
      const dimension = members[0]?.dimension;
      return h("div", { class: "dimension" }, dimension ? h("h4", {}, told(dimension)) : null, h("ul", {}, ...rows));
    });
    return h("section", { class: "figure", "aria-label": "Scores by dimension", hidden: !groups.length }, ...groups);
  }

  /** Show one more verdict. */
  add(verdict: Verdict) {
    const place = this.#shown.findIndex((one) => one.slug === verdict.factor);
    const name = this.#shown[place]?.name ?? told(verdict.factor);
    const unread = verdict.reason?.code === UNREAD;
    const bar = filledBar(verdict, name, unread ? null : () => this.select(verdict.factor, true));
    this.#verdicts.set(verdict.factor, verdict);
    this.#bars.get(verdict.factor)?.replaceWith(bar);
    this.#bars.set(verdict.factor, bar);
    if (unread) return;
    const card = this.#card(verdict, name);
    this.#cards.set(verdict.factor, card);
    // In the order asked, whatever the order of arrival.
    const next = this.#shown.slice(place + 1).map((one) => this.#cards.get(one.slug)).find(Boolean);
    this.cardList.insertBefore(card, next ?? null);
  }

  /** Say of what still waits that nothing will come. */
  end() {
    for (const [slug, bar] of this.#bars) {
      if (this.#verdicts.has(slug)) continue;
      bar.className = "bar failed";
      bar.querySelector(".value")?.replaceChildren("no answer");
    }
  }

  #card(verdict: Verdict, name: string): HTMLElement {
    const select = () => this.select(this.#selected === verdict.factor ? "" : verdict.factor);
    const head = h("button", { type: "button", class: "head", "aria-pressed": "false", onclick: select },
      h("span", { class: "name" }, name), " ", h("span", { class: `score ${verdict.status}` }, scoreText(verdict)));
    return h("article", { class: "card", "aria-label": name, tabindex: -1 },
      h("h4", {}, head),
      h("p", { dir: "auto" }, verdict.rationale ?? verdict.reason?.detail),
      verdict.reason?.missing.length ? h("p", { class: "hint" }, `It would need: ${verdict.reason.missing.join(", ")}.`) : null,
      this.#evidence(verdict),
      verdict.flags.length ? h("ul", { class: "flags", "aria-label": "Flags" }, ...verdict.flags.map((flag) => h("li", {}, h("code", {}, flag.code), ` ${flag.detail}`))) : null,
      h("p", { class: "facts" }, factsOf(verdict).join(" · ")));
  }

  #evidence(verdict: Verdict): HTMLElement | null {
    const places = citedBy(verdict);
    if (!places.length) return null;
    const { onMessage } = this.#reactions;
    const links = places.map((place) => {
      const quote = verdict.evidence.find((one) => one.message === place && one.quote)?.quote;
      const show = () => { this.select(verdict.factor); onMessage?.(place); };
      const name = `message ${place}`;
      return h("li", {}, onMessage ? h("button", { type: "button", class: "chip", onclick: show }, name) : h("span", { class: "chip" }, name), quote ? h("q", { dir: "auto" }, quote) : null);
    });
    return h("ul", { class: "evidence", "aria-label": "Evidence" }, ...links);
  }

  /** Select a factor's verdict; an empty name clears. */
  select(slug: string, scroll = false) {
    this.#selected = slug;
    for (const [name, card] of this.#cards) {
      card.classList.toggle("selected", name === slug);
      card.querySelector(".head")?.setAttribute("aria-pressed", String(name === slug));
    }
    for (const [name, bar] of this.#bars) bar.classList.toggle("selected", name === slug);
    this.#reactions.onSelect?.(this.#verdicts.get(slug) ?? null);
    if (scroll) {
      this.#cards.get(slug)?.focus({ preventScroll: true });
      this.#cards.get(slug)?.scrollIntoView({ block: "nearest" });
    }
  }

  /** Show what sums the verdicts up. */
  finish(answer: Answer) {
    const judges = judgesOf(verdictsOf(answer));
    const facts = [
      judges.length ? `judged by ${judges.join(", ")}` : "", usageText(answer.usage),
      answer.comparison_key ? `comparison key ${answer.comparison_key}` : "",
    ];
    this.#total.replaceChildren(
      ..."overall" in answer ? [h("p", { class: "mean" }, h("strong", {}, number(answer.overall)), " of 100", h("span", { class: "hint" }, " by debate"))] : [],
      ...("summaries" in answer ? answer.summaries ?? [] : []).map((one) => h("p", { class: "mean" },
        h("strong", {}, one.mean === null ? "no mean" : number(one.mean)), ` of ${one.scale.max}`,
        h("span", { class: "hint" }, ` ${one.protocol}: mean of ${one.assessed} assessed${one.not_assessable ? `, ${one.not_assessable} not assessable` : ""}${one.failed ? `, ${one.failed} failed` : ""}`))),
      ...answer.warnings.map((one) => h("p", { class: "warning" }, h("code", {}, one.code), ` ${one.detail}`)),
      h("p", { class: "facts" }, facts.filter(Boolean).join(" · ")));
  }
}

/** What can be shown of factors of which no more is known than their verdicts. */
export function shownOf(verdicts: Verdict[]): Shown[] {
  return verdicts.map(({ factor }) => ({ slug: factor, name: told(factor), protocol: "", dimension: "" }));
}

/** Those who gave these verdicts. */
export function judgesOf(verdicts: Verdict[]): string[] {
  return [...new Set(verdicts.map((verdict) => judgeText(verdict.judge)))];
}

/** A factor's bar. What has no score has no bar: hatched, and said in words. */
function filledBar(verdict: Verdict, name: string, onclick: (() => void) | null): HTMLElement {
  const { min, max } = verdict.scale;
  const share = verdict.score === null ? null : (verdict.score - min) / (max - min);
  return h("li", { class: `bar ${verdict.status}` },
    onclick ? h("button", { type: "button", class: "name", onclick }, name) : h("span", { class: "name" }, name),
    h("span", { class: "track" }, share === null ? null : h("span", { class: "fill", "--share": share })),
    h("span", { class: "value" }, scoreText(verdict)));
}

/** Messages that a verdict cites, by its evidence and its flags, in order. */
export function citedBy(verdict: Verdict): number[] {
  const places = [...verdict.evidence, ...verdict.flags].map((one) => one.message);
  return [...new Set(places.filter((place) => place !== null))].sort((a, b) => a - b);
}

export function scoreText(verdict: Verdict): string {
  if (verdict.score === null) return verdict.status.replaceAll("_", " ");
  return `${number(verdict.score)} of ${verdict.scale.max}`;
}

export function judgeText(judge: JudgeRef): string {
  return judge.model ? `${judge.name}:${judge.model}` : judge.name;
}

export function usageText(usage: Usage): string {
  const spent = usage.input_tokens + usage.output_tokens;
  const parts = [spent ? `${usage.input_tokens} tokens in, ${usage.output_tokens} out` : "no tokens"];
  if (usage.saved_tokens) parts.push(`${usage.saved_tokens} saved by the cache`);
  if (usage.cost !== null) parts.push(`cost ${usage.cost.toPrecision(3)}`);
  return parts.join(", ");
}

function factsOf(verdict: Verdict): string[] {
  const { requested, n, spread } = verdict.samples;
  return [
    verdict.confidence === null ? "" : `confidence ${number(verdict.confidence)}`,
    verdict.cached ? "cache hit" : "not from the cache",
    requested > 1 ? `${n} of ${requested} draws, spread ${spread === null ? "unknown" : number(spread)}` : "",
    judgeText(verdict.judge),
    usageText(verdict.usage),
    `revision ${verdict.evaluator_revision}`,
  ].filter(Boolean);
}
