/** One piece of work at a time in a view: started by a button, stopped by another, reported in a line. */

import { h } from "./dom.ts";
import { problemPlace, showProblem, type Remedies } from "./problem.ts";

type Run = (signal: AbortSignal) => Promise<void>;

/** Place of a view for problems, beside its results. */
export interface Failing {
  /** Element that shows problems. */
  problem: HTMLElement;
  /** Called with false before work, and with true after work that failed: earlier results are then marked as such. */
  failed: (failed: boolean) => void;
}

/** Buttons, status line and place for errors of a view. */
export class Work {
  readonly #run: Run;
  readonly #failing: Failing;
  readonly #remedies: Remedies;
  #controller: AbortController | null = null;
  readonly #button: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  readonly #status = h("p", { role: "status", class: "status" });
  readonly element: HTMLElement;

  /** Errors appear below the buttons, or where `failing` says. */
  constructor(label: string, run: Run, { failing, ...remedies }: Remedies & { failing?: Failing } = {}) {
    this.#run = run;
    this.#failing = failing ?? { problem: problemPlace(), failed: () => {} };
    this.#remedies = { retry: () => void this.start(), ...remedies };
    this.#button = h("button", { type: "button", class: "primary", onclick: () => void this.start() }, label);
    this.#stop = h("button", { type: "button", hidden: true, onclick: () => this.abort() }, "Stop");
    this.element = h("div", { class: "work" }, h("div", { class: "row" }, this.#button, this.#stop, this.#status), failing ? null : this.#failing.problem);
  }

  get busy(): boolean {
    return this.#button.disabled;
  }

  /** Say how far it is; what went wrong before is over. */
  tell(text: string) {
    this.#status.textContent = text;
    this.#failing.problem.replaceChildren();
    this.#failing.failed(false);
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
      showProblem(this.#failing.problem, error, this.#remedies);
      this.#failing.failed(this.#failing.problem.hasChildNodes());
    } finally {
      if (this.#controller === controller) this.#busy(false);
    }
  }

  #busy(busy: boolean) {
    this.#button.disabled = busy;
    this.#stop.hidden = !busy;
  }
}
