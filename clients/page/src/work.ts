/** One piece of work at a time in a view: started by a button, stopped by another, told in a line. */

import { h } from "./dom.ts";
import { problemPlace, showProblem } from "./problem.ts";

type Run = (signal: AbortSignal) => Promise<void>;

/** Buttons, status line and place for errors of a view. */
export class Work {
  readonly #run: Run;
  #controller: AbortController | null = null;
  readonly #button: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  readonly #status = h("p", { role: "status", class: "status" });
  readonly #problem = problemPlace();
  readonly element: HTMLElement;

  constructor(label: string, run: Run) {
    this.#run = run;
    this.#button = h("button", { type: "button", class: "primary", onclick: () => void this.start() }, label);
    this.#stop = h("button", { type: "button", hidden: true, onclick: () => this.abort() }, "Stop");
    this.element = h("div", { class: "work" }, h("div", { class: "row" }, this.#button, this.#stop, this.#status), this.#problem);
  }

  /** Say how far it is; what went wrong before is over. */
  tell(text: string) {
    this.#status.textContent = text;
    this.#problem.replaceChildren();
  }

  abort() {
    this.#controller?.abort();
  }

  async start() {
    this.abort();
    const controller = new AbortController();
    this.#controller = controller;
    this.#busy(true);
    this.tell("");
    try {
      await this.#run(controller.signal);
    } catch (error) {
      if (this.#controller !== controller) return;  // other work took its place
      this.tell(controller.signal.aborted ? "Stopped." : "");
      showProblem(this.#problem, error);
    } finally {
      if (this.#controller === controller) this.#busy(false);
    }
  }

  #busy(busy: boolean) {
    this.#button.disabled = busy;
    this.#stop.hidden = !busy;
  }
}
