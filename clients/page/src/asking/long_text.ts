/** A text field for texts of any length. Browsers lay the whole of a field out anew at every key: of a long text it draws a part. */

import { h } from "../basics/dom.ts";

/** Characters that a field draws whole. */
const LONGEST = 50_000;
/** Characters of a longer text that are drawn at a time. */
const PART = 20_000;

export class LongText {
  readonly area: HTMLTextAreaElement;
  /** Says what is not drawn; empty and hidden otherwise. */
  readonly note = h("p", { class: "held", hidden: true });
  readonly #changed: () => void;
  /** Text before and after the part that is drawn. */
  #before = "";
  #after = "";

  /** `changed` is called when a person wrote, pasted or dropped text. */
  constructor(properties: Record<string, string | number>, changed: () => void) {
    this.#changed = changed;
    this.area = h("textarea", { ...properties, oninput: () => this.#written() });
    this.area.addEventListener("paste", (event) => this.#insert(event, event.clipboardData));
    this.area.addEventListener("drop", (event) => this.#insert(event, event.dataTransfer));
  }

  get value(): string {
    return this.#before + this.area.value + this.#after;
  }

  set value(text: string) {
    const long = text.length > LONGEST;
    // As fields do with what they draw: places in the text would shift otherwise.
    this.#draw("", long ? "" : text, long ? text.replace(/\r\n?/g, "\n") : "");
  }

  /** Draw the part of a long text about a place, and return where that place is in the field. */
  show(at: number): number {
    if (this.#before || this.#after) this.#window(at);
    return at - this.#before.length;
  }

  /** Long texts do not go through the field: it would draw them. */
  #insert(event: Event, data: DataTransfer | null) {
    const text = data?.types.includes("Files") ? "" : data?.getData("text/plain") ?? "";
    const { value, selectionStart, selectionEnd } = this.area;
    if (value.length + text.length <= LONGEST) return;
    event.preventDefault();
    event.stopPropagation();
    this.value = this.#before + value.slice(0, selectionStart) + text + value.slice(selectionEnd) + this.#after;
    this.#changed();
  }

  #written() {
    if (this.area.value.length > LONGEST) {
      const caret = this.#window(this.#before.length + this.area.selectionStart);
      this.area.setSelectionRange(caret, caret);
    }
    this.#changed();
  }

  #window(at: number): number {
    const whole = this.value;
    const start = edge(whole, Math.min(at - PART / 2, whole.length - PART));
    const end = edge(whole, start + PART);
    this.#draw(whole.slice(0, start), whole.slice(start, end), whole.slice(end));
    return at - start;
  }

  #draw(before: string, part: string, after: string) {
    this.#before = before;
    this.#after = after;
    this.area.value = part;
    this.area.hidden = !part && Boolean(after);
    this.note.hidden = !before && !after;
    this.note.replaceChildren(...this.#description(part.length, before.length + part.length + after.length));
  }

  #description(drawn: number, all: number): (Node | string)[] {
    if (this.note.hidden) return [];
    const button = (text: string, act: () => void) => [h("button", { type: "button", class: "link", onclick: act }, text), " "];
    const [first, last] = [this.#before.length, this.#before.length + drawn];
    return [
      drawn ? `Characters ${count(first + 1)} to ${count(last)} of ${count(all)} are shown. ` : `${count(all)} characters, not shown. `,
      ...(drawn ? [] : button("Show them", () => this.#window(0))),
      ...(drawn && first ? button("Earlier", () => this.#window(first - PART / 2)) : []),
      ...(drawn && last < all ? button("Later", () => this.#window(last + PART / 2)) : []),
      ...button("Take them out", () => { this.value = ""; this.#changed(); this.area.focus(); }),
    ];
  }
}

/** The nearest place at or before `at` that parts no character in two. */
function edge(text: string, at: number): number {
  const place = Math.min(Math.max(at, 0), text.length);
  return /[\udc00-\udfff]/.test(text.charAt(place)) ? place - 1 : place;
}

function count(characters: number): string {
  return characters.toLocaleString("en");
}
