/** Elements without a framework: what a view is made of. */

export type Child = Node | string | number | null | undefined | false;
type Listener = (event: Event) => void;
export type Properties = Record<string, string | number | boolean | null | undefined | Listener>;

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element. `on…` adds a listener, `--name` sets a custom property, the rest are attributes;
 * false, null and undefined leave one out. */
export function h<T extends keyof HTMLElementTagNameMap>(tag: T, properties: Properties = {}, ...children: Child[]): HTMLElementTagNameMap[T] {
  return fill(document.createElement(tag), properties, children);
}

/** An SVG element, with the same rules. */
export function s<T extends keyof SVGElementTagNameMap>(tag: T, properties: Properties = {}, ...children: Child[]): SVGElementTagNameMap[T] {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill<E extends HTMLElement | SVGElement>(element: E, properties: Properties, children: Child[]): E {
  for (const [name, value] of Object.entries(properties)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, String(value));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child !== false && child !== null && child !== undefined) element.append(typeof child === "number" ? String(child) : child);
  }
  return element;
}

/** A slug for people: `grammatical-correctness` becomes `Grammatical correctness`, `hci-expert` `HCI expert`. */
export function labelOf(slug: string): string {
  const words = slug.replaceAll(/[-_]/g, " ").replace(/\bhci\b/, "HCI");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A text of the service's, in which backticks mark code. */
export function prose(text: string): Child[] {
  const parts = text.split("`");
  return parts.length % 2 ? parts.map((part, index) => (index % 2 ? h("code", {}, part) : part)) : [text];
}

/** A number with at most two decimals. */
export function number(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** A number with two decimals, so that columns of them line up. */
export function decimal(value: number): string {
  return value.toFixed(2).replace(/^-(?=0\.00$)/, "").replace("-", "−");
}

/** Let these be the children of an element, in order. Those that stand there stay untouched: the focus may be in one of them. */
export function arrange(place: HTMLElement, wanted: Element[]) {
  const kept = new Set(wanted);
  for (const child of [...place.children]) if (!kept.has(child)) child.remove();
  let next = place.firstElementChild;
  for (const element of wanted) {
    if (element === next) next = next.nextElementSibling;
    else place.insertBefore(element, next);
  }
}

let ids = 0;

/** A labelled form control. */
export function field(label: string, control: HTMLElement, hint?: string): HTMLDivElement {
  const id = `f${++ids}`;
  control.id = id;
  if (hint) control.setAttribute("aria-describedby", `${id}-hint`);
  return h("div", { class: "field" }, h("label", { for: id }, label), control, hint ? h("p", { class: "hint", id: `${id}-hint` }, hint) : null);
}

/** Hands the browser a file to save. */
export function download(name: string, content: Blob) {
  const url = URL.createObjectURL(content);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Longest time (ms) that work may block the browser. */
const SLICE = 20;

/** For work in many small steps: what it gives, called after each, lets the browser in whenever it is time. */
export function pacer(): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    if (performance.now() - begun < SLICE) return;
    await breathe();
    begun = performance.now();
  };
}

/** Lets the browser paint and take input before more is done. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Lets the browser paint what was drawn; where nobody looks it paints nothing, and nobody waits. */
export function frame(): Promise<void> {
  return new Promise((resolve) => {
    if (document.hidden) resolve();
    else requestAnimationFrame(() => setTimeout(resolve));
  });
}
