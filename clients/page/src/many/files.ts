/** Files to take away, to the byte those of `crs-eval score --out` with `.csv` and `.html`. */

import type { DebateAnswer, VerdictFault } from "../../../typescript/src/index.ts";
import { pacer } from "../basics/dom.ts";
import { fittedIn, verdictsOf, type Result } from "./rows.ts";
import { judgeText } from "../verdicts/facts.ts";

const COLUMNS = [
  "conversation", "system", "factor", "status", "score", "min", "max", "rationale", "reason", "flags",
  "judge", "evaluator_revision", "comparison_key", "cached", "cost", "faults",
];
/** Placeholder of the results in `report.html`. */
const PLACE = "{{results}}";
/** Signs that could end the script that the results stand in, or a line of it. */
const UNSAFE = /[<>&\u2028\u2029]/g;

/** A line a verdict, for spreadsheets. */
export async function asCsv(results: Result[]): Promise<Blob> {
  const pace = pacer();
  const lines: string[] = [csvLine(COLUMNS)];
  for (const result of results) {
    lines.push(...cellsOf(result).map(csvLine));
    await pace();
  }
  return new Blob(lines, { type: "text/csv" });
}

function cellsOf({ conversation, system, answer, failure }: Result): unknown[][] {
  if (!answer) return [[conversation, system, "", "failed", "", "", "", "", failure?.detail]];
  const verdicts = verdictsOf(answer);
  const rows: unknown[][] = verdicts.map((one) => [
    conversation, system, one.factor, one.status, one.score, one.scale.min, one.scale.max, one.rationale,
    one.reason && `${one.reason.code}: ${one.reason.detail}`, one.flags.map((flag) => flag.code).join(" "),
    judgeText(one.judge), one.evaluator_revision, answer.comparison_key, one.cached, one.usage.cost, faultsText(one.faults ?? []),
  ]);
  const debate = "overall" in answer ? answer : "debate" in answer ? answer.debate : null;
  const [score, max] = debate ? [debate.overall, 100] : [fittedIn(answer), 4];
  if (score === null) return rows;
  const judges = debate ? debaters(debate) : new Set(verdicts.map((one) => judgeText(one.judge)));
  const faults = faultsText(verdicts.flatMap((one) => one.faults ?? []));
  const empty = Array<string>(3).fill("");
  return [...rows, [conversation, system, "overall", "scored", score, 0, max, ...empty, [...judges].join("+"), "", answer.comparison_key, "", "", faults]];
}

function debaters(debate: Pick<DebateAnswer, "rounds">): Set<string> {
  return new Set((debate.rounds.at(-1)?.statements ?? []).map((said) => judgeText(said.judge)).sort());
}

/** Each fault once, by message. */
function faultsText(faults: VerdictFault[]): string {
  const sorted = faults.toSorted((a, b) => (a.message ?? -1) - (b.message ?? -1) || (a.fault < b.fault ? -1 : Number(a.fault > b.fault)));
  return [...new Set(sorted.map(({ fault, message }) => (message === null ? fault : `${fault}:${message}`)))].join(" ");
}

function csvLine(cells: unknown[]): string {
  return `${COLUMNS.map((_, index) => csvCell(cells[index])).join(",")}\r\n`;
}

/** A cell that stays text in a spreadsheet, whatever it begins with. */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A report that needs nothing but itself: the results, and the script that draws them (`report.ts`). */
export async function asReport(results: Result[]): Promise<Blob> {
  const frame = await (await fetch("web/report.html")).text();
  const pace = pacer();
  const texts: Blob[] = [];  // not one long text: making that holds the browser up
  for (const { conversation, system, answer, failure } of results) {
    const text = JSON.stringify({ conversation, system, answer, failure });
    const safe = text.replace(UNSAFE, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
    texts.push(new Blob([texts.length ? "," : "", safe]));
    await pace();
  }
  const [before = "", after = ""] = frame.split(PLACE);
  return new Blob([before, "[", ...texts, "]", after], { type: "text/html" });
}
