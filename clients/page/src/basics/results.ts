/** The place where a view shows what came of its work, and what went wrong with it. */

import { h, type Child } from "./dom.ts";
import { problemPlace } from "./problem.ts";
import type { Failing } from "./work.ts";

/** Lowest beginning of results (share of the screen's height) at which people still see that they are there. */
const SEEN = 0.7;

/** Each work draws into an element of its own, so that what stood there before is not lost with it. */
export class Results implements Failing {
  readonly element: HTMLElement;
  readonly problem = problemPlace();
  readonly #kind: string;
  readonly #earlier = h("p", { class: "earlier", hidden: true }, "The results below are of earlier work.");
  readonly #place: HTMLElement;
  readonly #empty: HTMLElement;
  #shown: HTMLElement;
  /** Part of an answer that broke off. */
  #part: HTMLElement | null = null;

  /** `before` is what stands there before anything came. */
  constructor(kind: string, ...before: Child[]) {
    this.#kind = kind;
    this.#shown = this.#empty = h("div", { class: kind }, ...before);
    this.#place = h("div", {}, this.#shown);
    this.element = h("div", { class: "results" }, this.problem, this.#earlier, this.#place);
  }

  /** True while nothing was drawn. */
  get empty(): boolean {
    return this.#shown === this.#empty;
  }

  failed(failed: boolean) {
    this.#earlier.hidden = !failed || this.empty || this.#shown === this.#part;
  }

  /** An empty element in place of what was shown. */
  renew(): HTMLElement {
    this.#put(h("div", { class: this.#kind }));
    return this.#shown;
  }

  #reveal() {
    if (!this.#place.checkVisibility() || this.#place.getBoundingClientRect().top <= SEEN * innerHeight) return;
    this.element.classList.add("sought");  // room to scroll to, while little is drawn
    this.element.scrollIntoView();
  }

  /** Let `fill` draw into a new element. Where it fails before anything came, what was shown before comes back.
   * `asked`: somebody waits for it, and it is brought into sight; on a phone the form fills the screen. */
  async draw(fill: (place: HTMLElement) => Promise<void>, came: () => boolean, asked = true) {
    const before = this.#shown;
    const place = this.renew();
    if (asked) this.#reveal();
    try {
      await fill(place);
    } catch (error) {
      if (came()) this.#part = place;
      else if (this.#shown === place) this.#put(before);
      throw error;
    } finally {
      this.element.classList.remove("sought");
    }
  }

  #put(element: HTMLElement) {
    this.#shown = element;
    this.#place.replaceChildren(element);
  }
}
