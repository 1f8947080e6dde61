/** The view in which people label conversations that were judged, and see what a calibration makes of it. */

import type { CalibrationRating, FactorInfo } from "../../../typescript/src/index.ts";
import { calibrate } from "../asking/api.ts";
import { allFactors } from "../asking/catalogue.ts";
import { field, h } from "../basics/dom.ts";
import { InputError } from "../basics/problem.ts";
import { Results } from "../basics/results.ts";
import { Work } from "../basics/work.ts";
import { contentOf, pastRuns } from "../kept/runs.ts";
import { Desk as LabelDesk } from "../labelling/desk.ts";
import { judgeRatings, labelRatings } from "../labelling/calibrating.ts";
import { calibrationOf } from "../labelling/calibration.ts";
import { annotators, Labels } from "../labelling/labels.ts";
import { labelable, makeSheet } from "../labelling/making.ts";
import { places, type Sheet } from "../labelling/sheet.ts";
import type { Case } from "../many/judging.ts";
import { measuresOf, rowOf } from "../many/rows.ts";
import type { Comparison } from "./compare.ts";
import type { View } from "./view.ts";

const SIZE = 20;

export function labelView(): View {
  const run = h("select", { onchange: () => void take() });
  const asking = h("fieldset", { class: "asking-what" }, h("legend", {}, "What to ask"));
  const chosen = () => [...asking.querySelectorAll("input")].filter((one) => one.checked).map((one) => one.value);
  const size = h("input", { type: "number", min: 2, value: SIZE });
  const name = h("input", { type: "text", maxlength: 80, autocomplete: "off", spellcheck: "false", onkeydown: (event) => { if ((event as KeyboardEvent).key === "Enter" && !(event as KeyboardEvent).ctrlKey) void begin.start(); } });
  const others = h("input", { type: "file", multiple: true, accept: ".jsonl,.ndjson" });
  const results = new Results("calibration", h("p", { class: "empty" }, "What people would give appears here, once some conversations are labelled."));
  const begin = new Work("Begin to label", open, { failing: results });
  const drawing = new Work("Calibrate", draw, { failing: results });
  const place = h("div", { class: "labelling" });
  const none = h("p", { class: "empty", hidden: true }, "People label conversations that were judged: ", h("a", { href: "#compare" }, "judge some"), " first, two or more.");
  const form = h("div", { class: "options-open" },
    h("div", { class: "row" }, field("Conversations of", run), field("How many", size), field("Your name or initials", name)),
    asking,
    h("div", { class: "row" }, field("Labels of others", others, "Files that they exported; they count in the calibration.")),
    h("div", { class: "row" }, begin.element, drawing.element));
  const start = h("div", { class: "label-form" },
    h("h1", { id: "label-title", tabindex: -1 }, "Label conversations"),
    h("p", { class: "lead" }, "Read some of the conversations that were judged and answer what the judge was asked. The answers show what people would give to all of them, and how far to trust the judge."),
    none, form, results.element);
  let cases: Case[] = [];

  /** Offer the comparisons that are kept. */
  async function list() {
    const runs = (await pastRuns().catch(() => [])).filter((one) => one.view === "compare");
    const before = run.value;
    run.replaceChildren(...runs.map((one) => h("option", { value: one.id }, `${one.name}, ${one.says}`)));
    if (runs.some((one) => one.id === before)) run.value = before;
    none.hidden = runs.length > 0;
    form.hidden = !runs.length;
    if (runs.length) await take();
  }

  async function take() {
    const content = await contentOf(run.value) as Comparison | undefined;
    cases = content?.cases ?? [];
    const known = await allFactors();
    const judged = measuresOf(cases.map(rowOf)).flatMap(({ slug }) => known.find((one) => one.slug === slug) ?? []);
    const before = chosen();
    const kept = judged.filter((one) => before.includes(one.slug));
    asking.replaceChildren(h("legend", {}, "What to ask ", h("span", { class: "hint" }, "each is a question for every conversation")), h("div", { class: "boxes" }, ...judged.map((one) => h("label", { title: one.definition },
      h("input", { type: "checkbox", value: one.slug, checked: (kept.length ? kept : judged.slice(0, 1)).includes(one) }), one.name))));
  }

  async function asked(): Promise<FactorInfo[]> {
    const slugs = chosen();
    if (!slugs.length) throw new InputError("Choose what to ask: at least one factor.");
    return (await allFactors()).filter((one) => slugs.includes(one.slug));
  }

  async function sheet(): Promise<Sheet> {
    const factors = await asked();
    const known = labelable(cases, factors.map(({ slug }) => slug));
    if (known.length < 2) throw new InputError("Fewer than two of these conversations have their log and a score: compare some from their logs.");
    return makeSheet(known, factors, size.valueAsNumber || SIZE);
  }

  async function open() {
    const annotator = name.value.trim();
    if (!annotator) throw new InputError("Give your name or initials: labels are kept and exported under it.");
    if (annotator.toLowerCase() === "people") throw new InputError("“people” stands for all annotators together; choose another name.");
    const made = await sheet();
    start.hidden = true;
    new LabelDesk(made, new Labels(made, annotator), place, leave, h("button", { type: "button", onclick: () => { leave(); void drawing.start(); } }, "Calibrate")).open();
  }

  function leave() {
    place.replaceChildren();
    start.hidden = false;
  }

  /** All labels that there are: those given here, and those in files. */
  async function labels(made: Sheet): Promise<CalibrationRating[]> {
    const here = annotators(made).map((one) => new Labels(made, one).export(places(made, one)).text);
    const files = await Promise.all([...(others.files ?? [])].map((file) => file.text()));
    return labelRatings([...here, ...files].join("\n"));
  }

  async function draw(signal: AbortSignal) {
    const made = await sheet();
    const given = await labels(made);
    if (!given.length) throw new InputError("There are no labels yet: begin to label, or give files that others exported.");
    const ratings = [...judgeRatings(cases, made.questions.map(({ slug }) => slug)), ...given];
    await results.draw(async (place) => {
      place.append(...calibrationOf(await calibrate({ ratings }, signal), ratings));
    }, () => false);
    drawing.tell(`Calibrated by ${given.length} labels.`);
  }

  const element = h("section", { id: "view-label", "aria-labelledby": "label-title" }, start, place);
  return { element, shown: list, again: () => void list(), start: () => void begin.start() };
}
