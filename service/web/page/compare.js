/** The view of many conversations, of one system or two. */

import { resolve } from "./catalogue.js";
import { download, field, h, told } from "./dom.js";
import { differences, figures, judgeAll, systemsOf, waiting } from "./judged.js";
import { Options } from "./options.js";
import { Picker } from "./picker.js";
import { asCsv, asHtml } from "./report.js";
import { Table } from "./table.js";
import { Work } from "./work.js";

/** @import { FactorInfo, Log } from "./wire" */
/** @import { Figure, Difference, Row } from "./judged.js" */
/** @import { Answer } from "./verdicts.js" */

/** The table is drawn anew at most this often (ms) while answers come. */
const PAUSE = 250;

/** @param {(log: Log, answer: Answer) => void} onOpen */
export function compareView(onOpen) {
  const names = ["A", "B"].map((name) => h("input", { type: "text", placeholder: name, autocomplete: "off" }));
  const pickers = [new Picker("Conversations", { examples: false }), new Picker("The same users with another system, if there is one", { examples: false })];
  const options = new Options();
  const place = h("div", { class: "compare" });
  const work = new Work("Judge all", run);

  function read() {
    const both = Boolean(pickers[1]?.text.value.trim());
    return pickers.flatMap((picker, index) => {
      if (index && !both) return [];
      const given = names[index]?.value.trim();
      return waiting(picker.read(), given || (both ? "AB".charAt(index) : null));
    });
  }

  /** @param {AbortSignal} signal */
  async function run(signal) {
    const rows = read();
    const asked = options.read();
    if (!asked.factors.length) throw new Error("No factor is chosen.");
    const factors = await resolve(asked.factors);
    const table = new Table(factors, (row) => row.answer && onOpen(row.log, row.answer));
    const found = h("div", { class: "found" });
    const files = h("div", { class: "row" });
    place.replaceChildren(files, table.element, found);
    /** @type {Row[]} */
    const done = [];
    let drawn = -Infinity;
    try {
      for await (const row of judgeAll(rows, asked, signal)) {
        done.push(row);
        if (performance.now() - drawn > PAUSE) {
          table.show(done);
          work.tell(`${done.length} of ${rows.length} conversations`);
          drawn = performance.now();
        }
      }
    } finally {
      table.show(done);
      await sumUp(files, found, done, factors);
    }
    work.tell(`${done.length} conversations judged.`);
  }

  const element = h("section", { id: "view-compare", "aria-labelledby": "compare-title" },
    h("h2", { id: "compare-title", tabindex: -1 }, "Compare conversations and systems"),
    h("div", { class: "pickers" }, ...pickers.map((picker, index) => h("div", { class: "options" }, picker.element, field(`Name of system ${"AB".charAt(index)}`, /** @type {HTMLElement} */ (names[index]))))),
    h("div", { class: "options" }, options.element, work.element),
    place);
  return { element };
}

/** @param {HTMLElement} files @param {HTMLElement} place @param {Row[]} rows @param {FactorInfo[]} factors */
async function sumUp(files, place, rows, factors) {
  const answered = rows.filter((row) => row.answer);
  if (!answered.length) return;
  const found = await figures(rows, factors);
  const changes = await differences(rows, factors);
  const keys = new Set(answered.map((row) => row.answer?.comparison_key));
  files.replaceChildren(
    h("button", { type: "button", onclick: () => download("crs-eval.csv", "text/csv", asCsv(rows)) }, "Download CSV"),
    h("button", { type: "button", onclick: async () => download("crs-eval.html", "text/html", await asHtml(rows, found, changes)) }, "Download report"));
  place.replaceChildren(
    keys.size > 1 ? h("p", { class: "warning" }, `The answers have ${keys.size} comparison keys: not all of them compare.`) : "",
    changes.length ? differenceTable(changes, systemsOf(rows)) : "",
    distributionTable(found, systemsOf(rows).length > 1));
}

/** @param {Figure[]} found @param {boolean} several */
function distributionTable(found, several) {
  const rows = found.map((one) => {
    const n = one.scores.length;
    const bars = one.levels.map((count, level) => count && h("span", { class: `level level-${Math.round((level / Math.max(one.levels.length - 1, 1)) * 4)}`, "--part": count, title: `${count} at level ${one.low + level}` }, count / n > 0.07 ? one.low + level : ""));
    return h("tr", {}, h("th", { scope: "row" }, told(one.name)), several && h("td", { class: "word" }, one.system),
      h("td", { class: "spread" }, n ? h("span", { class: "levels", role: "img", "aria-label": one.levels.map((count, level) => `${count} at level ${one.low + level}`).join(", ") }, ...bars.map((bar) => bar || null)) : h("span", { class: "hint" }, "not assessed")),
      h("td", { class: "number" }, one.mean === null ? "" : one.mean.toFixed(2)),
      h("td", { class: "number" }, one.interval ? `${one.interval.low.toFixed(2)} to ${one.interval.high.toFixed(2)}` : ""),
      h("td", { class: "number" }, n), h("td", { class: "number" }, one.notAssessable || ""), h("td", { class: "number" }, one.failed || ""));
  });
  const heads = ["Factor", several && "System", "Conversations at each level", "Mean", "95 % interval", "Scored", "Not assessable", "Failed"].filter((one) => one !== false);
  return section("Distributions", heads, rows);
}

/** @param {Difference[]} changes @param {string[]} systems */
function differenceTable(changes, systems) {
  const rows = changes.map((one) => {
    const at = (/** @type {number} */ value) => Math.min(1, Math.max(0, 0.5 + value / one.span / 2));
    const { low, high } = one.interval ?? { low: one.difference, high: one.difference };
    return h("tr", {}, h("th", { scope: "row" }, told(one.name)), h("td", { class: "number" }, one.n),
      h("td", { class: "number" }, one.first.toFixed(2)), h("td", { class: "number" }, one.second.toFixed(2)),
      h("td", { class: "number" }, `${one.difference >= 0 ? "+" : "−"}${Math.abs(one.difference).toFixed(2)}`),
      h("td", { class: "number" }, one.interval ? `${low.toFixed(2)} to ${high.toFixed(2)}` : ""),
      h("td", { class: "spread" }, h("span", { class: "change", "aria-hidden": "true" }, h("span", { class: "range", "--low": at(low), "--high": at(high) }), h("span", { class: "point", "--at": at(one.difference) }))));
  });
  return section(`${systems[1]} minus ${systems[0]}, conversation by conversation`, ["Factor", "Pairs", systems[0] ?? "", systems[1] ?? "", "Difference", "95 % interval", "No change in the middle"], rows);
}

const WORDS = new Set(["System", "Conversations at each level", "No change in the middle"]);

/** @param {string} title @param {string[]} heads @param {HTMLTableRowElement[]} rows */
function section(title, heads, rows) {
  return h("section", {}, h("h3", {}, title),
    h("div", { class: "scroll", role: "region", "aria-label": title, tabindex: 0 },
      h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((head, index) => h("th", { scope: "col", class: index === 0 || WORDS.has(head) ? "" : "number" }, head)))), h("tbody", {}, ...rows))));
}
