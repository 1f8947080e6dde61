/** Where a conversation comes from: pasted, dropped, opened, or an example. */

import type { Log } from "../../../typescript/src/index.ts";
import { field, h, told } from "../basics/dom.ts";
import { writes } from "../basics/keys.ts";
import { showProblem, problemPlace } from "../basics/problem.ts";
import { contentOf, read, type Content } from "../reading/content.ts";
import { locate } from "../reading/pointing.ts";
import { allExamples } from "./catalogue.ts";
import { Formats } from "./formats.ts";
import { LongText } from "./long_text.ts";

/** How much (characters) an excerpt shows around what it points at. */
const AROUND = 40;
const LONGEST = 160;
export const FILES = ".json,.jsonl,.ndjson,.csv,.tsv,.txt,.md,.gz,application/json";

/** A text of conversations. */
export class Picker {
  readonly text = new LongText({
    rows: 5, dir: "auto", spellcheck: "false", autocomplete: "off",
    placeholder: "User: Any quiet film about the sea?\nAssistant: Try Paper Lanterns (2014).\n\nor a log, chat messages, a trace, a table",
  }, () => { this.#name = null; });
  readonly element: HTMLElement;
  /** Called when somebody picked an example or opened a file. */
  onPick: () => void = () => {};
  readonly #formats = new Formats();
  readonly #told = h("p", { class: "hint", role: "note", hidden: true });
  readonly #problem = problemPlace();
  /** The name of the file that the text came from. */
  #name: string | null = null;
  /** The text that is to be imported although it is in our own form. */
  #foreign: string | null = null;
  /** What was read of a text in another format, so that it is not sent twice. */
  #read: { key: string; content: Content } | null = null;
  readonly #examples = h("div", { class: "row examples", role: "group", "aria-label": "Examples" });

  constructor(label: string) {
    const file = h("input", { type: "file", accept: FILES, multiple: true, onchange: () => void this.open(file.files) });
    this.element = h("div", { class: "picker" },
      field(label, this.text.area, "Paste or drop a transcript, chat messages, a log, or any export that crs-eval import reads."),
      this.text.note, this.#told, this.#problem,
      h("div", { class: "ways" }, field("Open a file", file),
        h("div", { class: "field" }, h("p", { class: "label" }, "Or look at an example"), this.#examples)), this.#formats.element);
    takeDrops(this.element, (files) => void this.open(files), (text) => this.paste(text));
    void this.#list();
  }

  /** The logs in the text. Throws an InputError where there are none, and what the service says of another format. */
  async read(signal?: AbortSignal): Promise<Log[]> {
    const reading = this.#formats.read() ?? (this.#foreign === this.text.value ? {} : null);
    const key = JSON.stringify([this.text.value, this.#name, reading]);
    if (this.#read?.key !== key) {
      const content = await read(this.text.value, this.#name, reading, signal);
      this.#read = { key, content };
      this.#tell(content.told);
    }
    return this.#read.content.logs;
  }

  /** Take a text that was pasted somewhere else. */
  paste(text: string) {
    this.#name = null;
    this.text.value = text;
    this.text.area.focus();
  }

  /** Let the service import the text that stands there now, whatever its form. */
  reread() {
    this.#foreign = this.text.value;
  }

  #tell(text: string) {
    this.#told.textContent = text;
    this.#told.hidden = !text;
  }

  write(logs: Log[]) {
    this.#name = null;
    this.#tell("");
    this.text.value = logs.length === 1 ? JSON.stringify(logs[0], null, 2) : logs.map((log) => JSON.stringify(log)).join("\n");
  }

  /** Where in the text a problem's pointer leads. */
  point(pointer: string): { excerpt: string; show: () => void } | null {
    const text = this.text.value;
    // What was imported stands elsewhere in its text, or nowhere.
    const at = pointer.startsWith("@") ? Math.min(Number(pointer.slice(1)), text.length - 1) : null;
    const span = at !== null ? { start: at, end: at + 1 } : this.#told.hidden ? locate(text, pointer) : null;
    if (!span) return null;
    const start = Math.max(text.lastIndexOf("\n", span.start) + 1, span.start - AROUND);
    const end = text.indexOf("\n", span.end);
    const shown = text.slice(start, Math.min(end < 0 ? text.length : end, span.end + AROUND, start + LONGEST)).split("\n").slice(0, 3).join("\n");
    return { excerpt: `line ${text.slice(0, span.start).split("\n").length}: ${shown}`, show: () => this.#select(span.start, span.end) };
  }

  #select(start: number, end: number) {
    const { area } = this.text;
    const from = this.text.show(start);
    area.focus();
    area.setSelectionRange(from, from + end - start);
    const lines = area.value.slice(0, from).split("\n").length - 1;
    area.scrollTop = Math.max(0, lines * parseFloat(getComputedStyle(area).lineHeight) - area.clientHeight / 3);
  }

  /** Take files; one of text stands in the field as it is. */
  async open(files: FileList | null) {
    this.#problem.replaceChildren();
    try {
      const given = await Promise.all([...(files ?? [])].map(async (file) => ({ name: file.name, content: await contentOf(file) })));
      const [only] = given;
      if (!only) return;
      if (given.length === 1 && typeof only.content === "string") {
        this.text.value = only.content;
        this.#name = only.name;
        this.#tell("");
        return;
      }
      const reading = this.#formats.read();
      const contents = await Promise.all(given.map(({ name, content }) => read(content, name, reading)));
      this.write(contents.flatMap(({ logs }) => logs));
      this.#tell(contents.map(({ told }) => told).filter(Boolean).join(" "));
    } catch (error) {
      showProblem(this.#problem, error);
    }
  }

  async #list() {
    for (const { name, request } of await allExamples()) {
      const about = [request.log.domain, `${request.log.messages.length} messages`].filter(Boolean).join(", ");
      this.#examples.append(h("button", { type: "button", class: "chip", title: about, onclick: () => this.#pick(request) }, told(name)));
    }
  }

  #pick(request: object) {
    this.#name = null;
    this.text.value = JSON.stringify(request, null, 2);
    this.onPick();
  }
}

/** Let files and texts be dropped on an element. A field in it takes what it can hold by itself. */
export function takeDrops(element: HTMLElement, takeFiles: (files: FileList) => void, takeText: (text: string) => void) {
  const mine = (event: DragEvent) => {
    const types = event.dataTransfer?.types ?? [];
    if ((event.target as Element).matches("[type=file], dialog *")) return false;
    return types.includes("Files") || (types.includes("text/plain") && !writes(event.target));
  };
  element.addEventListener("dragover", (event) => {
    if (!mine(event)) return;
    event.preventDefault();
    element.classList.add("over");
  });
  element.addEventListener("dragleave", () => element.classList.remove("over"));
  element.addEventListener("drop", (event) => {
    element.classList.remove("over");
    if (!mine(event)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.dataTransfer?.files.length) takeFiles(event.dataTransfer.files);
    else takeText(event.dataTransfer?.getData("text/plain") ?? "");
  });
}
