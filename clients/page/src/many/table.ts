/** A table of conversations: sorted, filtered, a page at a time. */

import { decimal, field, h, told } from "../basics/dom.ts";
import { overallOf, scaleOf, scoreOf, systemsOf, type Measure, type Row } from "./rows.ts";

/** Rows on a page: what a browser lays out well within a frame or two, however many there are. */
const PAGE = 25;

const SHOWN = new Map<string, (row: Row) => boolean>([
  ["all", () => true],
  ["with flags", (row) => flagsOf(row) > 0],
  ["with something not assessable", (row) => [...row.verdicts.values()].some((one) => one.status === "not_assessable")],
  ["with something failed", (row) => row.failure !== null || [...row.verdicts.values()].some((one) => one.status === "failed")],
]);

/** The table of conversations. */
export class Table {
  readonly element: HTMLElement;
  readonly #onOpen: (row: Row) => void;
  readonly #columns: string[];
  readonly #heads: HTMLTableCellElement[];
  readonly #body = h("tbody");
  readonly #search: HTMLInputElement;
  readonly #system: HTMLSelectElement;
  readonly #systemField: HTMLElement;
  readonly #shown: HTMLSelectElement;
  readonly #back: HTMLButtonElement;
  readonly #on: HTMLButtonElement;
  readonly #place = h("span", { class: "place-of", "aria-live": "polite" });
  #rows: Row[] = [];
  #sorted: string;
  #falling = false;
  #page = 0;

  constructor(measures: Measure[], onOpen: (row: Row) => void) {
    this.#onOpen = onOpen;
    const several = measures.length > 1;
    const overall = overallOf(measures);
    this.#columns = ["conversation", "system", ...(several ? [overall] : []), ...measures.map((one) => one.slug), "flags"];
    this.#sorted = several ? overall : measures[0]?.slug ?? "conversation";
    const again = () => { this.#page = 0; this.#render(); };
    const turn = (by: number) => () => { this.#page += by; this.#render(); };
    this.#search = h("input", { type: "search", oninput: again });
    this.#system = h("select", { onchange: again }, h("option", { value: "" }, "all"));
    this.#systemField = field("System", this.#system);
    this.#shown = h("select", { onchange: again }, ...[...SHOWN.keys()].map((name) => h("option", {}, name)));
    this.#heads = this.#columns.map((name) => this.#head(name));
    this.#back = h("button", { type: "button", onclick: turn(-1) }, "Previous");
    this.#on = h("button", { type: "button", onclick: turn(1) }, "Next");
    this.element = h("div", { class: "table" },
      h("div", { class: "row controls" }, field("Search", this.#search), this.#systemField, field("Show", this.#shown)),
      h("p", { class: "hint controls" }, "The worst come first. A column's name sorts by it; a conversation's opens its verdicts."),
      h("div", { class: "scroll", role: "region", "aria-label": "Conversations", tabindex: 0 },
        h("table", { class: "conversations" }, h("thead", {}, h("tr", {}, ...this.#heads)), this.#body)),
      h("div", { class: "row controls" }, this.#back, this.#on, this.#place));
  }

  #head(name: string): HTMLTableCellElement {
    const words = name === "conversation" || name === "system";
    return h("th", { scope: "col", "data-column": name, class: words ? "" : "number" }, h("button", { type: "button", onclick: () => this.#sort(name) }, told(name)));
  }

  /** Sort by a column; the same one again turns the order. */
  #sort(name: string) {
    this.#falling = this.#sorted === name && !this.#falling;
    this.#sorted = name;
    this.#page = 0;
    this.#render();
  }

  show(rows: Row[]) {
    this.#rows = rows;
    const systems = systemsOf(rows).filter((one) => one !== null);
    if (this.#system.options.length !== systems.length + 1) {
      this.#system.replaceChildren(h("option", { value: "" }, "all"), ...systems.map((one) => h("option", { value: one }, one)));
    }
    this.#systemField.hidden = systems.length < 2;
    this.#render();
  }

  /** The rows that the filters let through, in order. */
  #chosen(): Row[] {
    const words = this.#search.value.trim().toLowerCase();
    const fits = SHOWN.get(this.#shown.value) ?? (() => true);
    const system = this.#system.value;
    const kept = this.#rows.filter((row) => (!system || row.system === system) && fits(row) && `${row.conversation} ${row.system ?? ""}`.toLowerCase().includes(words));
    const keyed = kept.map((row) => ({ row, key: valueOf(row, this.#sorted) }));
    const sign = this.#falling ? -1 : 1;
    // What has no score comes last, whichever way the rest is sorted.
    keyed.sort((a, b) => Number(a.key === null) - Number(b.key === null) || sign * compare(a.key, b.key));
    return keyed.map((one) => one.row);
  }

  #render() {
    const chosen = this.#chosen();
    const pages = Math.max(1, Math.ceil(chosen.length / PAGE));
    this.#page = Math.min(this.#page, pages - 1);
    const first = this.#page * PAGE;
    this.#body.replaceChildren(...chosen.slice(first, first + PAGE).map((row) => this.#row(row)));
    for (const head of this.#heads) {
      const mine = head.dataset.column === this.#sorted;
      head.setAttribute("aria-sort", mine ? (this.#falling ? "descending" : "ascending") : "none");
    }
    this.#back.hidden = this.#on.hidden = pages === 1;
    this.#back.disabled = this.#page === 0;
    this.#on.disabled = this.#page === pages - 1;
    this.#place.textContent = chosen.length ? `${first + 1} to ${Math.min(first + PAGE, chosen.length)} of ${chosen.length}` : "No conversation fits.";
  }

  #row(row: Row): HTMLTableRowElement {
    const name = row.answer
      ? h("button", { type: "button", class: "link", dir: "auto", title: row.conversation, onclick: () => this.#onOpen(row) }, row.conversation)
      : h("bdi", {}, row.conversation);
    const cells = this.#columns.slice(1).map((column) => cell(row, column));
    return h("tr", {}, h("th", { scope: "row" }, name, row.failure ? h("span", { class: "failure" }, row.failure.detail) : null), ...cells);
  }
}

function cell(row: Row, column: string): HTMLTableCellElement {
  if (column === "system") return h("td", { class: "word", dir: "auto" }, row.system);
  if (column === "flags") return h("td", { class: "number" }, flagsOf(row) || "");
  const score = scoreOf(row, column);
  if (score !== null) {
    const { min, max } = scaleOf(row, column);
    return h("td", { class: "number score", "--share": (score - min) / (max - min) }, decimal(score));
  }
  const status = row.verdicts.get(column)?.status;
  return h("td", { class: `number none ${status ?? ""}`, title: status?.replaceAll("_", " ") }, status === "failed" ? "failed" : status ? "n/a" : "");
}

function valueOf(row: Row, column: string): string | number | null {
  if (column === "conversation") return row.conversation;
  if (column === "system") return row.system;
  return column === "flags" ? flagsOf(row) : scoreOf(row, column);
}

const collator = new Intl.Collator(undefined, { numeric: true });

function compare(a: string | number | null, b: string | number | null): number {
  return typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a ?? ""), String(b ?? ""));
}

function flagsOf(row: Row): number {
  return [...row.verdicts.values()].reduce((sum, one) => sum + one.flags.length, 0);
}
