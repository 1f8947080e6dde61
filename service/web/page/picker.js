/** Where a log comes from: pasted, dropped, opened, or an example. */

import { allExamples } from "./catalogue.js";
import { field, h } from "./dom.js";
import { parseLogs } from "./logs.js";

/** @import { Log } from "./wire" */

/** A text of logs. */
export class Picker {
  /** @param {string} label @param {{examples?: boolean}} [options] */
  constructor(label, options = {}) {
    this.text = h("textarea", {
      rows: 7, spellcheck: "false", autocomplete: "off",
      placeholder: '{"messages": [{"role": "user", "content": "…"}, {"role": "assistant", "content": "…"}]}',
    });
    const file = h("input", { type: "file", accept: ".json,.jsonl,.ndjson,.txt,application/json", onchange: () => void this.#open(file.files) });
    const examples = h("select", { onchange: () => void this.#pick(examples) }, h("option", { value: "" }, "choose…"));
    this.element = h("div", { class: "picker" },
      field(label, this.text, "A log of ours, a list of chat messages, or JSON lines. A file can be dropped here."),
      h("div", { class: "row" }, field("Open a file", file), options.examples === false ? null : field("Or an example", examples)));
    this.element.addEventListener("dragover", (event) => { event.preventDefault(); this.element.classList.add("over"); });
    this.element.addEventListener("dragleave", () => this.element.classList.remove("over"));
    this.element.addEventListener("drop", (event) => {
      event.preventDefault();
      this.element.classList.remove("over");
      void this.#open(event.dataTransfer?.files ?? null);
    });
    if (options.examples !== false) void this.#list(examples);
  }

  /** The logs in the text. Throws an Error for people where there are none. @returns {Log[]} */
  read() {
    return parseLogs(this.text.value);
  }

  /** @param {Log[]} logs */
  write(logs) {
    this.text.value = logs.length === 1 ? JSON.stringify(logs[0], null, 2) : logs.map((log) => JSON.stringify(log)).join("\n");
  }

  /** @param {FileList | null} files */
  async #open(files) {
    const texts = await Promise.all([...(files ?? [])].map((file) => file.text()));
    if (texts.length === 1) this.text.value = texts[0] ?? "";
    else if (texts.length) this.write(texts.flatMap(parseLogs));
  }

  /** @param {HTMLSelectElement} select */
  async #list(select) {
    for (const { name } of await allExamples()) select.append(h("option", {}, name));
  }

  /** @param {HTMLSelectElement} select */
  async #pick(select) {
    const found = (await allExamples()).find((one) => one.name === select.value);
    if (found) this.write([found.log]);
  }
}
