/** Lists of what the service offers: judges, catalogues, recommenders. */

import { CrsEvalError, UnreachableError, type Choices } from "../../../typescript/src/index.ts";
import { field, h } from "../basics/dom.ts";
import { InputError } from "../basics/problem.ts";
import { allChoices } from "./catalogue.ts";

/** A list to choose a name from, filled as soon as the service tells what there is; without a choice, or
 * where the service tells nothing (a key may be missing), the request names none. */
export class Choice {
  readonly select: HTMLSelectElement;
  readonly element: HTMLElement;
  readonly #label: string;
  readonly #none: HTMLOptionElement;
  readonly #other = h("input", { type: "text", hidden: true, autocomplete: "off", spellcheck: "false", "aria-label": "Name of the model" });

  constructor(label: string, none: string, hint?: string) {
    this.#label = label;
    this.#none = h("option", { value: "" }, none);
    this.select = h("select", { onchange: () => this.#turn() }, this.#none);
    this.element = field(label, this.select, hint);
    this.element.append(this.#other);
  }

  /** Offer these names; of a pattern (`openai:*`) a person gives the rest. */
  offer(names: string[], none?: string) {
    const before = this.select.value;
    if (none) this.#none.textContent = none;
    this.select.replaceChildren(this.#none, ...names.map((name) => h("option", { value: name }, name.endsWith("*") ? `${name.slice(0, -1)}…` : name)));
    if (names.includes(before)) this.select.value = before;
    else this.#other.hidden = true;
  }

  /** The chosen value; empty for none. A name may be typed with what its pattern begins with, or without. Throws an InputError where
   * a pattern is chosen and no name given: the request would ask somebody else. */
  get value(): string {
    if (this.#other.hidden) return this.select.value;
    const begins = [...this.select.options].flatMap(({ value }) => (value.endsWith("*") ? [value.slice(0, -1)] : []));
    const begin = this.select.value.slice(0, -1);
    const typed = this.#other.value.trim();
    if (!typed || begins.includes(typed)) throw new InputError(`${this.#label}: name the model after \`${begin}\`, or choose another.`);
    return begins.some((one) => typed.startsWith(one)) ? typed : begin + typed;
  }

  #turn() {
    const pattern = this.select.value.endsWith("*");
    this.#other.hidden = !pattern;
    if (pattern) this.#other.value = this.select.value.slice(0, -1);
    if (pattern) this.#other.focus();
  }
}

/** A choice of who judges. */
export function judgeChoice(label: string, hint?: string): Choice {
  const choice = new Choice(label, "default", hint);
  onChoices(({ judges, default_judge }) => choice.offer(judges, `default (${default_judge})`));
  return choice;
}

const offers: ((choices: Choices) => void)[] = [];

/** Fill lists with what the service offers, once it has answered. */
export function onChoices(fill: (choices: Choices) => void) {
  offers.push(fill);
}

/** Ask what the service offers. Where it does not say, because it wants a key first, lists stay as they are:
 * the problem appears where something needs them. */
export async function offerChoices() {
  try {
    const found = await allChoices();
    for (const fill of offers) fill(found);
  } catch (error) {
    if (!(error instanceof CrsEvalError || error instanceof UnreachableError)) throw error;
  }
}
