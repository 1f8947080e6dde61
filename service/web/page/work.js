/** One piece of work at a time in a view: started by a button, stopped by another, told in a line. */

import { h } from "./dom.js";
import { problemPlace, showProblem } from "./problem.js";

/** Buttons, status line and place for errors of a view. */
export class Work {
  /** @param {string} label @param {(signal: AbortSignal) => Promise<void>} run */
  constructor(label, run) {
    this.run = run;
    /** @type {AbortController | null} */
    this.controller = null;
    this.button = h("button", { type: "button", class: "primary", onclick: () => void this.start() }, label);
    this.stop = h("button", { type: "button", hidden: true, onclick: () => this.controller?.abort() }, "Stop");
    this.status = h("p", { role: "status", class: "status" });
    this.problem = problemPlace();
    this.element = h("div", { class: "work" }, h("div", { class: "row" }, this.button, this.stop, this.status), this.problem);
  }

  /** Say how far it is. @param {string} text */
  tell(text) {
    this.status.textContent = text;
  }

  async start() {
    this.controller?.abort();
    const controller = new AbortController();
    this.controller = controller;
    this.#busy(true);
    this.problem.replaceChildren();
    try {
      await this.run(controller.signal);
    } catch (error) {
      this.tell(controller.signal.aborted ? "Stopped." : "");
      showProblem(this.problem, error);
    } finally {
      if (this.controller === controller) this.#busy(false);
    }
  }

  /** @param {boolean} busy */
  #busy(busy) {
    this.button.disabled = busy;
    this.stop.hidden = !busy;
  }
}
