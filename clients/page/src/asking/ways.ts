/** Ways to ask a language model: by rating or by items, as the papers do, weighted by probabilities, with examples. */

import type { Example, ScoreRequest } from "../../../typescript/src/index.ts";
import { field, h } from "../basics/dom.ts";
import { InputError } from "../basics/problem.ts";

export type Way = Pick<ScoreRequest, "judging" | "variant" | "expected" | "anchors" | "examples">;

/** The choices that only matter to language models. */
export class Ways {
  readonly element: HTMLElement;
  readonly #judging = chooser([["", "as the service is set"], ["rating", "rating: the model chooses the level"], ["itemised", "itemised: the model lists, code counts"], ["faults", "faults: the model lists faults, code scores"]]);
  readonly #variant = chooser([["", "crs-eval"], ["published", "published: as the papers ask"]]);
  readonly #expected = h("input", { type: "checkbox" });
  readonly #anchors = h("input", { type: "checkbox" });
  readonly #examples = h("textarea", { rows: 3, spellcheck: "false" });

  constructor() {
    this.element = h("details", { class: "factors" }, h("summary", {}, "How a language model is asked"),
      h("p", { class: "hint" }, "The embedded judge does not read these."),
      h("div", { class: "row" }, field("Way of judging", this.#judging), field("Wording", this.#variant)),
      h("label", { class: "tick" }, this.#expected, " Weigh the score by the probabilities of the levels"),
      h("label", { class: "tick" }, this.#anchors, " Show the model the worked examples that come with the rubrics"),
      field("Examples that people rated", this.#examples, "As JSON: factor, score and log of each."));
  }

  /** Returns the chosen way. Throws an InputError for examples that cannot be read. */
  read(): Way {
    const examples = listIn<Example>(this.#examples.value, "examples");
    return {
      ...(this.#judging.value ? { judging: this.#judging.value as "rating" | "itemised" | "faults" } : {}),
      ...(this.#variant.value ? { variant: "published" } : {}),
      ...(this.#expected.checked ? { expected: true } : {}),
      ...(this.#anchors.checked ? { anchors: true } : {}),
      ...(examples.length ? { examples } : {}),
    };
  }
}

function chooser(options: [string, string][]): HTMLSelectElement {
  return h("select", {}, ...options.map(([value, text]) => h("option", { value }, text)));
}

/** A list as somebody pasted it as JSON: one member, or several. The service checks what they hold. */
export function listIn<T>(text: string, name: string): T[] {
  if (!text.trim()) return [];
  try {
    const value: unknown = JSON.parse(text);
    return (Array.isArray(value) ? value : [value]) as T[];
  } catch (error) {
    throw new InputError(`The ${name} are not JSON: ${(error as Error).message}.`);
  }
}
