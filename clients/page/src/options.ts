/** Which factors, which judge, which catalogue. */

import { CrsEvalError, UnreachableError, type Choices, type FactorInfo, type Rubric } from "../../typescript/src/index.ts";
import { allChoices, allFactors } from "./catalogue.ts";
import { field, h, told } from "./dom.ts";
import { InputError, problemPlace, showProblem } from "./problem.ts";

const DEFAULT = "core";
const DEFAULT_TOLD = "Factors: the twelve of core";

/** A list to choose a name from, filled as soon as the service tells what there is; without a choice, or
 * where the service tells nothing (a key may be missing), the request names none. */
export class Choice {
  readonly select: HTMLSelectElement;
  readonly element: HTMLElement;
  readonly #none: HTMLOptionElement;
  readonly #other = h("input", { type: "text", hidden: true, autocomplete: "off", spellcheck: "false", "aria-label": "Name of the model" });

  constructor(label: string, none: string, hint?: string) {
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
  }

  /** What was chosen; empty for none. */
  get value(): string {
    return this.#other.hidden ? this.select.value : this.#other.value.trim();
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

/** Fill lists with what the service offers, once it has told. */
export function onChoices(fill: (choices: Choices) => void) {
  offers.push(fill);
}

/** Ask what the service offers. Where it does not say, because it wants a key first, lists stay as they are:
 * the problem is told where something is asked for that matters. */
export async function offerChoices() {
  try {
    const found = await allChoices();
    for (const fill of offers) fill(found);
  } catch (error) {
    if (!(error instanceof CrsEvalError || error instanceof UnreachableError)) throw error;
  }
}

/** A choice of factors, grouped by protocol, of a judge and of a catalogue. */
export class Options {
  readonly element: HTMLElement;
  readonly #judge = judgeChoice("Judge");
  readonly #catalog = new Choice("Catalogue", "none", "the items that can be recommended");
  readonly #boxes = h("div", { class: "boxes" });
  readonly #problem = problemPlace();
  readonly #summary = h("summary", {}, DEFAULT_TOLD);
  readonly #rubrics = h("textarea", { rows: 4, spellcheck: "false", "aria-label": "Factors of your own" });

  constructor() {
    const factors = h("details", { class: "factors" }, this.#summary, this.#boxes, this.#problem);
    factors.addEventListener("toggle", () => { if (factors.open && !this.#boxes.hasChildNodes()) void this.#list(); });
    this.#catalog.element.hidden = true;
    onChoices(({ catalogs }) => {
      this.#catalog.offer(catalogs);
      this.#catalog.element.hidden = !catalogs.length;
    });
    const own = h("details", { class: "factors" }, h("summary", {}, "Factors of your own"),
      h("label", {}, "As JSON: slug, definition and levels of each; a model judges them", this.#rubrics));
    this.element = h("div", { class: "options" }, factors, own, h("div", { class: "row" }, this.#judge.element, this.#catalog.element));
  }

  async #list() {
    try {
      const protocols = Map.groupBy(await allFactors(), (factor) => factor.protocol);
      this.#problem.replaceChildren();
      this.#boxes.replaceChildren(...[...protocols].map(([protocol, members]) => this.#protocol(protocol, members)));
    } catch (error) {
      showProblem(this.#problem, error);
    }
  }

  #protocol(protocol: string, members: FactorInfo[]): HTMLElement {
    const all = h("input", { type: "checkbox", checked: protocol === DEFAULT });
    const boxes = members.map((factor) => h("input", { type: "checkbox", value: factor.slug, checked: protocol === DEFAULT }));
    const rows = members.map((factor, index) => h("label", { title: factor.definition }, boxes[index], factor.name));
    const tell = () => {
      const chosen = boxes.filter((box) => box.checked).length;
      all.checked = chosen === boxes.length;
      all.indeterminate = chosen > 0 && chosen < boxes.length;
      const names = this.#factors();
      this.#summary.textContent = names.length === 1 && names[0] === DEFAULT ? DEFAULT_TOLD : `Factors: ${names.map(told).join(", ") || "none"}`;
    };
    all.addEventListener("change", () => { for (const box of boxes) box.checked = all.checked; tell(); });
    for (const box of boxes) box.addEventListener("change", tell);
    return h("fieldset", { "data-protocol": protocol }, h("legend", {}, h("label", {}, all, protocol)), ...rows);
  }

  /** Factors as a request names them: a whole protocol by its name. */
  #factors(): string[] {
    const sets = [...this.#boxes.querySelectorAll("fieldset")];
    if (!sets.length) return [DEFAULT];
    return sets.flatMap((set) => {
      const boxes = [...set.querySelectorAll<HTMLInputElement>("input[value]")];
      const chosen = boxes.filter((box) => box.checked);
      return chosen.length === boxes.length ? [set.dataset.protocol ?? ""] : chosen.map((box) => box.value);
    });
  }

  /** What a request says beside the log. */
  read(): { factors: string[]; rubrics?: Rubric[]; judge?: string; catalog?: string } {
    const judge = this.#judge.value;
    const catalog = this.#catalog.value;
    const rubrics = rubricsIn(this.#rubrics.value);
    return { factors: this.#factors(), ...(rubrics.length ? { rubrics } : {}), ...(judge ? { judge } : {}), ...(catalog ? { catalog } : {}) };
  }
}

/** Rubrics as somebody pasted them: one, or a list. The service checks what they hold. */
function rubricsIn(text: string): Rubric[] {
  if (!text.trim()) return [];
  try {
    const value: unknown = JSON.parse(text);
    return (Array.isArray(value) ? value : [value]) as Rubric[];
  } catch (error) {
    throw new InputError(`The factors of your own are no JSON: ${(error as Error).message}.`);
  }
}
