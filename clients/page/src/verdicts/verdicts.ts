/** Verdicts by dimension, the worst first; what is not assessable folded below. */

import type { Verdict } from "../../../typescript/src/index.ts";
import { h, number, labelOf } from "../basics/dom.ts";
import { mean } from "../basics/statistics.ts";
import { card, emptyBar, flagKey, type Reactions } from "./card.ts";
import { levelClass, shareOf, type Shown } from "./facts.ts";

interface Group {
  element: HTMLElement;
  mean: HTMLElement;
  cards: HTMLElement;
  slugs: string[];
}

/** Cards that fill as verdicts come. */
export class Verdicts {
  readonly element = h("div", { class: "verdicts" });
  readonly #shown: Map<string, Shown>;
  readonly #reactions: Reactions;
  readonly #groups: Group[];
  readonly #rows = new Map<string, HTMLElement>();
  readonly #verdicts = new Map<string, Verdict>();
  readonly #missing = h("summary");
  readonly #unassessed = h("details", { class: "unassessed", hidden: true }, this.#missing);
  #selected = "";
  #place: ((verdict: Verdict) => HTMLElement | null) | null = null;

  /** `shown` is what is asked, in order. */
  constructor(shown: Shown[], reactions: Reactions = {}) {
    this.#shown = new Map(shown.map((one) => [one.slug, one]));
    this.#reactions = reactions;
    this.#groups = [...Map.groupBy(shown, ({ protocol, dimension }) => `${protocol} ${dimension}`).values()].map((members) => this.#group(members));
    this.element.append(...this.#groups.map((group) => group.element), this.#unassessed);
  }

  get all(): Verdict[] {
    return [...this.#verdicts.values()];
  }

  nameOf(slug: string): string {
    return this.#shown.get(slug)?.name ?? labelOf(slug);
  }

  #group(members: Shown[]): Group {
    const average = h("span", { class: "group-mean" });
    const cards = h("div", { class: "cards" }, ...members.map(({ slug, name }) => {
      const row = emptyBar(name, "waiting", "…");
      this.#rows.set(slug, row);
      return row;
    }));
    const title = members[0]?.dimension ? h("h3", {}, labelOf(members[0].dimension), " ", average) : null;
    return { element: h("section", { class: "dimension" }, title, cards), mean: average, cards, slugs: members.map(({ slug }) => slug) };
  }

  /** Show one more verdict. */
  add(verdict: Verdict, said = new Set<string>()) {
    const slug = verdict.factor;
    const select = (on?: boolean) => this.select(on || this.#selected !== slug ? slug : "");
    const row = card(verdict, this.nameOf(slug), said, select, this.#reactions.onMessage);
    this.#verdicts.set(slug, verdict);
    const before = this.#rows.get(slug);
    this.#rows.set(slug, row);
    if (verdict.status === "not_assessable") {
      before?.remove();
      this.#unassessed.append(row);
      this.#tellMissing();
    } else if (before) before.replaceWith(row);
    else this.element.append(row);
  }

  #tellMissing() {
    const without = this.all.filter((one) => one.status === "not_assessable");
    const lacking = without.filter((one) => one.reason?.missing.length);
    const missing = [...new Set(lacking.flatMap((one) => one.reason?.missing ?? []))];
    const some = lacking.length < without.length ? `; for ${lacking.length} of them` : ":";
    this.#missing.textContent = `${without.length} not assessable${missing.length ? `${some} the log lacks ${missing.join(", ")}` : ""}`;
    this.#unassessed.hidden = false;
  }

  /** No more will come: say so of what still waits, and put the worst first. What is said once for all is left out of cards. */
  end(said = new Set<string>()) {
    for (const [slug, row] of this.#rows) {
      if (!this.#verdicts.has(slug)) row.replaceWith(this.#lost(slug));
    }
    for (const verdict of this.all) if (verdict.flags.some((flag) => said.has(flagKey(flag)))) this.add(verdict, said);
    for (const group of this.#groups) this.#sort(group);
    const share = (group: Group) => this.#meanOf(group) ?? 2;
    const focused = document.activeElement as HTMLElement | null;
    this.element.prepend(...[...this.#groups].sort((a, b) => share(a) - share(b)).map((group) => group.element));
    if (focused !== document.activeElement) focused?.focus({ preventScroll: true });
    this.place(this.#place);
  }

  #lost(slug: string): HTMLElement {
    const row = emptyBar(this.nameOf(slug), "failed", "no answer");
    this.#rows.set(slug, row);
    return row;
  }

  #meanOf(group: Group): number | null {
    return mean(group.slugs.flatMap((slug) => this.#shareOf(slug) ?? []));
  }

  #shareOf(slug: string): number | null {
    const verdict = this.#verdicts.get(slug);
    return verdict ? shareOf(verdict) : null;
  }

  #sort(group: Group) {
    const average = this.#meanOf(group);
    if (average !== null) group.mean.replaceChildren(h("span", { class: `dot ${levelClass(average)}` }), ` ${number(average * 4)} of 4`);
    group.element.hidden = !group.cards.hasChildNodes() && !group.slugs.some((slug) => this.#verdicts.get(slug)?.status === "scored");
    group.slugs.sort((a, b) => (this.#shareOf(a) ?? 2) - (this.#shareOf(b) ?? 2));
  }

  /** Put each card where `place` says; in its group where that names no place. */
  place(place: ((verdict: Verdict) => HTMLElement | null) | null) {
    this.#place = place;
    for (const group of this.#groups) {
      for (const slug of group.slugs) {
        const row = this.#rows.get(slug);
        const verdict = this.#verdicts.get(slug);
        if (row && verdict?.status !== "not_assessable") ((verdict && place?.(verdict)) ?? group.cards).append(row);
      }
      group.element.classList.toggle("spread", !group.cards.hasChildNodes());
    }
  }

  /** Select a factor's verdict; an empty name clears. */
  select(slug: string, scroll = false) {
    this.#selected = slug;
    for (const [name, row] of this.#rows) {
      row.classList.toggle("selected", name === slug);
      row.querySelector(".head")?.setAttribute("aria-pressed", String(name === slug));
    }
    const chosen = this.#rows.get(slug);
    if (chosen && this.#unassessed.contains(chosen)) this.#unassessed.open = true;
    this.#reactions.onSelect?.(this.#verdicts.get(slug) ?? null);
    if (scroll) {
      chosen?.focus({ preventScroll: true });
      chosen?.scrollIntoView({ block: "nearest" });
    }
  }
}
