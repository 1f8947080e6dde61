/** Verdicts: a bar for each factor by dimension, and a card to read for each. */

import { h, number, told } from "./dom.js";
import { citedBy } from "./transcript.js";

/** @import { Verdict, FactorInfo, Usage, Summary, JudgeRef, Notice } from "./wire" */
/** @typedef {{verdicts: Verdict[], summaries: Summary[] | null, judges?: JudgeRef[], comparison_key: string | null, usage: Usage, warnings: Notice[]}} Answer */

/** A figure and cards that fill as verdicts come. */
export class Verdicts {
  /**
   * @param {FactorInfo[]} factors what is asked, in order
   * @param {(verdict: Verdict | null) => void} onSelect @param {(message: number) => void} onMessage
   */
  constructor(factors, onSelect, onMessage) {
    this.factors = factors;
    this.onSelect = onSelect;
    this.onMessage = onMessage;
    /** @type {Map<string, Verdict>} */
    this.verdicts = new Map();
    /** @type {Map<string, HTMLElement>} */
    this.cards = new Map();
    /** @type {Map<string, HTMLElement>} */
    this.bars = new Map();
    this.selected = "";
    this.cardList = h("div", { class: "cards" });
    this.total = h("div", { class: "total" });
    this.element = h("div", { class: "verdicts" }, this.total, this.#figure(), this.cardList);
  }

  #figure() {
    const dimensions = Map.groupBy(this.factors, (factor) => `${factor.protocol} ${factor.dimension}`);
    const groups = [...dimensions.values()].map((members) => {
      const first = /** @type {FactorInfo} */ (members[0]);
      const rows = members.map((factor) => {
        const bar = h("li", { class: "bar waiting" }, h("span", { class: "name" }, factor.name), h("span", { class: "track" }), h("span", { class: "value" }, "…"));
        this.bars.set(factor.slug, bar);
        return bar;
      });
      return h("div", { class: "dimension" }, h("h4", {}, told(first.dimension)), h("ul", {}, ...rows));
    });
    return h("section", { class: "figure", "aria-label": "Scores by dimension" }, ...groups);
  }

  /** Show one more verdict. @param {Verdict} verdict */
  add(verdict) {
    this.verdicts.set(verdict.factor, verdict);
    const factor = this.factors.find((one) => one.slug === verdict.factor);
    const name = factor?.name ?? told(verdict.factor);
    const old = this.bars.get(verdict.factor);
    const bar = filledBar(verdict, name, () => this.select(verdict.factor, true));
    old?.replaceWith(bar);
    this.bars.set(verdict.factor, bar);
    const made = this.#card(verdict, name);
    this.cards.set(verdict.factor, made);
    // In the order asked, whatever the order of arrival.
    const later = this.factors.slice(this.factors.findIndex((one) => one.slug === verdict.factor) + 1);
    const next = later.map((one) => this.cards.get(one.slug)).find(Boolean);
    this.cardList.insertBefore(made, next ?? null);
  }

