/** Picker of a conversation: pasted, dropped, opened, or an example. */

import type { Log } from "../../../typescript/src/index.ts";
import { field, h, labelOf } from "../basics/dom.ts";
import { writes } from "../basics/keys.ts";
import { showProblem, problemPlace } from "../basics/problem.ts";
import { contentOf, read, type Content } from "../reading/content.ts";
import { locate } from "../reading/pointing.ts";
import { allExamples } from "./catalogue.ts";
import { Formats } from "./formats.ts";
import { LongText } from "./long_text.ts";

/** Characters that an excerpt shows around the place that it points at. */
const AROUND = 40;
const LONGEST = 160;
const HINT = "Paste or drop a transcript, chat messages, a log, or any export that crs-eval import reads.";
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
  readonly #summary = h("p", { class: "hint", role: "note" }, HINT);
  readonly #domain = h("input", { type: "text", placeholder: "from the log", autocomplete: "off" });
  readonly #wanted = h("input", { type: "text", placeholder: "from the log", autocomplete: "off" });
  /** True while the text is one that the service had to import. */
  #imported = false;
  readonly #problem = problemPlace();
  /** The name of the file that the text came from. */
  #name: string | null = null;
  /** The text that is to be imported although it is in our own form. */
  #foreign: string | null = null;
  /** Content read from a text in another format, kept so that it is not sent twice. */
  #read: { key: string; content: Content } | null = null;
  readonly #examples = h("div", { class: "row examples", role: "group", "aria-label": "Examples" });

  constructor(label: string) {
    const file = h("input", { type: "file", accept: FILES, multiple: true, onchange: () => void this.open(file.files) });
    this.element = h("div", { class: "picker" },
      h("div", { class: "text" }, field(label, this.text.area), this.text.note, this.#summary, this.#problem, this.#formats.element),
      h("div", { class: "ways" },
        field("Open a file", file),
        h("details", { open: matchMedia("(min-width: 900px)").matches }, h("summary", {}, "About the conversation"),
          h("div", { class: "row" }, field("Domain", this.#domain), field("Items that the user wanted", this.#wanted, "titles with ; between"))),
        h("div", { class: "field" }, h("p", { class: "label" }, "Or look at an example"), this.#examples)));
    takeDrops(this.element, (files) => void this.open(files), (text) => this.paste(text));
    void this.#list();
  }

  /** The logs in the text. Throws an InputError where there are none, and what the service says of another format. */
  async read(signal?: AbortSignal): Promise<Log[]> {
    const reading = this.#formats.read() ?? (this.#foreign === this.text.value ? {} : null);
    const key = JSON.stringify([this.text.value, this.#name, reading]);
    if (this.#read?.key !== key) {
      this.#tell("");
      const content = await read(this.text.value, this.#name, reading, signal);
      this.#read = { key, content };
      this.#tell(content.summary);
    }
    return this.#read.content.logs.map((log) => this.#described(log));
  }

  /** The log with the domain and the wanted items that somebody gave. */
  #described(log: Log): Log {
    const domain = this.#domain.value.trim();
    const wanted = this.#wanted.value.split(";").map((one) => one.trim()).filter(Boolean);
    return { ...log, ...(domain ? { domain } : {}), ...(wanted.length ? { ground_truth: wanted } : {}) };
  }

  /** Take a text that was pasted somewhere else. */
  paste(text: string) {
    this.#name = null;
    this.#renew();
    this.text.value = text;
    this.text.area.focus({ preventScroll: true });
  }

  /** Forget what was said of an earlier conversation. */
  #renew() {
    this.#tell("");
    this.#domain.value = this.#wanted.value = "";
  }

  /** Let the service import the text that stands there now, whatever its form. */
  reread() {
    this.#foreign = this.text.value;
  }

  #tell(text: string) {
    this.#summary.textContent = text || HINT;
    this.#imported = Boolean(text);
  }

  write(logs: Log[]) {
    this.#name = null;
    this.#renew();
    this.text.value = logs.length === 1 ? JSON.stringify(logs[0], null, 2) : logs.map((log) => JSON.stringify(log)).join("\n");
  }

  /** Returns the place in the text that a problem's pointer leads to. */
  point(pointer: string): { excerpt: string; show: () => void } | null {
    const text = this.text.value;
    // Imported messages stand elsewhere in their text, or nowhere.
    const at = pointer.startsWith("@") ? Math.min(Number(pointer.slice(1)), text.length - 1) : null;
    const span = at !== null ? { start: at, end: at + 1 } : this.#imported ? null : locate(text, pointer);
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
        this.#renew();
        return;
      }
      const reading = this.#formats.read();
      const contents = await Promise.all(given.map(({ name, content }) => read(content, name, reading)));
      this.write(contents.flatMap(({ logs }) => logs));
      this.#tell(contents.map(({ summary }) => summary).filter(Boolean).join(" "));
    } catch (error) {
      showProblem(this.#problem, error);
    }
  }

  async #list() {
    for (const { name, request } of await allExamples()) {
      const about = [request.log.domain, `${request.log.messages.length} messages`].filter(Boolean).join(", ");
      this.#examples.append(h("button", { type: "button", class: "chip", title: about, onclick: () => this.#pick(request) }, labelOf(name)));
    }
  }

  #pick(request: object) {
    this.#name = null;
    this.#renew();
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
