/** Where the conversations of systems come from: texts and files, any number of them. */

import { FILES, takeFiles } from "../asking/picker.ts";
import { field, h } from "../basics/dom.ts";
import { InputError } from "../basics/problem.ts";
import { parseLogs } from "../reading/logs.ts";
import { casesOf, pairing, type Source } from "./pairing.ts";

/** How long (ms) nobody writes before it is told what was read. */
const PAUSE = 300;

interface Row {
  element: HTMLElement;
  name: HTMLInputElement;
  text: HTMLTextAreaElement;
  fallback: string | null;
}

/** Rows of a text and a name each. */
export class Sources {
  readonly element: HTMLElement;
  readonly #list = h("div", { class: "source-list" });
  readonly #told = h("p", { class: "hint", "aria-live": "polite" });
  readonly #rows: Row[] = [];
  #timer = 0;

  constructor() {
    const files = h("input", { type: "file", accept: FILES, multiple: true, onchange: () => void this.#open(files.files) });
    this.element = h("div", { class: "sources" },
      field("Open files", files, "Logs, JSON lines or transcripts; a file or more for each system. Files can be dropped here."),
      this.#list,
      h("div", { class: "row" }, h("button", { type: "button", onclick: () => this.#add().text.focus() }, "Add another system")), this.#told);
    takeFiles(this.element, (dropped) => void this.#open(dropped));
    this.#add();
  }

  #add(): Row {
    const letter = String.fromCharCode(65 + (this.#rows.length % 26));
    const later = () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#tell(), PAUSE);
    };
    const name = h("input", { type: "text", placeholder: "from the logs", autocomplete: "off", oninput: later });
    const text = h("textarea", { rows: 4, dir: "auto", spellcheck: "false", autocomplete: "off", oninput: later });
    const element = h("div", { class: "source" },
      field(this.#rows.length ? `Conversations of system ${letter}` : "Conversations", text), field(`Name of system ${letter}`, name));
    const row: Row = { element, name, text, fallback: letter };
    this.#rows.push(row);
    this.#list.append(element);
    return row;
  }

  async #open(files: FileList | null) {
    for (const file of files ?? []) {
      const row = this.#rows.find(({ text }) => !text.value.trim()) ?? this.#add();
      row.text.value = await file.text();
      row.fallback = file.name.replace(/\.[^.]*$/, "");
    }
    this.#tell();
  }

  /** What stands in the texts. Throws an InputError where that is nothing. */
  read(): Source[] {
    const given = this.#rows.filter(({ text }, index) => index === 0 || text.value.trim());
    return given.map(({ name, text, fallback }) => ({ logs: parseLogs(text.value), name: name.value.trim(), fallback: given.length > 1 ? fallback : null }));
  }

  /** Say what was read, before anything is judged. */
  #tell() {
    this.#told.textContent = "";
    this.#told.classList.remove("warning");
    if (!this.#rows.some(({ text }) => text.value.trim())) return;
    try {
      const sources = this.read();
      const cases = casesOf(sources);
      const systems = [...Map.groupBy(cases, ({ system }) => system)].map(([system, members]) => `${system ?? "no system named"} ${members.length}`);
      this.#told.textContent = `${cases.length} ${cases.length === 1 ? "conversation" : "conversations"} (${systems.join(", ")})${pairing(cases, sources.length)}.`;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.#told.textContent = error.message;
      this.#told.classList.add("warning");
    }
  }
}
