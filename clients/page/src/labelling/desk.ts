/** Desk of one annotator: a conversation, its questions, single keys. */

import { download, h } from "../basics/dom.ts";
import { writes } from "../basics/keys.ts";
import type { Labels } from "./labels.ts";
import { places, type Item, type Place, type Question, type Sheet } from "./sheet.ts";
import { Transcript } from "../conversation/transcript.ts";

const UNSAID = "x";
const BACK = "b";
const NEXT = "n";

export class Desk {
  readonly #sheet: Sheet;
  readonly #labels: Labels;
  readonly #main: HTMLElement;
  readonly #places: Place[];
  readonly #leave: () => void;
  readonly #more: HTMLElement[];
  readonly #title = h("h1", { tabindex: -1 });
  readonly #progress = h("progress", { "aria-label": "Conversations labelled" });
  readonly #status = h("p", { class: "status", role: "status" });
  readonly #unkept = h("p", { class: "problem", role: "alert", hidden: true }, "This browser does not keep your answers. Export them before you close it.");
  readonly #keys = h("input", { type: "checkbox", checked: true });
  readonly #body = h("div", {});
  #at = 0;
  #asked = 0;
  #fieldsets: HTMLFieldSetElement[] = [];

  /** `leave` is called when another annotator takes over; `more` are buttons beside those of the sheet. */
  constructor(sheet: Sheet, labels: Labels, main: HTMLElement, leave: () => void, ...more: HTMLElement[]) {
    this.#sheet = sheet;
    this.#labels = labels;
    this.#main = main;
    this.#leave = leave;
    this.#more = more;
    this.#places = places(sheet, labels.annotator);
    this.#progress.max = this.#places.length;
  }

