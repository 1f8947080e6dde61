/** One fault under the reply that has it: its name, and on demand its definition, quotes, and the verdicts that it lowers. */

import { h, labelOf } from "../basics/dom.ts";
import { faultInfo, faultName, sureness, type Found } from "../verdicts/faults.ts";

/** `onToggle` is called as it opens and closes; `onFactor` is what a factor's link does. */
export function faultNote(found: Found, onToggle: (open: boolean) => void, onFactor?: (factor: string) => void): HTMLElement {
  const { fault, factors, quotes, severity } = found;
  const note = h("details", { class: "fault", "data-fault": fault },
    h("summary", {}, faultName(fault)),
    h("p", {}, faultInfo(fault)?.definition),
    ...quotes.map((quote) => h("p", { dir: "auto" }, h("q", {}, quote))),
    h("p", { class: "hint" }, [sureness(found), severity].filter(Boolean).join(", "), "; lowers ",
      ...factors.flatMap((factor, index) => [index ? ", " : "", h("button", { type: "button", class: "link", onclick: () => onFactor?.(factor) }, labelOf(factor))])));
  note.addEventListener("toggle", () => onToggle(note.open));
  return note;
}
