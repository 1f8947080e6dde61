/** The place where a view shows what came of its work. */

import { h, type Child } from "./dom.ts";

/** Each work draws into an element of its own, so that what stood there before is not lost with it. */
export class Results {
  readonly element: HTMLElement;
  readonly #kind: string;
  #shown: HTMLElement;

  /** `before` is what stands there before anything came. */
  constructor(kind: string, ...before: Child[]) {
    this.#kind = kind;
    this.#shown = h("div", { class: kind }, ...before);
    this.element = h("div", {}, this.#shown);
  }

  /** An empty element in place of what was shown. */
  renew(): HTMLElement {
    this.#put(h("div", { class: this.#kind }));
    return this.#shown;
  }

  /** Let `fill` draw into a new element. Where it fails before anything came, what was shown before comes back. */
  async draw(fill: (place: HTMLElement) => Promise<void>, came: () => boolean) {
    const before = this.#shown;
    const place = this.renew();
    try {
      await fill(place);
    } catch (error) {
      if (!came() && this.#shown === place) this.#put(before);
      throw error;
    }
  }

  #put(element: HTMLElement) {
    this.#shown = element;
    this.element.replaceChildren(element);
  }
}
