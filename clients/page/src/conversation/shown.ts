/** Contents of a message beside its text: items as cards, pictures by their description, calls of tools folded. */

import type { Message, Part, ShownItem } from "../../../typescript/src/index.ts";
import { h } from "../basics/dom.ts";

/** The members of a list, in a log that the service has not checked yet: it is drawn before, and may hold anything. */
export function listed<T extends object | string>(given: T[] | null | undefined): T[] {
  return Array.isArray(given) ? given.filter((one) => typeof one === "string" || (typeof one === "object" && one !== null)) : [];
}

/** The parts of a message. */
export function partsOf(message: Message): Part[] {
  return listed(message.parts);
}

/** A part beside the text: items as cards, pictures by their description, what tools were asked and answered folded. */
export function beside(part: Part): HTMLElement[] {
  switch (part.type) {
    case "items":
      return [h("ul", { class: `shown ${part.layout ?? "list"}`, "aria-label": "Items shown", ...(part.layout === "carousel" ? { tabindex: 0 } : {}) }, ...listed<ShownItem | string>(part.items).map((item) => shownItem(typeof item === "string" ? { title: item } : item)))];
    case "image":
      return [h("p", { class: "hint picture" }, "Picture: ", h("bdi", {}, part.alt ?? "not described"))];
    case "tool_call":
      return [folded(`Calls ${part.name ?? "a tool"}`, part.arguments ?? "")];
    case "tool_result":
      return [folded(`${part.name ?? "The tool"} ${part.error ? "failed" : "answered"}`, part.content ?? "")];
    default:
      return [];
  }
}

function folded(title: string, body: unknown): HTMLElement {
  return h("details", { class: "tool" }, h("summary", {}, h("bdi", {}, title)), h("pre", { dir: "auto" }, indented(body)));
}

/** JSON on lines of its own, be it a text or not; any other text as it is. */
function indented(body: unknown): string {
  if (typeof body !== "string") return JSON.stringify(body, null, 2);
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

function shownItem(item: ShownItem): HTMLElement {
  const price = typeof item.price === "number" ? `${item.price} ${item.currency ?? ""}`.trim() : null;
  const facts: [string, string | null][] = [
    ["Price", price],
    ["Rating", typeof item.rating === "number" ? String(item.rating) : null],
    ["Left", typeof item.stock === "number" ? String(item.stock) : null],
    ...Object.entries(item.attributes ?? {}).map(([name, values]): [string, string] => [name, [values].flat().join(", ")]),
  ];
  return h("li", { class: "shown-item" },
    h("p", { class: "title", dir: "auto" }, item.title ?? item.id ?? ""),
    ...facts.flatMap(([name, value]) => (value === null ? [] : [h("p", { class: "fact" }, h("span", { class: "label" }, h("bdi", {}, name)), " ", h("bdi", {}, value))])),
    ...(item.description ? [h("p", { class: "hint", dir: "auto" }, item.description)] : []));
}
