/** Settings that say how to read a text in another format, where the text does not show it. */

import { field, h } from "../basics/dom.ts";
import { InputError } from "../basics/problem.ts";
import type { Reading } from "../reading/content.ts";
import { Choice, onChoices } from "./choice.ts";

/** A fold with the format, the names of fields, and the names of speakers. */
export class Formats {
  readonly element: HTMLElement;
  readonly #format = new Choice("Format", "recognised from the text");
  readonly #map = names("content=utterance");
  readonly #roles = names("buyer=user, seller=assistant");

  constructor() {
    onChoices(({ formats }) => this.#format.offer(formats.filter((name) => name !== "auto")));
    this.element = h("details", { class: "formats" }, h("summary", {}, "Another format"),
      h("div", { class: "row" }, this.#format.element, field("Fields", this.#map, "ours=theirs, with commas between"), field("Speakers", this.#roles, "name=user or name=assistant")));
  }

  /** Returns the settings; null where none were given. Throws an InputError for what cannot be read. */
  read(): Reading | null {
    const map = pairs(this.#map.value, "Fields");
    const roles = pairs(this.#roles.value, "Speakers");
    const format = this.#format.value as NonNullable<Reading["format"]> | "";
    return format || map || roles ? { ...(format ? { format } : {}), ...(map ? { map } : {}), ...(roles ? { roles } : {}) } : null;
  }
}

function names(placeholder: string): HTMLInputElement {
  return h("input", { type: "text", placeholder, autocomplete: "off", spellcheck: "false" });
}

/** `a=b, c=d`; null for nothing. */
export function pairs(text: string, label: string): Record<string, string> | null {
  const found = text.split(/[,\n]/).filter((one) => one.trim()).map((one) => {
    const [, name, value] = /^\s*([^=]+?)\s*=\s*(.+?)\s*$/.exec(one) ?? [];
    if (!name || !value) throw new InputError(`${label}: ${one.trim()} should be name=name, several with commas between.`);
    return [name, value] as const;
  });
  return found.length ? Object.fromEntries(found) : null;
}
