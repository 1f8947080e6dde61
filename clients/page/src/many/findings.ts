/** Findings over many conversations: facts, faults, a leaderboard, differences to a baseline, distributions. */

import { decimal, field, h, prose, labelOf, type Child } from "../basics/dom.ts";
import { faultTable, type LogOf, type Open } from "./faults.ts";
import { clear, differences, orderedBy, type Difference } from "./differences.ts";
import { conclusion, leaderboard, nameOf, standing } from "./leaderboard.ts";
import { figures, systemsOf, verdictsOf, type Figure, type Row } from "./rows.ts";
import type { Interval } from "../basics/statistics.ts";
import { judgesOf, levelClass } from "../verdicts/facts.ts";

/** Facts: the number of conversations, their systems and judges, the comparison key, the cost. */
export function factsOf(rows: Row[]): HTMLElement {
  const answers = rows.flatMap((row) => row.answer ?? []);
  const judges = judgesOf(answers.flatMap(verdictsOf));
  const keys = [...new Set(answers.flatMap((answer) => answer.comparison_key ?? []))].sort();
  const costs = answers.flatMap((answer) => answer.usage.cost ?? []);
  const systems = systemsOf(rows).filter((one) => one !== null);
  const missing = rows.length - answers.length;
  const facts = [
    `${rows.length} ${rows.length === 1 ? "conversation" : "conversations"}${systems.length ? ` of ${systems.join(", ")}` : ""}`,
    missing ? `${missing} without an answer` : "",
    judges.length ? `judged by ${judges.join(", ")}` : "",
    costs.length ? `cost ${costs.reduce((sum, cost) => sum + cost, 0).toPrecision(3)}` : "",
    keys.length ? `comparison key ${keys.join(", ")}` : "",
  ];
  return h("div", {},
    h("p", { class: "facts" }, facts.filter(Boolean).join(" · ")),
    ...warnings(rows),
    keys.length > 1 ? h("p", { class: "warning" }, `The answers have ${keys.length} comparison keys: not all of them compare.`) : null);
}

/** Warnings of the answers, each once with the number of answers that have it. */
function warnings(rows: Row[]): HTMLElement[] {
  const said = Map.groupBy(rows.flatMap((row) => row.answer?.warnings ?? []), (one) => one.code);
  return [...said].map(([code, notices]) => h("p", { class: "warning", title: code },
    `${notices.length} of ${rows.length} conversations: `, ...prose(notices[0]?.detail ?? "")));
}

/** The faults of these rows, of each system. */
export function faultsOfRows(rows: Row[], open?: Open, logOf?: LogOf): HTMLElement {
  return faultTable(systemsOf(rows).map((system) => ({ name: nameOf(system), rows: rows.filter((row) => row.system === system) })), open, logOf);
}

/** Sections of what these rows come to; none where nothing was answered. */
export async function findings(rows: Row[]): Promise<HTMLElement[]> {
  const all = await figures(rows);
  const known = new Set(all.filter((one) => one.n || one.failed).map((one) => one.slug));
  const found = all.filter((one) => known.has(one.slug));
  const unknown = [...new Set(all.map((one) => one.slug))].filter((slug) => !known.has(slug)).map(labelOf);
  const systems = systemsOf(rows);
  const distributions = all.length ? [distributionTable(found, systems.length > 1)] : [];
  if (unknown.length) distributions[0]?.append(h("p", { class: "hint" }, `Not assessable in any conversation: ${unknown.join(", ")}.`));
  if (systems.length < 2 || !found.length) return distributions;
  const order = orderedBy(rows);
  const stand = await standing(rows, found, order);
  const apart = stand.systems.length > 1 && [...stand.gaps.values()].every((gaps) => !gaps.length);
  return [
    ...(apart ? [h("p", { class: "warning" }, "The systems share no scored conversation, so nothing is compared pair by pair. Conversations of the same id are pairs.")] : [conclusion(stand, order)]),
    leaderboard(stand, found, order),
    ...(apart ? [] : [await differenceTables(rows, systems)]),
    ...distributions,
  ];
}

