/** Systems by factor: means with intervals, the best marked where it is better than each other one beyond chance. */

import { decimal, h, labelOf } from "../basics/dom.ts";
import { levelClass } from "../verdicts/facts.ts";
import { clear, differences, type Difference } from "./differences.ts";
import type { Figure, Row } from "./rows.ts";

export interface Standing {
  /** Systems, the best first by what they are ordered by. */
  systems: (string | null)[];
  /** Differences of each system to the first of `systems`, which is taken away from. */
  gaps: Map<string | null, Difference[]>;
  /** By factor, the system that is better than each other one. */
  best: Map<string, string | null>;
}

/** Order the systems by `order`, and find where one is the best. */
export async function standing(rows: Row[], found: Figure[], order: string): Promise<Standing> {
  const mean = (system: string | null, slug: string) => found.find((one) => one.system === system && one.slug === slug)?.mean ?? -Infinity;
  const systems = [...new Set(found.map((one) => one.system))].sort((a, b) => mean(b, order) - mean(a, order));
  const slugs = [...new Set(found.map((one) => one.slug))];
  const leaders = new Map(slugs.map((slug) => [slug, [...systems].sort((a, b) => mean(b, slug) - mean(a, slug))[0] ?? null]));
  const between = new Map<string, Difference[]>();
  const compared = async (one: string | null, two: string | null) => {
    const key = JSON.stringify([one, two]);
    const known = between.get(key) ?? await differences(rows, two, one);
    between.set(key, known);
    return known;
  };
  const best = new Map<string, string | null>();
  for (const [slug, leader] of leaders) {
    const others = systems.filter((one) => one !== leader);
    const gaps = await Promise.all(others.map(async (other) => (await compared(leader, other)).find((one) => one.slug === slug)));
    if (gaps.length && gaps.every((gap) => gap && gap.difference > 0 && clear(gap))) best.set(slug, leader);
  }
  const [first = null] = systems;
  const gaps = new Map<string | null, Difference[]>();
  for (const other of systems.slice(1)) gaps.set(other, await compared(first, other));
  return { systems, gaps, best };
}

/** Conclusion in a sentence. */
export function conclusion({ systems, gaps, best }: Standing, order: string): HTMLElement {
  const [first = null, ...others] = systems;
  const gapTo = (other: string | null | undefined) => gaps.get(other ?? null)?.find((one) => one.slug === order);
  const decided = best.has(order);
  // Without a clear winner, this is the system that cannot be distinguished from the best.
  const rival = (decided ? undefined : others.find((other) => { const gap = gapTo(other); return !gap || gap.difference <= 0 || !clear(gap); })) ?? others[0] ?? null;
  const gap = gapTo(rival);
  const [leader, other] = [h("bdi", {}, h("strong", {}, nameOf(first))), h("bdi", {}, nameOf(rival))];
  if (!gap) return h("p", { class: "verdict" }, "Which is better is open: ", leader, " has the higher mean, but shares no scored conversation with ", other, ".");
  const range = gap.interval ? `, 95 % interval ${decimal(gap.interval.low)} to ${decimal(gap.interval.high)}` : "";
  const measured = `${decimal(gap.difference)} of ${gap.scale.max - gap.scale.min} points (${gap.n} ${gap.n === 1 ? "conversation" : "conversations"}${range})`;
  const text = decided
    ? [leader, others.length > 1 ? ` is better than each of the other ${others.length}, and than the next, ` : " is better than ", other, `, by ${measured}.`]
    : ["Which is better is open: ", leader, " has the higher mean; its lead over ", other, ` is ${measured}.`];
  return h("p", { class: "verdict" }, ...text);
}

export function leaderboard({ systems, best }: Standing, found: Figure[], order: string): HTMLElement {
  // Means of different conversations do not compare: how many each has is said.
  const numbers = [...new Set(found.filter((one) => one.mean !== null).map((one) => one.n))];
  const all = numbers.length === 1 ? numbers[0] ?? null : null;
  const slugs = [order, ...new Set(found.map((one) => one.slug).filter((slug) => slug !== order))];
  const rows = systems.map((system) => h("tr", {}, h("th", { scope: "row", dir: "auto", title: nameOf(system) }, nameOf(system)), ...slugs.map((slug) => {
    const figure = found.find((one) => one.system === system && one.slug === slug);
    return cell(figure, best.has(slug) && best.get(slug) === system, all === null);
  })));
  return h("section", {}, h("h2", {}, "Leaderboard"),
    h("p", { class: "hint" }, `★ better than each other system: the 95 % interval of the difference excludes 0, over six pairs or more. Below each mean: its 95 % interval${all === null ? ", and the number n of conversations" : `, over ${all} conversations`}.`),
    h("div", { class: "scroll", role: "region", "aria-label": "Leaderboard", tabindex: 0 }, h("table", { class: "leaderboard" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "System"), ...slugs.map((slug) => h("th", { scope: "col", class: "number" }, labelOf(slug))))),
      h("tbody", {}, ...rows))));
}

function cell(figure: Figure | undefined, best: boolean, counted: boolean): HTMLElement {
  if (!figure || figure.mean === null) return h("td", { class: "number none" }, "n/a");
  const share = (figure.mean - figure.scale.min) / (figure.scale.max - figure.scale.min);
  return h("td", { class: "number" },
    best ? h("span", { role: "img", "aria-label": "best" }, "★ ") : null, h("span", { class: `dot ${levelClass(share)}` }), decimal(figure.mean),
    figure.interval ? h("span", { class: "hint" }, `${decimal(figure.interval.low)} to ${decimal(figure.interval.high)}`) : null,
    counted ? h("span", { class: "hint" }, `n ${figure.n}`) : null);
}

export function nameOf(system: string | null): string {
  return system ?? "unnamed";
}
