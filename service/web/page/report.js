/** Files to take away: a table for spreadsheets, and a report that needs nothing but itself. Their form is
 * that of `crs-eval score --out` with `.csv` and `.html`. */

import { judgeText, scoreText } from "./verdicts.js";

/** @import { Verdict } from "./wire" */
/** @import { Row, Figure, Difference } from "./judged.js" */

const COLUMNS = [
  "conversation", "system", "factor", "status", "score", "min", "max", "rationale", "reason", "flags",
  "judge", "evaluator_revision", "comparison_key", "cached", "cost",
];
const WORST = 25;
const MOST_EVIDENCE = 3;
const LEVEL_COLOURS = ["#b3261e", "#d9730d", "#c9a227", "#7a9a2e", "#2e7d32"];
const ROW = 26, LEFT = 190, WIDTH = 420;

/** @param {Row[]} rows */
export function asCsv(rows) {
  const lines = rows.flatMap((row) => {
    if (!row.answer) return [[row.conversation, row.system, "", "failed", "", "", "", "", row.problem?.detail ?? ""]];
    const key = row.answer.comparison_key;
    return row.answer.verdicts.map((one) => [
      row.conversation, row.system, one.factor, one.status, one.score, one.scale.min, one.scale.max, one.rationale,
      one.reason && `${one.reason.code}: ${one.reason.detail}`, one.flags.map((flag) => flag.code).join(" "),
      judgeText(one.judge), one.evaluator_revision, key, one.cached, one.usage.cost,
    ]);
  });
  const padded = lines.map((line) => COLUMNS.map((_, index) => csvCell(line[index])));
  return [COLUMNS, ...padded].map((line) => line.join(",")).join("\r\n") + "\r\n";
}

/** A cell that stays text in a spreadsheet, whatever it begins with. @param {unknown} value */
function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @param {Row[]} rows @param {Figure[]} figures @param {Difference[]} differences */
export async function asHtml(rows, figures, differences) {
  const style = await (await fetch("web/report.css")).text();
  const title = "Conversations judged";
  const parts = [
    facts(rows), differences.length ? `<h2>Differences</h2>${changes(differences)}` : "",
    `<h2>Means</h2>${means(figures)}`, `<h2>Levels</h2>${levels(figures)}`, numbers(figures), worst(rows), gaps(rows),
  ];
  // The text of logs cannot fetch or run anything, even if some escape were forgotten.
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>`
    + `<meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1">`
    + `<style>${style}</style></head><body><h1>${title}</h1>${parts.join("")}</body></html>\n`;
}

