/** Draws the results that a report holds: what `crs-eval score --out report.html` and the page's download open with. */

import { h } from "./dom.ts";
import { factsOf, findings } from "./findings.ts";
import { measuresOf, rowOf, type Result, type Row } from "./rows.ts";
import { Table } from "./table.ts";
import { Verdicts } from "./verdicts.ts";

const results = JSON.parse(document.getElementById("results")?.textContent ?? "[]") as Result[];
const rows = results.map(rowOf);
const opened = h("section", { class: "opened", "aria-label": "The conversation that is open" });
const table = new Table(measuresOf(rows), open);
table.show(rows);

function open(row: Row) {
  if (!row.answer) return;
  const verdicts = Verdicts.of(row.answer);
  const title = h("h2", { tabindex: -1 }, row.conversation);
  opened.replaceChildren(title, verdicts.overview, verdicts.cardList);
  title.focus();
}

async function draw(main: HTMLElement) {
  const found = await findings(rows);
  main.replaceChildren(h("h1", {}, "Conversations judged"), factsOf(rows), ...found, h("section", {}, h("h3", {}, "Conversations"), table.element), opened);
}

void draw(document.getElementById("report") ?? document.body);
