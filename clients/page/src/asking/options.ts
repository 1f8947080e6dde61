/** Choice of factors, judge and catalogue. */

import type { FactorInfo, Rubric } from "../../../typescript/src/index.ts";
import { h, labelOf } from "../basics/dom.ts";
import { problemPlace, showProblem } from "../basics/problem.ts";
import { allFactors } from "./catalogue.ts";
import { Choice, judgeChoice, onChoices } from "./choice.ts";
import { Panels, type Judges } from "./panels.ts";
import { listIn, Ways, type Way } from "./ways.ts";

const DEFAULT = "core";
const DEFAULT_LABEL = "Factors: the usual ones";

/** Fields of a request beside its log. */
export type Asked = { factors: string[]; rubrics?: Rubric[]; judge?: string; catalog?: string } & Way & Judges;

/** A choice of factors, grouped by protocol, of a judge and of a catalogue. */
export class Options {
  readonly element: HTMLElement;
  readonly #judge = judgeChoice("Judge");
  readonly #catalog = new Choice("Catalogue", "none", "the items that can be recommended");
  readonly #ways = new Ways();
  readonly #panels = new Panels();
  readonly #boxes = h("div", { class: "boxes" });
  readonly #problem = problemPlace();
  readonly #summary = h("summary", {}, DEFAULT_LABEL);
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
    this.element = h("details", { class: "options" }, h("summary", {}, "Options: judge, factors, ways of judging"),
      h("div", { class: "row" }, this.#judge.element, this.#catalog.element), factors, own, this.#panels.element, this.#ways.element);
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
      this.#summary.textContent = names.length === 1 && names[0] === DEFAULT ? DEFAULT_LABEL : `Factors: ${names.map(labelOf).join(", ") || "none"}`;
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

  /** Returns the fields of a request beside the log. Throws an InputError for what cannot be read. */
  read(): Asked {
    const panels = this.#panels.read();
    const judge = panels.panel ? "" : this.#judge.value;
    const catalog = this.#catalog.value;
    const rubrics = listIn<Rubric>(this.#rubrics.value, "factors of your own");
    return {
      factors: this.#factors(), ...(rubrics.length ? { rubrics } : {}), ...(judge ? { judge } : {}), ...(catalog ? { catalog } : {}), ...panels, ...this.#ways.read(),
    };
  }
}
