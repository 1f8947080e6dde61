/** Sources of the systems' conversations: texts and files, any number of them. */

import { CrsEvalError, UnreachableError } from "../../../typescript/src/index.ts";
import { FILES, takeDrops } from "../asking/picker.ts";
import { field, h } from "../basics/dom.ts";
import { Formats } from "../asking/formats.ts";
import { LongText } from "../asking/long_text.ts";
import { InputError, problemPlace, showProblem } from "../basics/problem.ts";
import { contentOf, read, type Content } from "../reading/content.ts";
import { casesOf, pairing, type Source } from "./pairing.ts";

/** Pause in typing (ms) after which the page says what it has read. */
const PAUSE = 300;

interface Row {
  element: HTMLElement;
  name: HTMLInputElement;
  text: LongText;
  fallback: string | null;
  /** The file that the text came from. */
  file: string | null;
  /** Content of the text, and the text that it was read from. */
  content: { key: string; content: Content } | null;
}

/** Rows of a text and a name each. */
export class Sources {
  readonly element: HTMLElement;
  readonly #list = h("div", { class: "source-list" });
  readonly #summary = h("p", { class: "hint", "aria-live": "polite" });
  readonly #problem = problemPlace();
  readonly #formats = new Formats();
  readonly #rows: Row[] = [];
  #timer = 0;
  #telling = new AbortController();

  constructor() {
    const files = h("input", { type: "file", accept: FILES, multiple: true, onchange: () => void this.open(files.files) });
    this.element = h("div", { class: "sources" },
      field("Open files", files, "Logs, or anything that crs-eval import reads; a file or more for each system. Files can be dropped here."),
      this.#list,
      h("div", { class: "row" }, h("button", { type: "button", onclick: () => this.#add().text.area.focus() }, "Add another system")), this.#formats.element, this.#summary, this.#problem);
    takeDrops(this.element, (dropped) => void this.open(dropped), (text) => this.paste(text));
    this.#add();
  }

  #add(): Row {
    const letter = String.fromCharCode(65 + (this.#rows.length % 26));
    const later = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => void this.#tell(), PAUSE);
    };
    const name = h("input", { type: "text", placeholder: "from the logs", autocomplete: "off", oninput: later });
    const text = new LongText({ rows: 4, dir: "auto", spellcheck: "false", autocomplete: "off", placeholder: "A log in each line, or any export. Conversations of the same id are compared with each other." }, () => { row.file = null; later(); });
    const element = h("div", { class: "source" },
      field(this.#rows.length ? `Conversations of system ${letter}` : "Conversations", text.area), text.note, field(`Name of system ${letter}`, name));
    const row: Row = { element, name, text, fallback: letter, file: null, content: null };
    this.#rows.push(row);
    this.#list.append(element);
    return row;
  }

  /** Take files, each as a system. */
  async open(files: FileList | null) {
    this.#problem.replaceChildren();
    try {
      for (const file of files ?? []) {
        const given = await contentOf(file);
        const text = typeof given === "string" ? given : (await read(given, file.name, this.#formats.read())).logs.map((log) => JSON.stringify(log)).join("\n");
        const row = this.#rows.find((one) => !one.text.value.trim()) ?? this.#add();
        row.text.value = text;
        row.file = file.name;
        row.fallback = file.name.replace(/\.[^.]*$/, "");
      }
    } catch (error) {
      showProblem(this.#problem, error);
    }
    await this.#tell();
  }

  /** Take a text that was pasted beside every field, for the first system that has none. */
  paste(text: string) {
    const row = this.#rows.find((one) => !one.text.value.trim()) ?? this.#add();
    row.text.value = text;
    row.text.area.focus();
    void this.#tell();
  }

  /** Returns the content of the texts. Throws an InputError where they are empty, and the service's problem for other formats. */
  async read(signal?: AbortSignal): Promise<Source[]> {
    const given = this.#rows.filter(({ text }, index) => index === 0 || text.value.trim());
    const sources: Source[] = [];
    for (const row of given) {
      const { logs } = await this.#content(row, signal);
      sources.push({ logs, name: row.name.value.trim(), fallback: given.length > 1 ? row.fallback : null });
    }
    return sources;
  }

  /** Returns the content of a row, read once. */
  async #content(row: Row, signal?: AbortSignal): Promise<Content> {
    const reading = this.#formats.read();
    const key = JSON.stringify([row.file, reading]) + row.text.value;
    if (row.content?.key !== key) row.content = { key, content: await read(row.text.value, row.file, reading, signal) };
    return row.content.content;
  }

  /** Say what was read, before anything is judged. */
  async #tell() {
    this.#telling.abort();
    this.#telling = new AbortController();
    const { signal } = this.#telling;
    this.#summary.textContent = "";
    this.#summary.classList.remove("warning");
    if (!this.#rows.some(({ text }) => text.value.trim())) return;
    try {
      const sources = await this.read(signal);
      if (signal.aborted) return;  // somebody wrote on
      const cases = casesOf(sources);
      const systems = [...Map.groupBy(cases, ({ system }) => system)].map(([system, members]) => `${system ?? "no system named"} ${members.length}`);
      const accounts = this.#rows.map(({ content }) => content?.content.summary).filter(Boolean);
      this.#summary.textContent = [`${cases.length} ${cases.length === 1 ? "conversation" : "conversations"} (${systems.join(", ")})${pairing(cases, sources.length)}.`, ...accounts].join(" ");
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof InputError || error instanceof CrsEvalError || error instanceof UnreachableError)) throw error;
      this.#summary.textContent = error.message;
      this.#summary.classList.add("warning");
    }
  }
}
