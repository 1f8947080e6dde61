/** Where a conversation comes from: pasted, dropped, opened, or an example. */

import type { Log } from "../../../typescript/src/index.ts";
import { field, h, told } from "../basics/dom.ts";
import { parseLogs } from "../reading/logs.ts";
import { locate } from "../reading/pointing.ts";
import { allExamples } from "./catalogue.ts";

/** How much (characters) an excerpt shows around what it points at. */
const AROUND = 40;
const LONGEST = 160;
export const FILES = ".json,.jsonl,.ndjson,.txt,.md,application/json";

/** A text of conversations. */
export class Picker {
  readonly text = h("textarea", {
    rows: 5, dir: "auto", spellcheck: "false", autocomplete: "off",
    placeholder: "User: Any quiet film about the sea?\nAssistant: Try Paper Lanterns (2014).\n\nor a log, or a list of chat messages, as JSON",
  });
  readonly element: HTMLElement;
  /** Called when somebody picked an example or opened a file. */
  onPick: () => void = () => {};
  readonly #examples = h("div", { class: "row examples", role: "group", "aria-label": "Examples" });

  constructor(label: string) {
    const file = h("input", { type: "file", accept: FILES, multiple: true, onchange: () => void this.#open(file.files) });
    this.element = h("div", { class: "picker" },
      field(label, this.text, "Paste a log, chat messages or a transcript, or drop a file here."),
      h("div", { class: "ways" }, field("Open a file", file),
        h("div", { class: "field" }, h("p", { class: "label" }, "Or look at an example"), this.#examples)));
    takeFiles(this.element, (files) => void this.#open(files));
    void this.#list();
  }

  /** The logs in the text. Throws an InputError where there are none. */
  read(): Log[] {
    return parseLogs(this.text.value);
  }

  write(logs: Log[]) {
    this.text.value = logs.length === 1 ? JSON.stringify(logs[0], null, 2) : logs.map((log) => JSON.stringify(log)).join("\n");
  }

  /** Where in the text a problem's pointer leads. */
  point(pointer: string): { excerpt: string; show: () => void } | null {
    const text = this.text.value;
    const span = locate(text, pointer);
    if (!span) return null;
    const start = Math.max(text.lastIndexOf("\n", span.start) + 1, span.start - AROUND);
    const shown = text.slice(start, Math.min(span.end + AROUND, start + LONGEST)).split("\n").slice(0, 3).join("\n");
    return { excerpt: `line ${text.slice(0, span.start).split("\n").length}: ${shown}`, show: () => this.#select(span.start, span.end) };
  }

  #select(start: number, end: number) {
    this.text.focus();
    this.text.setSelectionRange(start, end);
    const lines = this.text.value.slice(0, start).split("\n").length - 1;
    this.text.scrollTop = Math.max(0, lines * parseFloat(getComputedStyle(this.text).lineHeight) - this.text.clientHeight / 3);
  }

  async #open(files: FileList | null) {
    const texts = await Promise.all([...(files ?? [])].map((file) => file.text()));
    if (texts.length === 1) this.text.value = texts[0] ?? "";
    // Files one below the other, so that what is no log is told where it is read.
    else if (texts.length) this.text.value = texts.map((text) => oneLine(text)).join("\n");
  }

  async #list() {
    for (const { name, request } of await allExamples()) {
      const about = [request.log.domain, `${request.log.messages.length} messages`].filter(Boolean).join(", ");
      this.#examples.append(h("button", { type: "button", class: "chip", title: about, onclick: () => this.#pick(request) }, told(name)));
    }
  }

  #pick(request: object) {
    this.text.value = JSON.stringify(request, null, 2);
    this.onPick();
  }
}

/** Let files be dropped on an element. */
export function takeFiles(element: HTMLElement, take: (files: FileList | null) => void) {
  element.addEventListener("dragover", (event) => { event.preventDefault(); element.classList.add("over"); });
  element.addEventListener("dragleave", () => element.classList.remove("over"));
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    element.classList.remove("over");
    take(event.dataTransfer?.files ?? null);
  });
}

/** A file that is one JSON value on one line; any other, lines for example, as it is. */
function oneLine(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text.trim();
  }
}
