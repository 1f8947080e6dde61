/** Several judges: a panel for all factors, judges of single factors, the mixture of the paper. */

import type { ScoreRequest } from "../../../typescript/src/index.ts";
import { field, h } from "../basics/dom.ts";
import { onChoices } from "./choice.ts";
import { pairs } from "./formats.ts";

export type Judges = Pick<ScoreRequest, "panel" | "aggregate" | "factor_judges" | "factor_panels" | "mixture">;

/** A fold that most people leave closed. */
export class Panels {
  readonly element: HTMLElement;
  readonly #panel = text("builtin, openai:gpt-4o-mini");
  readonly #aggregate = h("select", {}, h("option", { value: "" }, "mean"), h("option", { value: "median" }, "median"));
  readonly #single = h("textarea", { rows: 2, spellcheck: "false", placeholder: "groundness=builtin\nnovelty=builtin + openai:gpt-4o-mini" });
  readonly #mixture = h("input", { type: "checkbox" });

  constructor() {
    const hint = h("p", { class: "hint" }, "A panel asks every member and shows what each says, and how far apart they are.");
    onChoices(({ judges }) => hint.append(` This service has: ${judges.join(", ")}.`));
    this.element = h("details", { class: "factors" }, h("summary", {}, "Several judges"), hint,
      h("div", { class: "row" }, field("Panel", this.#panel, "Judges with commas between, instead of one."), field("Score of a panel", this.#aggregate)),
      field("Judges of single factors", this.#single, "factor=judge, a line each; + between the members of a panel."),
      h("label", { class: "tick" }, this.#mixture, " For each factor of CoRE the model that agreed best with people in the paper"));
  }

  /** Returns the chosen judges; empty where one judge is asked. Throws an InputError for what cannot be read. */
  read(): Judges {
    const panel = names(this.#panel.value, ",");
    const single = Object.entries(pairs(this.#single.value, "Judges of single factors") ?? {}).map(([factor, judges]) => [factor, names(judges, "+")] as const);
    const [ones, several] = [single.filter(([, judges]) => judges.length === 1), single.filter(([, judges]) => judges.length > 1)];
    return {
      ...(panel.length ? { panel } : {}),
      ...(this.#aggregate.value && (panel.length || several.length) ? { aggregate: "median" as const } : {}),
      ...(ones.length ? { factor_judges: Object.fromEntries(ones.map(([factor, [judge]]) => [factor, judge ?? ""])) } : {}),
      ...(several.length ? { factor_panels: Object.fromEntries(several) } : {}),
      ...(this.#mixture.checked ? { mixture: "core" as const } : {}),
    };
  }
}

function text(placeholder: string): HTMLInputElement {
  return h("input", { type: "text", placeholder, autocomplete: "off", spellcheck: "false" });
}

function names(given: string, between: string): string[] {
  return given.split(between).map((one) => one.trim()).filter(Boolean);
}
