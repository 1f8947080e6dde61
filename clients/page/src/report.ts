/** Draws the results that a report holds: what `crs-eval score --out report.html` and the page's download open with. */

import { h } from "./basics/dom.ts";
import { factsOf, faultsOfRows, findings } from "./many/findings.ts";
import { measuresOf, rowOf, verdictsOf, type Result, type Row } from "./many/rows.ts";
import { Table } from "./many/table.ts";
import { shownOf } from "./verdicts/facts.ts";
import type { Place } from "./views/view.ts";
import { workbench } from "./conversation/workbench.ts";

const results = JSON.parse(document.getElementById("results")?.textContent ?? "[]") as Result[];
const rows = results.map(rowOf);
const opened = h("section", { class: "opened", "aria-label": "The conversation that is open" });
const table = new Table(measuresOf(rows), open);
table.show(rows);
addEventListener("beforeprint", () => table.showAll());

function open({ answer, conversation }: Row, at?: Place) {
  if (!answer) return;
  const place = h("div", { class: "judged" });
  const verdicts = verdictsOf(answer);
  // Results hold the log of a session that was simulated; any other is where it was.
  const title = h("h2", { tabindex: -1 }, conversation);
  opened.replaceChildren(title, place);
  const shown = workbench(place, "log" in answer ? answer.log : null, shownOf(verdicts));
  for (const verdict of verdicts) shown.add(verdict);
  shown.finish(answer);
  shown.end();
  title.focus();
  if (at) shown.show(at.message, at.fault);
}

async function draw(main: HTMLElement) {
  const found = await findings(rows);
  main.replaceChildren(h("h1", {}, "Conversations judged"), factsOf(rows), faultsOfRows(rows, open), ...found, h("section", {}, h("h2", {}, "Conversations"), table.element), opened);
}

void draw(document.getElementById("report") ?? document.body);
