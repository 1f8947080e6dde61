/** The view of many conversations, of one system or several. */

import { allFaults, resolve } from "../asking/catalogue.ts";
import { Options, type Asked } from "../asking/options.ts";
import { field, frame, h, pacer } from "../basics/dom.ts";
import { InputError } from "../basics/problem.ts";
import { Results } from "../basics/results.ts";
import { Work } from "../basics/work.ts";
import { keepRun, runOf } from "../kept/keeping.ts";
import { contentOf, pastRuns, type Run } from "../kept/runs.ts";
import { downloads } from "../kept/share.ts";
import { faultTable } from "../many/faults.ts";
import { factsOf, faultsOfRows, findings } from "../many/findings.ts";
import { judgeAll, type Case } from "../many/judging.ts";
import { casesOf, pairing } from "../many/pairing.ts";
import { measuresOf, rowOf, systemsOf, type Measure, type Row } from "../many/rows.ts";
import { Sources } from "../many/sources.ts";
import { Table } from "../many/table.ts";
import type { Log } from "../../../typescript/src/index.ts";
import type { Open } from "../many/faults.ts";
import type { Desk, View } from "./view.ts";

/** The table is drawn anew at most this often (ms) while answers come. */
const PAUSE = 250;

/** Results of many conversations, and their request. */
export interface Comparison {
  cases: Case[];
  asked?: object;
}

export function compareView({ show }: Desk): View {
  const sources = new Sources();
  const options = new Options();
  const results = new Results("compare", h("p", { class: "empty" }, "A leaderboard appears here, with differences between systems, distributions of scores, and each conversation."));
  const work = new Work("Compare", run, { failing: results });
  const form = h("details", { class: "form", open: true }, h("summary", {}, "What is compared"), sources.element, options.element);
  // Browsers paint what a closed `details` holds: with megabytes of text that takes them seconds.
  const fold = () => { sources.element.hidden = !form.open; };
  form.addEventListener("toggle", fold);

  async function run(signal: AbortSignal) {
    const given = await sources.read(signal);
    const cases = casesOf(given);
    const asked = options.read();
    if (!asked.factors.length && !asked.rubrics) throw new InputError("No factor is chosen.");
    const paired = pairing(cases, given.length);
    const [factors] = await Promise.all([resolve(asked), allFaults()]);
    let count = 0;
    await results.draw(async (place) => {
      const sheet = new Sheet(place, factors, show);
      try {
        count = await judge(sheet, cases, asked, signal);
      } finally {
        count = cases.filter((one) => one.answer || one.failure).length;
        if (count) await sheet.finish({ cases: cases.filter((one) => one.answer || one.failure), asked }, true);
      }
    }, () => count > 0);
    form.open = false;
    fold();
    if (work.element.getBoundingClientRect().top < 0) work.element.scrollIntoView();
    work.tell(`${count} ${count === 1 ? "conversation" : "conversations"} judged${paired}.`);
  }

  async function judge(sheet: Sheet, cases: Case[], asked: Asked, signal: AbortSignal): Promise<number> {
    const pace = pacer();
    let drawn = -Infinity;
    let count = 0;
    for await (const one of judgeAll(cases, asked, signal)) {
      sheet.add(one);
      count++;
      if (performance.now() - drawn > PAUSE) {
        sheet.table();
        work.tell(`${count} of ${cases.length} conversations`);
        drawn = performance.now();
      }
      await pace();
    }
    return count;
  }

  async function open(content: unknown) {
    await allFaults();
    const { cases, asked } = content as Comparison;
    const sheet = new Sheet(results.renew(), measuresOf(cases.map(rowOf)), show);
    for (const one of cases) sheet.add(one);
    form.open = false;
    fold();
    await sheet.finish({ cases, ...(asked ? { asked } : {}) }, false);
    work.tell(`${cases.length} ${cases.length === 1 ? "conversation" : "conversations"} judged.`);
  }

  const element = h("section", { id: "view-compare", "aria-labelledby": "compare-title" },
    h("h1", { id: "compare-title", tabindex: -1 }, "Compare conversations and systems"),
    h("p", { class: "lead" }, "Judge many conversations at once: see which are worst, and which of several systems is better, and how sure that is."),
    form, work.element, results.element);
  return { element, open, start: () => void work.start(), pasted: (text) => sources.paste(text), dropped: (files) => void sources.open(files) };
}

