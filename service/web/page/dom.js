/** Elements without a framework: what a view is made of. */

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, unknown>} Properties */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element. `on…` adds a listener, `--name` sets a custom property, the rest are attributes;
 * false, null and undefined leave one out.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Properties} [properties] @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/**
 * An SVG element, with the same rules.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag @param {Properties} [properties] @param {...Child} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function s(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

/**
 * @template {HTMLElement | SVGElement} E
 * @param {E} element @param {Properties} properties @param {Child[]} children
 * @returns {E}
 */
function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name.startsWith("--")) element.style.setProperty(name, String(value));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child !== false && child !== null && child !== undefined) element.append(typeof child === "number" ? String(child) : child);
  }
  return element;
}

/** A slug for people: `grammatical-correctness` becomes `Grammatical correctness`, `hci-expert` `HCI expert`. @param {string} slug */
export function told(slug) {
  const words = slug.replaceAll(/[-_]/g, " ").replace(/\bhci\b/, "HCI");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A number with at most two decimals. @param {number} value */
export function number(value) {
  return String(Math.round(value * 100) / 100);
}

let ids = 0;

/**
 * A labelled form control.
 * @param {string} label @param {HTMLElement} control @param {string} [hint]
 */
export function field(label, control, hint) {
  const id = `f${++ids}`;
  control.id = id;
  if (hint) control.setAttribute("aria-describedby", `${id}-hint`);
  return h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    control,
    hint ? h("p", { class: "hint", id: `${id}-hint` }, hint) : null,
  );
}

/** Hands the browser a file to save. @param {string} name @param {string} type @param {string} text */
export function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Lets the browser paint and take input before more is done. */
export function breathe() {
  return new Promise((resolve) => setTimeout(resolve));
}