/** Each system minus the one that is chosen as baseline: the first, unless somebody chooses another. */
async function differenceTables(rows: Row[], systems: (string | null)[]): Promise<HTMLElement> {
  const tables = h("div", { class: "found" });
  const choice = h("select", { onchange: () => void draw() }, ...systems.map((system, index) => h("option", { value: index }, nameOf(system))));
  async function draw() {
    const baseline = systems[Number(choice.value)] ?? null;
    const made: HTMLElement[] = [];
    for (const other of systems.filter((one) => one !== baseline)) {
      const changes = await differences(rows, baseline, other);
      if (changes.length) made.push(differenceTable(changes, [baseline, other]));
    }
    tables.replaceChildren(...made);
  }
  await draw();
  return h("div", { class: "found" }, h("div", { class: "row controls" }, field("Baseline", choice)), tables);
}

interface Column {
  head: string;
  /** The class of its cells. */
  kind: "" | "number" | "word" | "spread";
}

const number = (head: string): Column => ({ head, kind: "number" });

function distributionTable(found: Figure[], several: boolean): HTMLElement {
  const columns: Column[] = [
    ...(several ? [{ head: "System", kind: "word" } as const] : []), number("Mean"), number("95 % interval"),
    { head: "Conversations at each level", kind: "spread" }, number("Scored"), number("Not assessable"), number("Failed"),
  ];
  const rows = (one: Figure) => [
    ...(several ? [one.system ?? "—"] : []), one.mean === null ? "" : `${decimal(one.mean)} of ${one.scale.max}`,
    intervalText(one.interval), levels(one), one.n, one.notAssessable || "", one.failed || "",
  ];
  const groups = [...Map.groupBy(found, (one) => one.slug)];
  return section("Distributions", columns, groups.map(([slug, members]) => group(labelOf(slug), columns, members.map(rows))));
}

/** Levels as parts of a bar, the lowest first. */
function levels({ levels, n, scale }: Figure): HTMLElement {
  if (!n) return h("span", { class: "hint" }, "no score");
  const names = levels.map((count, level) => `${count} at level ${scale.min + level}`);
  const parts = levels.map((count, level) => {
    const hue = Math.round((level / Math.max(levels.length - 1, 1)) * 4);
    return count > 0 && h("span", { class: `level level-${hue}`, "--part": count, title: names[level] }, count / n > 0.07 ? scale.min + level : "");
  });
  return h("span", { class: "levels", role: "img", "aria-label": names.join(", ") }, ...parts);
}

function differenceTable(changes: Difference[], systems: (string | null)[]): HTMLElement {
  const [first, second] = systems.map(nameOf);
  const columns: Column[] = [
    number("Difference"), number("95 % interval"), { head: "Worse ← no change → better", kind: "spread" },
    number(first ?? ""), number(second ?? ""), number("Pairs"),
  ];
  const groups = changes.map((one) => group(labelOf(one.slug), columns, [[
    `${one.difference > 0 ? "+" : ""}${decimal(one.difference)}`, intervalText(one.interval), change(one),
    decimal(one.first), decimal(one.second), one.n,
  ]]));
  return section(`${second} minus ${first}, conversation by conversation`, columns, groups);
}

/** Colour says where the interval leaves 0 out. */
function change(one: Difference): HTMLElement {
  const { difference, interval, scale } = one;
  const at = (value: number) => Math.min(1, Math.max(0, 0.5 + value / (scale.max - scale.min) / 2));
  const { low, high } = interval ?? { low: difference, high: difference };
  return h("span", { class: `change ${clear(one) ? levelClass(difference > 0 ? 1 : 0) : ""}`, "aria-hidden": "true" },
    h("span", { class: "range", "--low": at(low), "--high": at(high) }), h("span", { class: "point", "--at": at(difference) }));
}

function intervalText(interval: Interval | null): string {
  return interval ? `${decimal(interval.low)} to ${decimal(interval.high)}` : "";
}

/** A factor's rows under one name. */
function group(name: string, columns: Column[], rows: Child[][]): HTMLTableSectionElement {
  const head = h("th", { scope: "rowgroup", rowspan: rows.length }, name);
  return h("tbody", {}, ...rows.map((cells, index) => h("tr", {}, index === 0 && head, ...cells.map((cell, place) => h("td", { class: columns[place]?.kind ?? "" }, cell)))));
}

function section(title: string, columns: Column[], groups: HTMLTableSectionElement[]): HTMLElement {
  const heads = [{ head: "Factor", kind: "" }, ...columns].map(({ head, kind }) => h("th", { scope: "col", class: kind }, head));
  return h("section", {}, h("h2", {}, title),
    h("div", { class: "scroll", role: "region", "aria-label": title, tabindex: 0 },
      h("table", {}, h("thead", {}, h("tr", {}, ...heads)), ...groups)));
}