/** @param {unknown} value */
function escape(value) {
  const names = new Map([["&", "&amp;"], ["<", "&lt;"], [">", "&gt;"], ['"', "&quot;"], ["'", "&#x27;"]]);
  return String(value).replace(/[&<>"']/g, (sign) => names.get(sign) ?? sign);
}

/** @param {Row[]} rows */
function facts(rows) {
  const answers = rows.flatMap((row) => row.answer ?? []);
  const judges = new Set(answers.flatMap((answer) => answer.judges.map(judgeText)));
  const keys = [...new Set(answers.map((answer) => answer.comparison_key))].sort();
  const costs = answers.flatMap((answer) => answer.usage.cost ?? []);
  const told = [
    `${rows.length} conversations`, `judged by ${[...judges].join(", ") || "nobody"}`, `comparison key ${keys.join(", ") || "none"}`,
    ...(costs.length ? [`cost ${costs.reduce((sum, cost) => sum + cost, 0).toPrecision(4)}`] : []),
  ];
  return `<p class="dim">${escape(told.join("; "))}.</p>`;
}

/** @param {Figure} one */
function label(one) {
  return one.system ? `${one.name} (${one.system})` : one.name;
}

/** @param {string} text @param {number} y */
function rowLabel(text, y) {
  return `<text x="${LEFT - 10}" y="${y + 4}" class="right">${escape(text.length > 27 ? `${text.slice(0, 26)}…` : text)}</text>`;
}

/** @param {number} height @param {string} title */
function open(height, title) {
  return `<svg viewBox="0 0 ${LEFT + WIDTH + 90} ${height}" width="${LEFT + WIDTH + 90}" role="img"><title>${title}</title>`;
}

/** @param {Figure[]} figures */
function means(figures) {
  const height = ROW * figures.length + 34;
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => `<line x1="${LEFT + share * WIDTH}" x2="${LEFT + share * WIDTH}" y1="6" y2="${height - 24}" class="grid"/>`);
  const rows = figures.map((one, index) => {
    const y = 18 + ROW * index;
    if (one.mean === null) return `${rowLabel(label(one), y)}<text x="${LEFT + 6}" y="${y + 4}" class="none">not assessed</text>`;
    const x = (/** @type {number} */ value) => (LEFT + (WIDTH * (value - one.low)) / (one.high - one.low)).toFixed(1);
    const bar = one.interval ? `<line x1="${x(one.interval.low)}" x2="${x(one.interval.high)}" y1="${y}" y2="${y}" class="interval"/>` : "";
    return `${rowLabel(label(one), y)}${bar}<circle cx="${x(one.mean)}" cy="${y}" r="5" class="mean"/><text x="${LEFT + WIDTH + 10}" y="${y + 4}">${one.mean.toFixed(2)} of ${one.high}</text>`;
  });
  return `${open(height, "Mean of each factor with its 95 % interval")}${grid.join("")}${rows.join("")}</svg>`;
}

/** @param {Figure[]} figures */
function levels(figures) {
  const rows = figures.map((one, index) => {
    const y = 8 + ROW * index;
    const n = one.scores.length;
    let x = LEFT;
    const bars = one.levels.map((count, level) => {
      if (!count) return "";
      const width = (WIDTH * count) / n;
      const colour = LEVEL_COLOURS[Math.round((level / Math.max(one.levels.length - 1, 1)) * 4)];
      const bar = `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="18" fill="${colour}"><title>${count} conversations at level ${one.low + level}</title></rect>`
        + (width > 24 ? `<text x="${(x + 5).toFixed(1)}" y="${y + 13}" class="in">${one.low + level}</text>` : "");
      x += width;
      return bar;
    });
    return `${rowLabel(label(one), y + 9)}${bars.join("")}<text x="${LEFT + WIDTH + 10}" y="${y + 13}">n = ${n}</text>`;
  });
  return `${open(ROW * figures.length + 12, "Conversations at each level, by factor")}${rows.join("")}</svg>`;
}

/** @param {Difference[]} differences */
function changes(differences) {
  const widest = Math.max(...differences.flatMap((one) => [one.difference, one.interval?.low ?? 0, one.interval?.high ?? 0].map(Math.abs))) || 1;
  const x = (/** @type {number} */ value) => (LEFT + (WIDTH * (value + widest)) / (2 * widest)).toFixed(1);
  const height = ROW * differences.length + 34;
  const rows = differences.map((one, index) => {
    const y = 18 + ROW * index;
    const bar = one.interval ? `<line x1="${x(one.interval.low)}" x2="${x(one.interval.high)}" y1="${y}" y2="${y}" class="interval"/>` : "";
    return `${rowLabel(one.name, y)}${bar}<circle cx="${x(one.difference)}" cy="${y}" r="5" class="mean"/><text x="${LEFT + WIDTH + 10}" y="${y + 4}">${one.difference >= 0 ? "+" : ""}${one.difference.toFixed(2)}</text>`;
  });
  return `${open(height, "Difference of each factor with its 95 % interval")}<line x1="${x(0)}" x2="${x(0)}" y1="6" y2="${height - 24}" class="zero"/>${rows.join("")}<text x="${Number(x(0)) + 3}" y="${height - 6}" class="end">no change</text></svg>`;
}

/** @param {Figure[]} figures */
function numbers(figures) {
  const heads = ["factor", "mean", "95 % interval", "scored", "not assessable", "failed"].map((name, index) => `<th${index ? ' class="number"' : ""}>${name}</th>`);
  const body = figures.map((one) => {
    const cells = [one.mean?.toFixed(2) ?? "", one.interval ? `${one.interval.low.toFixed(2)} to ${one.interval.high.toFixed(2)}` : "", one.scores.length, one.notAssessable, one.failed];
    return `<tr><td>${escape(label(one))}</td>${cells.map((text) => `<td class="number">${text}</td>`).join("")}</tr>`;
  });
  return `<h2>Numbers</h2><table><thead><tr>${heads.join("")}</tr></thead><tbody>${body.join("")}</tbody></table>`;
}

/** @param {Row[]} rows */
function worst(rows) {
  const lowest = rows.filter((row) => row.overall !== null).sort((a, b) => (a.overall ?? 0) - (b.overall ?? 0)).slice(0, WORST);
  if (!lowest.length) return "";
  const told = lowest.map((row) => {
    const verdicts = [...row.verdicts.values()].sort((a, b) => badness(a) - badness(b));
    const body = verdicts.map((one) => `<p><b>${escape(one.factor)}</b> ${escape(scoreText(one))}. ${escape(one.rationale ?? one.reason?.detail ?? "")}</p>${evidence(one)}`);
    return `<details><summary><b>${row.overall?.toFixed(2)}</b> ${escape(row.conversation)} <span class="dim">${escape(row.system)}</span></summary>${body.join("")}</details>`;
  });
  return `<h2>The ${lowest.length} conversations with the lowest means</h2>${told.join("")}`;
}

/** @param {Verdict} verdict */
function badness({ score, scale }) {
  return score === null ? 2 : (score - scale.min) / (scale.max - scale.min);
}

/** @param {Verdict} verdict */
function evidence(verdict) {
  const quoted = verdict.evidence.filter((one) => one.quote).slice(0, MOST_EVIDENCE);
  return quoted.map((one) => `<blockquote>message ${one.message ?? "?"}: ${escape(one.quote)}</blockquote>`).join("");
}

/** @param {Row[]} rows */
function gaps(rows) {
  const missing = rows.filter((row) => !row.answer);
  if (!missing.length) return "";
  return `<h2>Without an answer</h2><ul>${missing.map((row) => `<li>${escape(row.conversation)}: ${escape(row.problem?.detail ?? "not asked")}</li>`).join("")}</ul>`;
}