  /** @param {Verdict} verdict @param {string} name */
  #card(verdict, name) {
    const head = h("button", { type: "button", class: "head", "aria-pressed": "false", onclick: () => this.select(this.selected === verdict.factor ? "" : verdict.factor) },
      h("span", { class: "name" }, name), " ", h("span", { class: `score ${verdict.status}` }, scoreText(verdict)));
    return h(
      "article",
      { class: "card", "aria-label": name, tabindex: -1 },
      h("h4", {}, head),
      h("p", {}, verdict.rationale ?? verdict.reason?.detail),
      verdict.reason?.missing.length ? h("p", { class: "hint" }, `It would need: ${verdict.reason.missing.join(", ")}.`) : null,
      this.#evidence(verdict),
      verdict.flags.length ? h("ul", { class: "flags", "aria-label": "Flags" }, ...verdict.flags.map((flag) => h("li", {}, h("code", {}, flag.code), ` ${flag.detail}`))) : null,
      h("p", { class: "facts" }, factsOf(verdict).join(" · ")),
    );
  }

  /** @param {Verdict} verdict */
  #evidence(verdict) {
    const places = citedBy(verdict);
    if (!places.length) return null;
    const quoteOf = (/** @type {number} */ place) => verdict.evidence.find((one) => one.message === place && one.quote)?.quote;
    const links = places.map((place) => {
      const quote = quoteOf(place);
      const show = () => { this.select(verdict.factor); this.onMessage(place); };
      return h("li", {}, h("button", { type: "button", class: "chip", onclick: show }, `message ${place}`), quote ? h("q", {}, quote) : null);
    });
    return h("ul", { class: "evidence", "aria-label": "Evidence" }, ...links);
  }

  /** Select a factor's verdict; an empty name clears. @param {string} slug @param {boolean} [scroll] */
  select(slug, scroll = false) {
    this.selected = slug;
    for (const [name, made] of this.cards) {
      made.classList.toggle("selected", name === slug);
      made.querySelector(".head")?.setAttribute("aria-pressed", String(name === slug));
    }
    for (const [name, bar] of this.bars) bar.classList.toggle("selected", name === slug);
    this.onSelect(this.verdicts.get(slug) ?? null);
    if (scroll) {
      this.cards.get(slug)?.focus({ preventScroll: true });
      this.cards.get(slug)?.scrollIntoView({ block: "nearest" });
    }
  }

  /** Show what sums the verdicts up. @param {Answer} answer */
  finish(answer) {
    this.total.replaceChildren(
      ...(answer.summaries ?? []).map((one) => h("p", { class: "mean" },
        h("strong", {}, one.mean === null ? "no mean" : number(one.mean)), ` of ${one.scale.max}`,
        h("span", { class: "hint" }, ` ${one.protocol}: mean of ${one.assessed} assessed${one.not_assessable ? `, ${one.not_assessable} not assessable` : ""}${one.failed ? `, ${one.failed} failed` : ""}`))),
      ...answer.warnings.map((one) => h("p", { class: "warning" }, h("code", {}, one.code), ` ${one.detail}`)),
      h("p", { class: "facts" }, [
        answer.judges?.length ? `judged by ${answer.judges.map(judgeText).join(", ")}` : "",
        usageText(answer.usage),
        answer.comparison_key ? `comparison key ${answer.comparison_key}` : "",
      ].filter(Boolean).join(" · ")),
    );
  }
}

/** A factor's bar. What has no score has no bar: hatched, and said in words. @param {Verdict} verdict @param {string} name @param {() => void} onclick */
function filledBar(verdict, name, onclick) {
  const { min, max } = verdict.scale;
  const share = verdict.score === null ? null : (verdict.score - min) / (max - min);
  const track = h("span", { class: "track", "--levels": max - min }, share === null ? null : h("span", { class: "fill", "--share": share }));
  return h("li", { class: `bar ${verdict.status}` },
    h("button", { type: "button", class: "name", onclick }, name), track, h("span", { class: "value" }, scoreText(verdict)));
}

/** @param {Verdict} verdict */
export function scoreText(verdict) {
  if (verdict.score === null) return verdict.status.replaceAll("_", " ");
  return `${number(verdict.score)} of ${verdict.scale.max}`;
}

/** @param {JudgeRef} judge */
export function judgeText(judge) {
  return judge.model ? `${judge.name}:${judge.model}` : judge.name;
}

/** @param {Usage} usage */
export function usageText(usage) {
  const spent = usage.input_tokens + usage.output_tokens;
  const parts = [spent ? `${usage.input_tokens} tokens in, ${usage.output_tokens} out` : "no tokens"];
  if (usage.saved_tokens) parts.push(`${usage.saved_tokens} saved by the cache`);
  if (usage.cost !== null) parts.push(`cost ${usage.cost.toPrecision(3)}`);
  return parts.join(", ");
}

/** @param {Verdict} verdict */
function factsOf(verdict) {
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
