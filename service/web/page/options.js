/** Which factors, and which judge. */

import { allFactors } from "./catalogue.js";
import { field, h, told } from "./dom.js";
import { ProblemError } from "./api.js";
import { showProblem } from "./problem.js";

/** @import { FactorInfo } from "./wire" */

const DEFAULT = "core";

/** A choice of factors, grouped by protocol, and of a judge. */
export class Options {
  constructor() {
    this.judge = h("input", { type: "text", placeholder: "the operator's default", autocomplete: "off", spellcheck: "false" });
    this.boxes = h("div", { class: "boxes" });
    this.summary = h("summary", {}, "Factors: the twelve of core");
    this.factors = h("details", { class: "factors" }, this.summary, this.boxes);
    this.element = h("div", { class: "options" }, this.factors, field("Judge", this.judge, "builtin, or name:model as the operator allows"));
    this.factors.addEventListener("toggle", () => { if (this.factors.open && !this.boxes.querySelector("input")) void this.#list(); });
  }

  async #list() {
    try {
      const protocols = Map.groupBy(await allFactors(), (factor) => factor.protocol);
      this.boxes.replaceChildren(...[...protocols].map(([protocol, members]) => this.#protocol(protocol, members)));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      showProblem(this.boxes, error);
    }
  }

  /** @param {string} protocol @param {FactorInfo[]} members */
  #protocol(protocol, members) {
    const all = h("input", { type: "checkbox", checked: protocol === DEFAULT });
    const rows = members.map((factor) => {
      const box = h("input", { type: "checkbox", value: factor.slug, checked: protocol === DEFAULT });
      return h("label", { title: factor.definition }, box, " ", factor.name);
    });
    const boxes = rows.map((row) => /** @type {HTMLInputElement} */ (row.querySelector("input")));
    const tell = () => {
      const chosen = boxes.filter((box) => box.checked).length;
      all.checked = chosen === boxes.length;
      all.indeterminate = chosen > 0 && chosen < boxes.length;
      const names = this.read().factors;
      this.summary.textContent = names.length === 1 && names[0] === DEFAULT ? "Factors: the twelve of core" : `Factors: ${names.map(told).join(", ") || "none"}`;
    };
    all.addEventListener("change", () => { for (const box of boxes) box.checked = all.checked; tell(); });
    for (const box of boxes) box.addEventListener("change", tell);
    return h("fieldset", { "data-protocol": protocol }, h("legend", {}, h("label", {}, all, " ", protocol)), ...rows);
  }

  /** Factors as a request names them: a whole protocol by its name. */
  read() {
    const sets = [...this.boxes.querySelectorAll("fieldset")];
    const factors = sets.flatMap((set) => {
      const boxes = /** @type {HTMLInputElement[]} */ ([...set.querySelectorAll("input[value]")]);
      const chosen = boxes.filter((box) => box.checked);
      return chosen.length === boxes.length ? [set.getAttribute("data-protocol") ?? ""] : chosen.map((box) => box.value);
    });
    const judge = this.judge.value.trim();
    return { factors: sets.length ? factors : [DEFAULT], ...(judge ? { judge } : {}) };
  }
}