  /** Show the first conversation that is not labelled. */
  open() {
    const press = (event: KeyboardEvent) => this.#press(event);
    const button = (text: string, act: () => void) => h("button", { type: "button", onclick: act }, text);
    const leave = () => {
      document.removeEventListener("keydown", press);
      this.#leave();
    };
    this.#main.replaceChildren(
      h("div", { class: "label-head" }, this.#title, this.#progress,
        h("div", { class: "row" },
          button("Back", () => this.#go(-1)), button("Next", () => this.#go(1)), button("Export", () => this.#export()), ...this.#more,
          button(`Not ${this.#labels.annotator}?`, leave), h("label", {}, this.#keys, " Answer by single keys"), this.#status),
        this.#unkept),
      this.#body);
    document.addEventListener("keydown", press);
    for (const one of this.#more) one.addEventListener("click", () => document.removeEventListener("keydown", press));
    this.#show(this.#firstOpen());
  }

  /** The first place without an answer; one beyond the last where there is none. */
  #firstOpen(): number {
    const first = this.#places.findIndex((place) => !this.#labels.done(place));
    return first < 0 ? this.#places.length : first;
  }

  #go(step: number) {
    this.#show(Math.min(Math.max(this.#at + step, 0), this.#places.length));
  }

  #show(at: number) {
    this.#at = at;
    const place = this.#places[at];
    const item = place && this.#sheet.items[place.item];
    this.#progress.value = this.#done();
    this.#title.textContent = place ? `Conversation ${at + 1} of ${this.#places.length}` : "The end of the sheet";
    if (place && item) this.#read(place, item);
    else this.#end();
    scrollTo(0, 0);
    this.#title.focus({ preventScroll: true });
  }

  #read(place: Place, item: Item) {
    const answers = this.#labels.of(place);
    this.#fieldsets = this.#sheet.questions.map((question, index) => this.#question(question, index, item));
    for (const [index, { slug }] of this.#sheet.questions.entries()) {
      if (slug in answers) this.#check(index, answers[slug] ?? null);
    }
    this.#body.replaceChildren(h("div", { class: "bench label-bench" },
      h("div", { class: "pane beside", role: "region", "aria-label": "Conversation", tabindex: 0 }, wanted(item), new Transcript(item.log).element),
      h("div", { class: "pane" }, ...this.#fieldsets,
        h("p", { class: "hint" }, "Keys: a level's number answers; ", h("kbd", {}, UNSAID), " cannot say, ", h("kbd", {}, BACK), " back, ", h("kbd", {}, NEXT), " next."))));
    const first = this.#sheet.questions.findIndex(({ slug }) => !(slug in answers));
    this.#ask(Math.max(first, 0));
  }

  #question(question: Question, index: number, item: Item): HTMLFieldSetElement {
    const option = (level: number | null, text: string) => h("label", {},
      h("input", { type: "radio", name: question.slug, value: level ?? "", onchange: () => this.#answer(index, level) }),
      keyOf(level) ? h("kbd", {}, keyOf(level)) : h("span", {}, String(level)), h("span", {}, text));
    const note = Object.hasOwn(question.notes, item.domain) ? question.notes[item.domain] : question.notes.other;
    return h("fieldset", { class: "question", onfocusin: () => this.#ask(index) },
      h("legend", {}, question.name),
      h("p", {}, question.question),
      note ? h("p", { class: "hint" }, note) : null,
      h("div", { class: "levels-list" }, ...question.levels.map(({ level, standard }) => option(level, standard)), option(null, "I cannot say")),
      h("details", {}, h("summary", {}, "How to decide"), h("ul", {}, ...question.steps.map((step) => h("li", {}, step))),
        h("p", {}, "Does not count here:"), h("ul", {}, ...question.excludes.map((one) => h("li", {}, one)))));
  }

  #ask(index: number) {
    this.#asked = index;
    for (const [place, fieldset] of this.#fieldsets.entries()) {
      if (place === index) fieldset.setAttribute("aria-current", "true");
      else fieldset.removeAttribute("aria-current");
    }
  }

  #check(index: number, level: number | null) {
    const input = this.#fieldsets[index]?.querySelector<HTMLInputElement>(`input[value="${level ?? ""}"]`);
    if (input) input.checked = true;
  }

  #answer(index: number, level: number | null) {
    const place = this.#places[this.#at];
    const question = this.#sheet.questions[index];
    if (!place || !question) return;
    this.#labels.set(place, question.slug, level);
    this.#unkept.hidden = this.#labels.kept;
    this.#progress.value = this.#done();
    this.#status.textContent = `${question.name}: ${level ?? "cannot say"}`;
  }

  #press(event: KeyboardEvent) {
    if (!this.#keys.checked || !this.#main.checkVisibility() || writes(event.target) || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === BACK) this.#go(-1);
    else if (event.key === NEXT) this.#go(1);
    else this.#pressLevel(event.key);
  }

  #pressLevel(key: string) {
    const place = this.#places[this.#at];
    const question = this.#sheet.questions[this.#asked];
    const levels = [null, ...(question?.levels ?? []).map(({ level }) => level)];
    const level = levels.find((one) => keyOf(one) === key);
    if (!place || level === undefined) return;
    this.#check(this.#asked, level);
    this.#answer(this.#asked, level);
    if (this.#asked + 1 < this.#fieldsets.length) {
      this.#ask(this.#asked + 1);
      this.#fieldsets[this.#asked]?.scrollIntoView({ block: "nearest" });
    } else if (this.#labels.done(place)) this.#go(1);
    else this.#ask(this.#sheet.questions.findIndex(({ slug }) => !(slug in this.#labels.of(place))));
  }

  #end() {
    const open = this.#places.length - this.#done();
    this.#body.replaceChildren(h("div", { class: "label-start" },
      h("p", {}, open ? `${open} of ${this.#places.length} conversations still have open questions.` : "Every conversation has its labels. Export them, and give the file to the person who asked for it."),
      open ? h("button", { type: "button", onclick: () => this.#show(this.#firstOpen()) }, "Show the first of them") : null,
      h("button", { type: "button", class: "primary", onclick: () => this.#export() }, "Export the labels")));
  }

  #done(): number {
    return this.#places.filter((place) => this.#labels.done(place)).length;
  }

  #export() {
    const { text, count } = this.#labels.export(this.#places);
    const name = `labels-${this.#labels.annotator.replaceAll(/[^\p{L}\p{N}_-]+/gu, "-")}.jsonl`;
    download(name, new Blob([text], { type: "application/x-ndjson" }));
    this.#status.textContent = `${count} labels are in ${name}.`;
  }
}

/** The key that gives a level: its number where that is one digit. */
function keyOf(level: number | null): string | null {
  if (level === null) return UNSAID;
  return level >= 0 && level <= 9 ? String(level) : null;
}

/** Known wishes of the user, where a question is about them. */
function wanted({ wanted, user }: Item): HTMLElement | null {
  if (!wanted.length && !user.length) return null;
  return h("section", { class: "wanted", "aria-label": "What the user wanted" },
    h("h2", { class: "who" }, "What the user wanted"),
    h("ul", {}, ...[...wanted, ...user].map((text) => h("li", { dir: "auto" }, text))));
}
