/** Draws the results that a report holds: what `crs-eval score --out report.html` and the page's download open with. */

import { h } from "./dom.ts";
import { factsOf, findings } from "./findings.ts";
import { measuresOf, rowOf, verdictsOf, type Result, type Row } from "./rows.ts";
import { Table } from "./table.ts";
import { shownOf } from "./verdicts.ts";
import { workbench } from "./workbench.ts";

const results = JSON.parse(document.getElementById("results")?.textContent ?? "[]") as Result[];
const rows = results.map(rowOf);
const opened = h("section", { class: "opened", "aria-label": "The conversation that is open" });
const table = new Table(measuresOf(rows), open);
table.show(rows);

function open({ answer, conversation }: Row) {
  if (!answer) return;
  const place = h("div", { class: "judged" });
  const verdicts = verdictsOf(answer);
  // Results hold the log of a session that was simulated; any other is where it was.
  const shown = workbench(place, "log" in answer ? answer.log : null, shownOf(verdicts));
  for (const verdict of verdicts) shown.add(verdict);
  shown.finish(answer);
  const title = h("h2", { tabindex: -1 }, conversation);
  opened.replaceChildren(title, place);
  title.focus();
}

async function draw(main: HTMLElement) {
  const found = await findings(rows);
  main.replaceChildren(h("h1", {}, "Conversations judged"), factsOf(rows), ...found, h("section", {}, h("h3", {}, "Conversations"), table.element), opened);
}

void draw(document.getElementById("report") ?? document.body);
