/** The view of many conversations, of one system or two. */

import type { Log } from "../../typescript/src/index.ts";
import { resolve } from "./catalogue.ts";
import { download, field, h, pacer } from "./dom.ts";
import { asCsv, asReport } from "./files.ts";
import { factsOf, findings } from "./findings.ts";
import { judgeAll, pairing, waiting, type Case } from "./judging.ts";
import { Options } from "./options.ts";
import { Picker } from "./picker.ts";
import { InputError } from "./problem.ts";
import { Results } from "./results.ts";
import { rowOf, type Answer, type Row } from "./rows.ts";
import { Table } from "./table.ts";
import { Work } from "./work.ts";

/** The table is drawn anew at most this often (ms) while answers come. */
const PAUSE = 250;
const LETTERS = ["A", "B"];

/** `onOpen` shows a conversation of the table with its verdicts. */
export function compareView(onOpen: (log: Log, answer: Answer) => void) {
  const sides = LETTERS.map((letter, index) => ({
    letter,
    name: h("input", { type: "text", placeholder: letter, autocomplete: "off" }),
    picker: new Picker(index ? "The same users with another system, if there is one" : "Conversations", { examples: false }),
  }));
  const options = new Options();
  const results = new Results("compare", h("p", { class: "empty" }, "A table appears here, then how the scores are distributed and how two systems differ."));
  const work = new Work("Judge all", run);

  function read(): Case[][] {
    const given = sides.filter(({ picker }, index) => index === 0 || picker.text.value.trim());
    return given.map(({ letter, name, picker }) => waiting(picker.read(), name.value.trim() || (given.length > 1 ? letter : null)));
  }

  async function run(signal: AbortSignal) {
    const given = read();
    const cases = given.flat();
    const asked = options.read();
    if (!asked.factors.length && !asked.rubrics) throw new InputError("No factor is chosen.");
    const paired = pairing(given);
    const factors = await resolve(asked);
    const judged = new Map<Row, Case>();
    const table = new Table(factors, (row) => row.answer && onOpen(judged.get(row)?.log ?? { messages: [] }, row.answer));
    const files = h("div", { class: "row" });
    const found = h("div", { class: "found" });
    const pace = pacer();
    let drawn = -Infinity;
    await results.draw(async (place) => {
      place.append(files, table.element, found);
      try {
        for await (const one of judgeAll(cases, asked, signal)) {
          judged.set(rowOf(one), one);
          if (performance.now() - drawn > PAUSE) {
            table.show([...judged.keys()]);
            work.tell(`${judged.size} of ${cases.length} conversations`);
            drawn = performance.now();
          }
          await pace();
        }
      } finally {
        const rows = [...judged].sort(([, a], [, b]) => cases.indexOf(a) - cases.indexOf(b)).map(([row]) => row);
        table.show(rows);
        if (rows.length) {
          files.replaceChildren(...downloads(rows));
          found.replaceChildren(factsOf(rows), ...(await findings(rows)));
        }
      }
    }, () => judged.size > 0);
    work.tell(`${judged.size} ${judged.size === 1 ? "conversation" : "conversations"} judged${paired}.`);
  }

  const element = h("section", { id: "view-compare", "aria-labelledby": "compare-title" },
    h("h2", { id: "compare-title", tabindex: -1 }, "Compare conversations and systems"),
    h("div", { class: "pickers" }, ...sides.map(({ letter, name, picker }) => h("div", { class: "options" }, picker.element, field(`Name of system ${letter}`, name)))),
    h("div", { class: "options" }, options.element, work.element),
    results.element);
  return { element };
}

/** Buttons for files to take away. */
function downloads(rows: Row[]): HTMLElement[] {
  return [
    h("button", { type: "button", onclick: () => download("crs-eval.csv", asCsv(rows)) }, "Download CSV"),
    h("button", { type: "button", onclick: async () => download("crs-eval.html", await asReport(rows)) }, "Download report"),
  ];
}
