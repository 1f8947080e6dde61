/** Faults of many conversations by rate, of one run or of two side by side, with every reply that has them. */

import type { Log } from "../../../typescript/src/index.ts";
import { h, type Child } from "../basics/dom.ts";
import { fisherTest, holm, shareInterval, signTest } from "../basics/statistics.ts";
import { listed } from "../conversation/shown.ts";
import { levelClass } from "../verdicts/facts.ts";
import { faultInfo, faultName, sureness, type Found } from "../verdicts/faults.ts";
import type { Place } from "../views/view.ts";
import type { Row } from "./rows.ts";

/** A difference is more than chance below this p, adjusted for the number of faults. */
const ALPHA = 0.05;
/** Examples drawn at a time. */
const SHOWN = 50;

/** Conversations of one run or system. */
export interface Side {
  name: string;
  rows: Row[];
}

/** A reply with a fault. */
interface Example {
  row: Row;
  found: Found;
}

export type Open = (row: Row, place?: Place) => void;
export type LogOf = (row: Row) => Log | null;

/** A table of faults, the most frequent first; of two sides, those that grew most. `open` shows a conversation. */
export function faultTable(sides: Side[], open?: Open, logOf?: LogOf): HTMLElement {
  const counted = sides.map(({ rows }) => examplesOf(rows));
  const sizes = sides.map(({ rows }) => rows.filter((row) => row.answer).length);
  const slugs = [...new Set(counted.flatMap((one) => [...one.keys()]))];
  const lines = slugs.map((fault) => ({ fault, sides: counted.map((one) => one.get(fault) ?? []) }));
  const paired = sides.length === 2 ? pairsOf(sides) : [];
  const chances = sides.length === 2 ? holm(lines.map((line) => chanceOf(line.sides, sizes, paired))) : [];
  const shares = (index: number) => (lines[index]?.sides ?? []).map((one, side) => conversations(one).size / Math.max(1, sizes[side] ?? 0));
  const weight = (index: number) => { const [first = 0, second = 0] = shares(index); return sides.length === 2 ? Math.abs(second - first) : Math.max(...shares(index)); };
  const clear = (index: number) => (chances[index] ?? 1) < ALPHA;
  const order = lines.map((_, index) => index).sort((a, b) => Number(clear(b)) - Number(clear(a)) || weight(b) - weight(a));
  const bodies = order.map((index) => {
    const line = lines[index];
    return line ? body(line.fault, line.sides, sizes, sides, chances[index], open, logOf) : null;
  });
  const heads: [string, string][] = [["Fault", ""], ...sides.map(({ name }): [string, string] => [sides.length > 1 ? `Conversations of ${name}` : "Conversations", "spread"]),
    [sides.length === 2 ? "Change" : "Replies", "number"]];
  return h("section", { class: "by-fault", "aria-label": "Faults" }, h("h2", {}, "Faults"),
    h("p", { class: "sentence" }, ...summary(order.map((index) => ({ fault: lines[index]?.fault ?? "", shares: shares(index), clear: clear(index) })), sides, sizes)),
    slugs.length ? h("div", { class: "scroll", role: "region", "aria-label": "Faults by rate", tabindex: 0 },
      h("table", { class: "faults-table" }, h("thead", {}, h("tr", {}, ...heads.map(([text, kind]) => h("th", { scope: "col", class: kind }, text)))), ...bodies)) : null,
    sides.length === 2 ? h("p", { class: "hint" }, `Beyond chance: ${paired.length ? `McNemar's exact test on ${paired.length} shared conversations` : "Fisher's exact test, since the runs share no conversation"}, adjusted for ${slugs.length} faults (Holm).`) : null);
}

/** What the table comes to, in a sentence. */
function summary(lines: { fault: string; shares: number[]; clear: boolean }[], sides: Side[], sizes: number[]): Child[] {
  if (!lines.length) return [`No fault was reported in ${sizes.reduce((sum, one) => sum + one, 0)} conversations.`];
  if (sides.length !== 2) {
    const top = lines.slice(0, 2).map(({ fault, shares }) => `${faultName(fault)} in ${shares.map(percent).join(", ")} of conversations`);
    return [h("strong", {}, top.join("; ")), "."];
  }
  const changed = lines.filter((one) => one.clear);
  const named = (grew: boolean) => changed.filter(({ shares }) => ((shares[1] ?? 0) > (shares[0] ?? 0)) === grew).map(({ fault, shares }) => `${faultName(fault)} (${percent(shares[0] ?? 0)} → ${percent(shares[1] ?? 0)})`).join(", ");
  const [grown, shrunk] = [named(true), named(false)];
  if (!changed.length) return [`No fault changed beyond chance from ${sides[0]?.name} to ${sides[1]?.name}.`];
  return [`Compared with ${sides[0]?.name}, ${sides[1]?.name} shows `, ...(grown ? ["more often: ", h("strong", {}, grown)] : []), grown && shrunk ? "; " : null, shrunk ? `less often: ${shrunk}` : null, "."];
}

function body(fault: string, found: Example[][], sizes: number[], sides: Side[], chance: number | undefined, open?: Open, logOf?: LogOf): HTMLElement {
  const all = found.flatMap((examples, side) => examples.map((example) => ({ ...example, side })));
  const list = h("ul", { class: "examples-list" });
  const draw = () => {
    if (list.hasChildNodes()) return;
    const drawn = (more: typeof all) => list.append(...more.map((one) => item(one, sides.length > 1 ? sides[one.side]?.name ?? "" : "", open, logOf)));
    const rest = all.slice(SHOWN);
    drawn(all.slice(0, SHOWN));
    if (rest.length) list.append(h("li", {}, h("button", { type: "button", class: "link", onclick: (event) => { (event.target as Element).closest("li")?.remove(); drawn(rest); } }, `${rest.length} more`)));
  };
  const examples = h("tr", { class: "examples-row", hidden: true }, h("td", { colspan: sides.length + 2 }, h("p", { class: "hint" }, faultInfo(fault)?.definition), list));
  const toggle = h("button", { type: "button", class: "link", "aria-expanded": "false", onclick: () => {
    draw();
    examples.hidden = !examples.hidden;
    toggle.setAttribute("aria-expanded", String(!examples.hidden));
  } }, faultName(fault));
  const replies = `${all.length} ${all.length === 1 ? "reply" : "replies"}`;
  return h("tbody", { "data-fault": fault },
    h("tr", {}, h("th", { scope: "row" }, toggle), ...found.map((one, side) => h("td", { class: "spread" }, bar(conversations(one).size, sizes[side] ?? 0))),
      h("td", { class: "number" }, sides.length === 2 ? change(found, sizes, chance ?? 1) : replies)),
    examples);
}

/** A count with its share and interval. */
function bar(count: number, n: number): HTMLElement {
  if (!n) return h("span", { class: "hint" }, "none");
  const { low, high } = shareInterval(count, n);
  return h("span", { class: "rate" }, h("span", { class: "track" }, h("span", { class: `fill ${levelClass(1 - Math.min(1, 4 * count / n))}`, "--share": count / n })),
    h("span", {}, `${count} of ${n} `, h("span", { class: "hint" }, `${percent(count / n)}, ${percent(low)} to ${percent(high)}`)));
}

function change(found: Example[][], sizes: number[], chance: number): Child {
  const [before = 0, after = 0] = found.map((one, side) => conversations(one).size / Math.max(1, sizes[side] ?? 0));
  const points = `${after > before ? "+" : after < before ? "−" : ""}${Math.round(Math.abs(after - before) * 100)} points`;
  return chance < ALPHA ? h("strong", { class: `beyond ${after > before ? "level-0" : "level-4"}` }, `${points}, beyond chance`) : points;
}

function item({ row, found }: Example, side: string, open?: Open, logOf?: LogOf): HTMLElement {
  const name = `${row.conversation}${found.message === null ? "" : `, message ${found.message}`}`;
  const place = found.message === null ? undefined : { message: found.message, fault: found.fault };
  const said = found.message === null ? undefined : listed(logOf?.(row)?.messages)[found.message]?.content;
  return h("li", {},
    open ? h("button", { type: "button", class: "link", onclick: () => open(row, place) }, name) : h("strong", {}, name),
    h("span", { class: "hint" }, [side && ` ${side}`, ` ${sureness(found)}`].filter(Boolean).join(",")),
    said ? h("p", { class: "said", dir: "auto" }, said) : null,
    ...(said ? [] : found.quotes.map((quote) => h("q", { dir: "auto" }, quote))));
}

function examplesOf(rows: Row[]): Map<string, Example[]> {
  return Map.groupBy(rows.flatMap((row) => row.faults.map((found) => ({ row, found }))), ({ found }) => found.fault);
}

function conversations(examples: Example[]): Set<Row> {
  return new Set(examples.map(({ row }) => row));
}

/** Conversations that both sides have. */
function pairsOf(sides: Side[]): [Row, Row][] {
  const before = new Map((sides[0]?.rows ?? []).filter((row) => row.answer).map((row) => [row.conversation, row]));
  return (sides[1]?.rows ?? []).flatMap((row) => { const other = row.answer && before.get(row.conversation); return other ? [[other, row] as [Row, Row]] : []; });
}

function chanceOf(found: Example[][], sizes: number[], paired: [Row, Row][]): number {
  const [before = new Set<Row>(), after = new Set<Row>()] = found.map(conversations);
  if (!paired.length) return fisherTest(before.size, sizes[0] ?? 0, after.size, sizes[1] ?? 0);
  const gained = paired.filter(([one, other]) => !before.has(one) && after.has(other)).length;
  const lost = paired.filter(([one, other]) => before.has(one) && !after.has(other)).length;
  return signTest(gained, lost);
}

function percent(share: number): string {
  return `${Math.round(share * 100)}\u00a0%`;
}
