/** A sheet for labelling that needs nothing but itself: what `crs-eval label sample` writes draws itself by this. */

import { Desk } from "./labelling/desk.ts";
import { field, h } from "./basics/dom.ts";
import { annotators, Labels } from "./labelling/labels.ts";
import { places, type Sheet } from "./labelling/sheet.ts";

const sheet = JSON.parse(document.getElementById("sheet")?.textContent ?? "{}") as Sheet;
const main = document.getElementById("label") ?? document.body;

function begin(annotator: string) {
  new Desk(sheet, new Labels(sheet, annotator), main, start).open();
}

/** Says what is to be done, and asks who does it. */
function start() {
  const count = sheet.items.length + sheet.repeats;
  const name = h("input", { type: "text", required: true, maxlength: 80, autocomplete: "off", spellcheck: false, pattern: ".*\\S.*" });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const form = h("form", { onsubmit: (event) => {
    event.preventDefault();
    const given = name.value.trim();
    problem.hidden = given.toLowerCase() !== "people";
    problem.textContent = "“people” stands for all annotators together; choose another name.";
    if (given && problem.hidden) begin(given);
  } }, field("Your name or initials", name, "Your labels are kept and exported under it."), problem,
  h("button", { class: "primary" }, "Begin"));
  const known = annotators(sheet).map((annotator) => {
    const labels = new Labels(sheet, annotator);
    const done = places(sheet, annotator).filter((place) => labels.done(place)).length;
    return h("li", {}, h("button", { type: "button", onclick: () => begin(annotator) }, `Go on as ${annotator}: ${done} of ${count} done`));
  });
  main.replaceChildren(h("div", { class: "label-start" },
    h("h1", {}, "Conversations to label"),
    h("p", {}, `You read ${count} conversations between a user and a recommender, one after the other. For each you answer `
      + `${sheet.questions.length === 1 ? "one question" : `${sheet.questions.length} questions`} with the level that describes it best.`),
    h("p", {}, "Rate what you read, by the words beside each level. There is no right answer to find, and nobody is timed. "
      + "Where you cannot tell, choose “I cannot say”."),
    h("p", {}, "Your answers stay in this browser until you export them. Nothing is sent anywhere."),
    known.length ? h("ul", { class: "row", "aria-label": "Annotators who have begun" }, ...known) : null, form));
}

start();