/** Display of many conversations: findings above, the table of them below. */
class Sheet {
  readonly #rows = new Map<Row, Case>();
  #earlier = new Map<Row, Case>();
  readonly #files = h("div", { class: "row take-away", role: "group", "aria-label": "Take it away" });
  readonly #found = h("div", { class: "found" });
  readonly #faults = h("div");
  readonly #table: Table;
  readonly #open: Open;

  constructor(place: HTMLElement, measures: Measure[], show: Desk["show"]) {
    this.#open = (row, at) => row.answer && show(this.#logOf(row), row.answer, row.conversation, at);
    this.#table = new Table(measures, this.#open);
    place.append(this.#found, this.#files, h("section", {}, h("h2", {}, "Conversations"), this.#table.element));
  }

  #logOf(row: Row): Log | null {
    return (this.#rows.get(row) ?? this.#earlier.get(row))?.log ?? null;
  }

  add(one: Case) {
    this.#rows.set(rowOf(one), one);
  }

  table() {
    this.#table.show([...this.#rows.keys()]);
  }

  /** All is there: show what it comes to, in the order of the cases. */
  async finish(comparison: Comparison, fresh: boolean) {
    const order = new Map(comparison.cases.map((one, index) => [one, index]));
    const rows = [...this.#rows].sort(([, a], [, b]) => (order.get(a) ?? 0) - (order.get(b) ?? 0)).map(([row]) => row);
    this.#table.show(rows);
    const systems = systemsOf(rows).map((one) => one ?? "unnamed");
    const run = runOf("compare", systems.join(", "), `${rows.length} ${rows.length === 1 ? "conversation" : "conversations"}`, comparison);
    this.#files.replaceChildren(...downloads(run, rows));
    const [first, ...rest] = await findings(rows);
    const spoken = first?.matches(".verdict, .warning") ? [first] : [];
    if (fresh) await keepRun(run);
    this.#found.replaceChildren(...spoken, factsOf(rows), this.#faults);
    await this.#compareFaults(run, rows);
    // One frame each: laying all of them out in one would hold the browser up.
    for (const section of spoken.length ? rest : [first, ...rest]) {
      if (section) this.#found.append(section);
      await frame();
    }
  }

  /** The faults of these rows, and beside them those of an earlier run that somebody chooses. */
  async #compareFaults(run: Run, rows: Row[]) {
    const logOf = (row: Row) => this.#logOf(row);
    const alone = () => faultsOfRows(rows, this.#open, logOf);
    const runs = (await pastRuns().catch(() => [])).filter((one) => one.view === run.view && one.id !== run.id && one.at < run.at);
    const choice = h("select", {}, h("option", { value: "" }, "no other run"), ...runs.map((one) => h("option", { value: one.id }, `${one.name}, ${new Date(one.at).toLocaleString()}`)));
    choice.addEventListener("change", () => void (async () => {
      const before = (await contentOf(choice.value) as Comparison | undefined)?.cases.map((one) => [rowOf(one), one] as const) ?? [];
      this.#earlier = new Map(before);
      const sides = [{ name: "the earlier run", rows: [...this.#earlier.keys()] }, { name: "this run", rows }];
      this.#faults.lastElementChild?.replaceWith(choice.value ? faultTable(sides, this.#open, logOf) : alone());
    })());
    this.#faults.replaceChildren(...(runs.length ? [h("div", { class: "row controls" }, field("Compare faults with", choice))] : []), alone());
  }
}
