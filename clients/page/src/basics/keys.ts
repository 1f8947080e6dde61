/** Keys: arrows walk a list, Ctrl+Enter starts the work of a view, `?` shows them all. */

import { h } from "./dom.ts";

const KEYS: [string, string][] = [
  ["Ctrl+Enter", "Judge, debate, begin or compare: the main button of the view"],
  ["↓ ↑", "The next message or verdict, the one before"],
  ["Enter", "On a verdict: highlight what it cites"],
  ["0 to 9, x, b, n", "While labelling: a level, cannot say, back, next"],
  ["?", "These keys"],
];

/** Let arrows move the focus among the members of a list that match. */
export function walk(list: HTMLElement, members: string) {
  list.addEventListener("keydown", (event) => {
    if ((event.key !== "ArrowDown" && event.key !== "ArrowUp") || event.altKey || event.ctrlKey || event.metaKey || writes(event.target)) return;
    const all = [...list.querySelectorAll<HTMLElement>(members)].filter((one) => one.checkVisibility());
    const at = all.map((one) => one.contains(document.activeElement)).lastIndexOf(true); // the innermost: a verdict may stand in a message
    const next = all[Math.min(Math.max(at + (event.key === "ArrowDown" ? 1 : -1), 0), all.length - 1)];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    if (!next.hasAttribute("tabindex")) next.tabIndex = -1;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  });
}

/** Watch the keys of the whole page; `start` does the work of the view that is shown. */
export function watchKeys(start: () => void): HTMLDialogElement {
  const close = () => dialog.close();
  const dialog = h("dialog", { class: "keys", "aria-labelledby": "keys-title" },
    h("h2", { id: "keys-title" }, "Keys"),
    h("dl", {}, ...KEYS.flatMap(([key, does]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, does)])),
    h("button", { type: "button", onclick: close }, "Close"));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      start();
    } else if (event.key === "?" && !writes(event.target) && !dialog.open) dialog.showModal();
  });
  return dialog;
}

/** Returns true where keys write text. */
export function writes(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=file])"));
}
