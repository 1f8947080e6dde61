/** Puts the views together and shows the one that the address names. */

import { setKey } from "./api.ts";
import { compareView } from "./compare.ts";
import { debateView } from "./debate.ts";
import { offerChoices } from "./options.ts";
import { Picker } from "./picker.ts";
import { scoreView } from "./score.ts";
import { simulateView } from "./simulate.ts";

interface View {
  element: HTMLElement;
  /** Where the shared picker goes. */
  slot?: HTMLElement;
}

const picker = new Picker("Conversation");
const score = scoreView(picker);
const views = new Map<string, View>([
  ["score", score],
  ["debate", debateView(picker)],
  ["simulate", simulateView((log) => {
    location.hash = "#score";
    void score.judge(log);
  })],
  ["compare", compareView((log, answer) => {
    location.hash = "#score";
    void score.show(log, answer);
  })],
]);
document.getElementById("main")?.append(...[...views.values()].map((view) => view.element));

/** `moved`: a person moved here, and the focus should follow. */
function show(moved: boolean) {
  const name = views.has(location.hash.slice(1)) ? location.hash.slice(1) : "score";
  for (const [other, view] of views) view.element.hidden = other !== name;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const view = views.get(name);
  view?.slot?.append(picker.element);
  if (moved) view?.element.querySelector("h2")?.focus();
}

const key = document.getElementById("key") as HTMLInputElement;
key.addEventListener("input", () => setKey(key.value));
key.addEventListener("change", () => void offerChoices());
key.form?.addEventListener("submit", (event) => {
  event.preventDefault();
  void offerChoices();
});
addEventListener("hashchange", () => { if (location.hash !== "#main") show(true); });
show(false);
void offerChoices();
