/** A table of conversations: sorted, filtered, a page at a time. */

import { field, h, number, told } from "./dom.js";
import { OVERALL, scoreOf, systemsOf } from "./judged.js";

/** @import { FactorInfo } from "./wire" */
/** @import { Row } from "./judged.js" */

/** Rows on a page: what a browser lays out well within a frame or two, however many there are. */
const PAGE = 25;

const SHOWN = new Map(/** @type {[string, (row: Row) => boolean][]} */ ([
  ["all", () => true],
  ["with flags", (row) => flagsOf(row) > 0],
  ["with something not assessable", (row) => [...row.verdicts.values()].some((one) => one.status === "not_assessable")],
  ["with something failed", (row) => row.problem !== null || [...row.verdicts.values()].some((one) => one.status === "failed")],
]));

/** The table of conversations. */
export class Table {
  /** @param {FactorInfo[]} factors @param {(row: Row) => void} onOpen */
  constructor(factors, onOpen) {
    this.onOpen = onOpen;
    this.columns = ["conversation", "system", ...(factors.length > 1 ? [OVERALL] : []), ...factors.map((one) => one.slug), "flags"];
    this.sorted = factors.length > 1 ? OVERALL : factors[0]?.slug ?? "conversation";
    this.falling = false;
    this.page = 0;
    /** @type {Row[]} */
    this.rows = [];
    const again = () => { this.page = 0; this.render(); };
    this.search = h("input", { type: "search", oninput: again });
    this.system = h("select", { onchange: again }, h("option", { value: "" }, "all"));
    this.shown = h("select", { onchange: again }, ...[...SHOWN.keys()].map((name) => h("option", {}, name)));
    this.heads = this.columns.map((name) => this.#head(name));
    this.body = h("tbody");
    this.place = h("span", { class: "place-of" });
    this.back = h("button", { type: "button", onclick: () => { this.page--; this.render(); } }, "Previous");
    this.on = h("button", { type: "button", onclick: () => { this.page++; this.render(); } }, "Next");
    this.element = h("div", { class: "table" },
      h("div", { class: "row" }, field("Search", this.search), field("System", this.system), field("Show", this.shown)),
      h("div", { class: "scroll", role: "region", "aria-label": "Conversations", tabindex: 0 },
        h("table", {}, h("caption", {}, "Conversations, the worst first; a column's name sorts by it"), h("thead", {}, h("tr", {}, ...this.heads)), this.body)),
      h("div", { class: "row" }, this.back, this.on, this.place));
  }

  /** @param {string} name */
  #head(name) {
    const words = name === "conversation" || name === "system";
    return h("th", { scope: "col", "data-column": name, class: words ? "" : "number" }, h("button", { type: "button", onclick: () => this.sort(name) }, told(name)));
  }

  /** Sort by a column; the same one again turns the order. @param {string} name */
  sort(name) {
    this.falling = this.sorted === name ? !this.falling : false;
    this.sorted = name;
    this.page = 0;
    this.render();
  }

  /** @param {Row[]} rows */
  show(rows) {
    this.rows = rows;
    const systems = systemsOf(rows).filter(Boolean);
    if (this.system.options.length !== systems.length + 1) {
      this.system.replaceChildren(h("option", { value: "" }, "all"), ...systems.map((one) => h("option", { value: one }, one)));
    }
    this.render();
  }

  /** The rows that the filters let through, in order. */
  chosen() {
    const words = this.search.value.trim().toLowerCase();
    const fits = SHOWN.get(this.shown.value) ?? (() => true);
    const kept = this.rows.filter((row) => (!this.system.value || row.system === this.system.value) && fits(row) && `${row.conversation} ${row.system}`.toLowerCase().includes(words));
    const keyed = kept.map((row) => ({ row, key: valueOf(row, this.sorted) }));
    const sign = this.falling ? -1 : 1;
    // What has no score comes last, whichever way the rest is sorted.
    keyed.sort((a, b) => Number(a.key === null) - Number(b.key === null) || sign * compare(a.key, b.key));
    return keyed.map((one) => one.row);
  }

  render() {
    const chosen = this.chosen();
    const pages = Math.max(1, Math.ceil(chosen.length / PAGE));
    this.page = Math.min(this.page, pages - 1);
    const first = this.page * PAGE;
    this.body.replaceChildren(...chosen.slice(first, first + PAGE).map((row) => this.#row(row)));
    for (const head of this.heads) {
      const mine = head.dataset.column === this.sorted;
      head.setAttribute("aria-sort", mine ? (this.falling ? "descending" : "ascending") : "none");
    }
    this.back.disabled = this.page === 0;
    this.on.disabled = this.page === pages - 1;
    this.place.textContent = chosen.length ? `${first + 1} to ${Math.min(first + PAGE, chosen.length)} of ${chosen.length}` : "No conversation fits.";
  }

  /** @param {Row} row */
  #row(row) {
    const name = row.answer
      ? h("button", { type: "button", class: "link", onclick: () => this.onOpen(row) }, row.conversation)
      : h("span", {}, row.conversation);
    const cells = this.columns.slice(1).map((column) => cell(row, column));
    return h("tr", {}, h("th", { scope: "row" }, name, row.problem ? h("span", { class: "hint" }, ` ${row.problem.title}: ${row.problem.detail}`) : null), ...cells);
  }
}

/** @param {Row} row @param {string} column */
function cell(row, column) {
  if (column === "system") return h("td", { class: "word" }, row.system);
  if (column === "flags") return h("td", { class: "number" }, flagsOf(row) || "");
  const score = scoreOf(row, column);
  if (score !== null) return h("td", { class: "number" }, number(score));
  const status = row.verdicts.get(column)?.status;
  return h("td", { class: "number none", title: status?.replaceAll("_", " ") }, status === "failed" ? "failed" : status ? "n/a" : "");
}

/** @param {Row} row @param {string} column @returns {string | number | null} */
function valueOf(row, column) {
  if (column === "conversation") return row.conversation;
  if (column === "system") return row.system;
  return column === "flags" ? flagsOf(row) : scoreOf(row, column);
}

const collator = new Intl.Collator(undefined, { numeric: true });

/** @param {string | number | null} a @param {string | number | null} b */
function compare(a, b) {
  return typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a ?? ""), String(b ?? ""));
}

/** @param {Row} row */
function flagsOf(row) {
  return [...row.verdicts.values()].reduce((sum, one) => sum + one.flags.length, 0);
}
