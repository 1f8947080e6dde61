/** Where a log comes from: pasted, dropped, opened, or an example. */

import type { Log } from "../../typescript/src/index.ts";
import { allExamples } from "./catalogue.ts";
import { field, h } from "./dom.ts";
import { parseLogs } from "./logs.ts";

/** A text of logs. */
export class Picker {
  readonly text = h("textarea", {
    rows: 7, dir: "auto", spellcheck: "false", autocomplete: "off",
    placeholder: '{"messages": [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}]}',
  });
  readonly element: HTMLElement;

  constructor(label: string, { examples = true } = {}) {
    const file = h("input", { type: "file", accept: ".json,.jsonl,.ndjson,.txt,application/json", onchange: () => void this.#open(file.files) });
    const select = h("select", { onchange: () => void this.#pick(select.value) }, h("option", { value: "" }, "choose…"));
    this.element = h("div", { class: "picker" },
      field(label, this.text, "A log of ours, a list of chat messages, or JSON lines. A file can be dropped here."),
      h("div", { class: "row" }, field("Open a file", file), examples ? field("Or an example", select) : null));
    this.element.addEventListener("dragover", (event) => { event.preventDefault(); this.element.classList.add("over"); });
    this.element.addEventListener("dragleave", () => this.element.classList.remove("over"));
    this.element.addEventListener("drop", (event) => {
      event.preventDefault();
      this.element.classList.remove("over");
      void this.#open(event.dataTransfer?.files ?? null);
    });
    if (examples) void this.#list(select);
  }

  /** The logs in the text. Throws an InputError where there are none. */
  read(): Log[] {
    return parseLogs(this.text.value);
  }

  write(logs: Log[]) {
    this.text.value = logs.length === 1 ? JSON.stringify(logs[0], null, 2) : logs.map((log) => JSON.stringify(log)).join("\n");
  }

  async #open(files: FileList | null) {
    const texts = await Promise.all([...(files ?? [])].map((file) => file.text()));
    if (texts.length === 1) this.text.value = texts[0] ?? "";
    // Files one below the other, so that what is no log is told where it is read.
    else if (texts.length) this.text.value = texts.map((text) => oneLine(text)).join("\n");
  }

  async #list(select: HTMLSelectElement) {
    for (const { name } of await allExamples()) select.append(h("option", {}, name));
  }

  async #pick(name: string) {
    const found = (await allExamples()).find((one) => one.name === name);
    if (found) this.text.value = JSON.stringify(found.request, null, 2);
  }
}

/** A file that is one JSON value on one line; any other, lines for example, as it is. */
function oneLine(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text.trim();
  }
}
