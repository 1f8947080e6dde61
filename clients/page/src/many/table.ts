/** A table of conversations: sorted, filtered, scrolled. */

import { arrange, decimal, field, h, labelOf } from "../basics/dom.ts";
import { faultName, kindsOf } from "../verdicts/faults.ts";
import { overallOf, scaleOf, scoreOf, systemsOf, type Measure, type Row } from "./rows.ts";

/** Rows drawn before it is known how many fit: what a browser lays out well within a frame or two. */
const FEW = 25;
/** Rows drawn above and below those in sight, and how many they move by as somebody scrolls. */
const MARGIN = 6;
const STEP = 4;

const WORDS = new Set(["conversation", "system", "faults"]);
const SHOWN = new Map<string, (row: Row) => boolean>([
  ["all", () => true],
  ["with faults", (row) => row.faults.length > 0],
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
  readonly #box: HTMLElement;
  readonly #table: HTMLTableElement;
  readonly #count = h("p", { class: "hint count", "aria-live": "polite" });
  /** Rows that were drawn: those that stay where they are need not be laid out anew. */
  #drawn = new WeakMap<Row, HTMLTableRowElement>();
  /** Columns in which no row has anything. */
  #bare = new Set<string>();
  #rows: Row[] = [];
  /** The rows that the filters let through, in order, of which `#many` from `#first` are drawn. */
  #chosen: Row[] = [];
  #first = 0;
  #many = FEW;
  /** Height of a row (px); 0 as long as none is shown. */
  #height = 0;
  #sorted: string;
  #falling = false;

  constructor(measures: Measure[], onOpen: (row: Row) => void) {
    this.#onOpen = onOpen;
    const several = measures.length > 1;
    const overall = overallOf(measures);
    this.#columns = ["conversation", "system", ...(several ? [overall] : []), "faults", ...measures.map((one) => one.slug)];
    this.#sorted = several ? overall : measures[0]?.slug ?? "conversation";
    const again = () => this.#again();
    this.#search = h("input", { type: "search", oninput: again });
    this.#system = h("select", { onchange: again }, h("option", { value: "" }, "all"));
    this.#systemField = field("System", this.#system);
    this.#shown = h("select", { onchange: again }, ...[...SHOWN.keys()].map((name) => h("option", {}, name)));
    this.#heads = this.#columns.map((name) => this.#head(name));
    this.#table = h("table", { class: "conversations" }, h("thead", {}, h("tr", {}, ...this.#heads)), this.#body);
    this.#box = h("div", { class: "scroll long", role: "region", "aria-label": "Conversations", tabindex: 0, onscroll: () => this.#scrolled() }, this.#table);
    this.element = h("div", { class: "table" },
      h("div", { class: "row controls" }, field("Search", this.#search), this.#systemField, field("Show", this.#shown)),
      h("p", { class: "hint controls" }, "The worst come first. A column's name sorts by it; a conversation's opens its verdicts."),
      this.#count, this.#box);
    new ResizeObserver(() => this.#measure()).observe(this.#box);
  }

  #head(name: string): HTMLTableCellElement {
    return h("th", { scope: "col", "data-column": name, class: WORDS.has(name) ? "" : "number" }, h("button", { type: "button", onclick: () => this.#sort(name) }, labelOf(name)));
  }

  /** Sort by a column; the same one again turns the order. */
  #sort(name: string) {
    this.#falling = this.#sorted === name && !this.#falling;
    this.#sorted = name;
    this.#again();
  }

  /** Draw from the top: something else is looked for. */
  #again() {
    this.#first = 0;
    this.#box.scrollTop = 0;
    this.#render();
  }

  /** Draw every row, for paper. */
  showAll() {
    this.#first = 0;
    this.#many = Infinity;
    this.#arrange();
  }

  /** Learn how high rows are, and how many fit. Called between layout and paint, where asking costs nothing. */
  #measure() {
    const drawn = this.#body.children.length;
    if (!drawn || !this.#body.offsetHeight || this.#many === Infinity) return;
    this.#height = this.#body.offsetHeight / drawn;
    this.#many = Math.ceil(this.#box.clientHeight / this.#height) + 2 * MARGIN + STEP;
    this.#arrange();
  }

  #scrolled() {
    if (!this.#height) return;
    const top = Math.floor(this.#box.scrollTop / this.#height) - MARGIN;
    const first = Math.max(0, Math.floor(top / STEP) * STEP);
    if (first === this.#first) return;
    this.#first = first;
    this.#arrange();
  }

  show(rows: Row[]) {
    this.#rows = rows;
    const systems = systemsOf(rows).filter((one) => one !== null);
    if (this.#system.options.length !== systems.length + 1) {
      this.#system.replaceChildren(h("option", { value: "" }, "all"), ...systems.map((one) => h("option", { value: one }, one)));
    }
    this.#systemField.hidden = systems.length < 2;
    const bare = this.#columns.filter((name) => !rows.some((row) => says(row, name)));
    if (bare.join() !== [...this.#bare].join()) {
      this.#bare = new Set(bare);
      this.#drawn = new WeakMap();
      this.#heads.forEach((head, index) => { head.hidden = this.#bare.has(this.#columns[index] ?? ""); });
    }
    this.#render();
  }

  #choose(): Row[] {
    const words = this.#search.value.trim().toLowerCase();
    const fits = SHOWN.get(this.#shown.value) ?? (() => true);
    const system = this.#system.value;
    const kept = this.#rows.filter((row) => (!system || row.system === system) && fits(row) && `${row.conversation} ${row.system ?? ""} ${row.faults.map((one) => faultName(one.fault)).join(" ")}`.toLowerCase().includes(words));
    const keyed = kept.map((row) => ({ row, key: valueOf(row, this.#sorted) }));
    const sign = this.#falling ? -1 : 1;
    // Rows without a score come last, in either order.
    keyed.sort((a, b) => Number(a.key === null) - Number(b.key === null) || sign * compare(a.key, b.key));
    return keyed.map((one) => one.row);
  }

  #render() {
    this.#chosen = this.#choose();
    for (const head of this.#heads) {
      const mine = head.dataset.column === this.#sorted;
      head.setAttribute("aria-sort", mine ? (this.#falling ? "descending" : "ascending") : "none");
    }
    const [fit, all] = [this.#chosen.length, this.#rows.length];
    this.#count.textContent = fit === all ? `${all} ${all === 1 ? "conversation" : "conversations"}` : `${fit || "None"} of ${all} conversations`;
    this.#arrange();
  }

  /** Draw the rows about those in sight; the room of the others stays empty. */
  #arrange() {
    const rows = this.#chosen.slice(this.#first, this.#first + this.#many);
    arrange(this.#body, rows.map((row, index) => {
      const drawn = this.#drawn.get(row) ?? this.#row(row);
      this.#drawn.set(row, drawn);
      drawn.ariaRowIndex = String(this.#first + index + 2);
      return drawn;
    }));
    this.#table.ariaRowCount = String(this.#chosen.length + 1);
    this.#table.style.marginTop = `${this.#first * this.#height}px`;
    this.#table.style.marginBottom = `${(this.#chosen.length - this.#first - rows.length) * this.#height}px`;
  }

  #row(row: Row): HTMLTableRowElement {
    const name = row.answer
      ? h("button", { type: "button", class: "link", dir: "auto", title: row.conversation, onclick: () => this.#onOpen(row) }, row.conversation)
      : h("bdi", {}, row.conversation);
    const cells = this.#columns.slice(1).filter((column) => !this.#bare.has(column)).map((column) => cell(row, column));
    return h("tr", {}, h("th", { scope: "row" }, name, row.failure ? h("span", { class: "failure" }, row.failure.detail) : null), ...cells);
  }
}

function cell(row: Row, column: string): HTMLTableCellElement {
  if (column === "system") return h("td", { class: "word", dir: "auto" }, row.system);
  if (column === "faults") {
    const [worst, ...others] = kindsOf(row.faults).map(({ fault }) => faultName(fault));
    return h("td", { class: "word", title: [worst, ...others].join(", ") }, worst, others.length > 0 && ` +${others.length}`);
  }
  const score = scoreOf(row, column);
  if (score !== null) {
    const { min, max } = scaleOf(row, column);
    return h("td", { class: "number score", "--share": (score - min) / (max - min) }, decimal(score));
  }
  const status = row.verdicts.get(column)?.status;
  return h("td", { class: `number none ${status ?? ""}`, title: status?.replaceAll("_", " ") }, status === "failed" ? "failed" : status ? "n/a" : "");
}

/** Returns true where a column tells something of a row. */
function says(row: Row, column: string): boolean {
  return column === "faults" || (valueOf(row, column) ?? null) !== null || row.verdicts.get(column)?.status === "failed";
}

function valueOf(row: Row, column: string): string | number | null {
  if (column === "conversation") return row.conversation;
  if (column === "system") return row.system;
  return column === "faults" ? row.faults.length : scoreOf(row, column);
}

const collator = new Intl.Collator(undefined, { numeric: true });

function compare(a: string | number | null, b: string | number | null): number {
  return typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a ?? ""), String(b ?? ""));
}
