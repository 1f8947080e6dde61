/** Puts the views together and shows the one that the address names. */

import { setKey } from "./api.js";
import { compareView } from "./compare.js";
import { debateView } from "./debate.js";
import { Picker } from "./picker.js";
import { scoreView } from "./score.js";
import { simulateView } from "./simulate.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const key = /** @type {HTMLInputElement} */ (document.getElementById("key"));
key.addEventListener("input", () => setKey(key.value));
key.form?.addEventListener("submit", (event) => event.preventDefault());

const picker = new Picker("Conversation");
const score = scoreView(picker);
/** @type {Record<string, {element: HTMLElement, slot?: HTMLElement}>} */
const views = {
  score,
  debate: debateView(picker),
  simulate: simulateView((log) => {
    location.hash = "#score";
    void score.judge(log);
  }),
  compare: compareView((log, answer) => {
    location.hash = "#score";
    void score.show(log, answer);
  }),
};
main.append(...Object.values(views).map((view) => view.element));

/** @param {boolean} moved whether a person moved here, and the focus should follow */
function show(moved) {
  const name = location.hash.slice(1) in views ? location.hash.slice(1) : "score";
  for (const [other, view] of Object.entries(views)) view.element.hidden = other !== name;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  views[name]?.slot?.append(picker.element);
  if (moved) views[name]?.element.querySelector("h2")?.focus();
}

addEventListener("hashchange", () => { if (location.hash !== "#main") show(true); });
show(false);
