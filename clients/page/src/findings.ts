/** What many conversations come to: facts, differences between two systems, distributions. */

import { decimal, h, told, type Child } from "./dom.ts";
import { differences, figures, systemsOf, type Difference, type Figure, type Row } from "./rows.ts";
import type { Interval } from "./statistics.ts";
import { judgeText } from "./verdicts.ts";

/** How many, by whom, under which key, for how much. */
export function factsOf(rows: Row[]): HTMLElement {
  const answers = rows.flatMap((row) => row.answer ?? []);
  const judges = new Set(answers.flatMap((answer) => answer.judges.map(judgeText)));
  const keys = [...new Set(answers.map((answer) => answer.comparison_key))].sort();
  const costs = answers.flatMap((answer) => answer.usage.cost ?? []);
  const systems = systemsOf(rows).filter((one) => one !== null);
  const missing = rows.length - answers.length;
  const facts = [
    `${rows.length} ${rows.length === 1 ? "conversation" : "conversations"}${systems.length ? ` of ${systems.join(" and ")}` : ""}`,
    missing ? `${missing} without an answer` : "",
    judges.size ? `judged by ${[...judges].join(", ")}` : "",
    costs.length ? `cost ${costs.reduce((sum, cost) => sum + cost, 0).toPrecision(3)}` : "",
    keys.length ? `comparison key ${keys.join(", ")}` : "",
  ];
  return h("div", {},
    h("p", { class: "facts" }, facts.filter(Boolean).join(" · ")),
    keys.length > 1 ? h("p", { class: "warning" }, `The answers have ${keys.length} comparison keys: not all of them compare.`) : null);
}

/** Sections of what these rows come to; none where nothing was answered. */
export async function findings(rows: Row[]): Promise<HTMLElement[]> {
  const found = await figures(rows);
  const changes = await differences(rows);
  const systems = systemsOf(rows);
  return [
    ...(changes.length ? [differenceTable(changes, systems)] : []),
    ...(found.length ? [distributionTable(found, systems.length > 1)] : []),
  ];
}

interface Column {
  head: string;
  /** The class of its cells. */
  kind: "" | "number" | "word" | "spread";
}

const number = (head: string): Column => ({ head, kind: "number" });

function distributionTable(found: Figure[], several: boolean): HTMLElement {
  const columns: Column[] = [
    ...(several ? [{ head: "System", kind: "word" } as const] : []), { head: "Conversations at each level", kind: "spread" },
    number("Mean"), number("95 % interval"), number("Scored"), number("Not assessable"), number("Failed"),
  ];
  const rows = found.map((one) => row(told(one.slug), columns, [
    ...(several ? [one.system ?? "—"] : []), levels(one), one.mean === null ? "" : `${decimal(one.mean)} of ${one.scale.max}`,
    intervalText(one.interval), one.n, one.notAssessable || "", one.failed || "",
  ]));
  return section("Distributions", columns, rows);
}

/** Levels as parts of a bar, the lowest first. */
function levels({ levels, n, scale }: Figure): HTMLElement {
  if (!n) return h("span", { class: "hint" }, "not assessed");
  const names = levels.map((count, level) => `${count} at level ${scale.min + level}`);
  const parts = levels.map((count, level) => {
    const hue = Math.round((level / Math.max(levels.length - 1, 1)) * 4);
    return count > 0 && h("span", { class: `level level-${hue}`, "--part": count, title: names[level] }, count / n > 0.07 ? scale.min + level : "");
  });
  return h("span", { class: "levels", role: "img", "aria-label": names.join(", ") }, ...parts);
}

function differenceTable(changes: Difference[], systems: (string | null)[]): HTMLElement {
  const [first, second] = systems.map((system) => system ?? "unnamed");
  const columns: Column[] = [
    number("Pairs"), number(first ?? ""), number(second ?? ""), number("Difference"), number("95 % interval"),
    { head: "Worse ← no change → better", kind: "spread" },
  ];
  const rows = changes.map((one) => row(told(one.slug), columns, [
    one.n, decimal(one.first), decimal(one.second), `${one.difference > 0 ? "+" : ""}${decimal(one.difference)}`,
    intervalText(one.interval), change(one),
  ]));
  return section(`${second} minus ${first}, conversation by conversation`, columns, rows);
}

function change({ difference, interval, scale }: Difference): HTMLElement {
  const at = (value: number) => Math.min(1, Math.max(0, 0.5 + value / (scale.max - scale.min) / 2));
  const { low, high } = interval ?? { low: difference, high: difference };
  return h("span", { class: "change", "aria-hidden": "true" },
    h("span", { class: "range", "--low": at(low), "--high": at(high) }), h("span", { class: "point", "--at": at(difference) }));
}

function intervalText(interval: Interval | null): string {
  return interval ? `${decimal(interval.low)} to ${decimal(interval.high)}` : "";
}

function row(name: string, columns: Column[], cells: Child[]): HTMLTableRowElement {
  return h("tr", {}, h("th", { scope: "row" }, name), ...cells.map((cell, index) => h("td", { class: columns[index]?.kind ?? "" }, cell)));
}

function section(title: string, columns: Column[], rows: HTMLTableRowElement[]): HTMLElement {
  const heads = [{ head: "Factor", kind: "" }, ...columns].map(({ head, kind }) => h("th", { scope: "col", class: kind === "number" ? kind : "" }, head));
  return h("section", {}, h("h3", {}, title),
    h("div", { class: "scroll", role: "region", "aria-label": title, tabindex: 0 },
      h("table", {}, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows))));
}
