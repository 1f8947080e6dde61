/** The list of past runs: opened, deleted, read from files. */

import { h } from "../basics/dom.ts";
import { FILES } from "../asking/picker.ts";
import { InputError, problemPlace, showProblem } from "../basics/problem.ts";
import { contentOf, forget, pastRuns, type Run, type RunInfo } from "./runs.ts";
import { readRun } from "./run_files.ts";

/** A dialog with what is kept; `open` shows a run in its view. */
export class PastRuns {
  readonly #open: (run: Run) => void;
  readonly #rows = h("ul", { class: "runs" });
  readonly #problem = problemPlace();
  readonly element: HTMLDialogElement;

  constructor(open: (run: Run) => void) {
    this.#open = open;
    const file = h("input", { type: "file", accept: FILES, onchange: () => void this.#read(file) });
    const close = h("button", { type: "button", onclick: () => this.element.close() }, "Close");
    this.element = h("dialog", { "aria-labelledby": "runs-title" },
      h("h2", { id: "runs-title" }, "Past runs"),
      h("p", { class: "hint" }, "They are kept in this browser alone, conversations included, until you delete them."),
      this.#rows, this.#problem,
      h("div", { class: "field" }, h("label", { for: "run-file" }, "Open a run, or results of crs-eval score, from a file"), file),
      close);
    file.id = "run-file";
  }

  async show() {
    this.#problem.replaceChildren();
    await this.#draw();
    this.element.showModal();
  }

  async #draw() {
    try {
      const runs = await pastRuns();
      this.#rows.replaceChildren(...runs.map((run) => this.#row(run)));
      if (!runs.length) this.#rows.replaceChildren(h("li", { class: "hint" }, "No runs are kept yet: your judgements appear here."));
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      this.#rows.replaceChildren(h("li", { class: "hint" }, "This browser keeps no runs. Download those that you need later."));
    }
  }

  #row(run: RunInfo): HTMLElement {
    const open = async () => {
      const content = await contentOf(run.id);
      this.element.close();
      if (content) this.#open({ ...run, content });
    };
    const remove = async () => {
      await forget(run.id);
      await this.#draw();
    };
    return h("li", {},
      h("button", { type: "button", class: "link", dir: "auto", onclick: () => void open() }, run.name),
      h("span", { class: "hint" }, ` ${run.says} · `, h("time", { datetime: run.at }, new Date(run.at).toLocaleString())),
      h("button", { type: "button", class: "quiet", "aria-label": `Delete ${run.name}`, onclick: () => void remove() }, "Delete"));
  }

  async #read(file: HTMLInputElement) {
    try {
      const [chosen] = file.files ?? [];
      if (!chosen) return;
      const run = readRun(await chosen.text(), chosen.name);
      this.element.close();
      this.#open(run);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      showProblem(this.#problem, error);
    } finally {
      file.value = "";
    }
  }
}
