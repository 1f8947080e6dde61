/** A text field that does not draw what is too long to be read there: laying megabytes out would hold the browser up for seconds. */

import { h } from "../basics/dom.ts";

/** A text with more signs is held aside. */
const LONGEST = 100_000;

export class LongText {
  readonly area: HTMLTextAreaElement;
  /** Says what is held aside; empty and hidden otherwise. */
  readonly note = h("p", { class: "held", hidden: true });
  #held: string | null = null;

  /** `changed` is called when a person wrote or pasted. */
  constructor(properties: Record<string, string | number>, changed: () => void) {
    this.area = h("textarea", { ...properties, oninput: changed });
    this.area.addEventListener("paste", (event) => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (text.length <= LONGEST) return;
      event.preventDefault();
      this.value = text;
      changed();
    });
  }

  get value(): string {
    return this.#held ?? this.area.value;
  }

  set value(text: string) {
    const long = text.length > LONGEST;
    this.#hold(long ? text : null);
    this.area.value = long ? "" : text;
  }

  /** Draw what is held aside, so that places in it can be shown. */
  show() {
    if (this.#held === null) return;
    this.area.value = this.#held;
    this.#hold(null);
  }

  #hold(text: string | null) {
    this.#held = text;
    this.note.hidden = text === null;
    this.area.hidden = text !== null;
    this.note.replaceChildren(...(text === null ? [] : [
      `${(text.length / 1e6).toFixed(1)} million signs, not shown. `,
      h("button", { type: "button", class: "link", onclick: () => this.show() }, "Show them"), " ",
      h("button", { type: "button", class: "link", onclick: () => { this.value = ""; this.area.dispatchEvent(new Event("input")); this.area.focus(); } }, "Take them out"),
    ]));
  }
}
