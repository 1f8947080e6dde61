/** Puts the views together and shows the one that the address names. */

import type { Log } from "../../typescript/src/index.ts";
import { setKey } from "./asking/api.ts";
import { offerChoices } from "./asking/choice.ts";
import { Picker, takeDrops } from "./asking/picker.ts";
import { h } from "./basics/dom.ts";
import { watchKeys, writes } from "./basics/keys.ts";
import { watchServiceKey } from "./basics/service_key.ts";
import { PastRuns } from "./kept/list.ts";
import { latest, type Run } from "./kept/runs.ts";
import type { Answer } from "./many/rows.ts";
import { JUDGING, VIEWS } from "./views/registry.ts";
import type { JudgingView } from "./views/score.ts";
import type { Place, View } from "./views/view.ts";

const picker = new Picker("Conversation");
const desk = {
  picker,
  judge(log: Log) {
    guide(JUDGING);
    judging().judge(log);
  },
  show(log: Log | null, answer: Answer, name: string, at?: Place) {
    guide(JUDGING);
    judging().show(log, answer, name, at);
  },
};
const views = new Map<string, View>(VIEWS.map(({ name, make }) => [name, make(desk)]));
document.getElementById("main")?.append(...[...views.values()].map((view) => view.element));
document.querySelector("nav")?.prepend(...VIEWS.map(({ name, label }) => h("a", { href: `#${name}` }, label)));
const seen = new Set<View>();
/** True while the page itself has moved: the focus followed at once, and may have gone on to what was asked for. */
let guided = false;
picker.onPick = () => current()?.picked?.();

function judging(): JudgingView {
  return views.get(JUDGING) as JudgingView;
}

/** The name of the view that the address names. */
function named(): string {
  const name = location.hash.slice(1).split("?")[0] ?? "";
  return views.has(name) ? name : JUDGING;
}

function current(): View | undefined {
  return views.get(named());
}

/** Move to a view that shows something given. */
function guide(name: string) {
  const view = views.get(name);
  if (view) seen.add(view);
  if (named() === name) return;
  guided = true;
  location.hash = `#${name}`;
  show(true);
}

/** `moved`: a person moved here, and the focus should follow. */
function show(moved: boolean) {
  const name = named();
  for (const [other, view] of views) view.element.hidden = other !== name;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const view = current();
  view?.slot?.append(picker.element);
  if (moved) view?.element.querySelector("h1")?.focus();
  if (view && !seen.has(view)) void first(name, view);
  else view?.again?.();
}

/** Shows a view's first content: that of the address, the view's latest run, or nothing. */
async function first(name: string, view: View) {
  seen.add(view);
  const run = location.hash.includes("?") ? null : await latest(name);
  if (run && view.open) await view.open(run.content);
  else await view.shown?.();
}

function reopen(run: Run) {
  const view = views.get(run.view);
  if (!view) return;
  seen.add(view);
  location.hash = `#${run.view}`;
  void view.open?.(run.content);
}

document.addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  const view = current();
  if (!text.trim() || !view?.pasted || writes(event.target) || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  view.pasted(text);
});
takeDrops(document.documentElement, (files) => current()?.dropped?.(files), (text) => current()?.pasted?.(text));
watchServiceKey(setKey, () => void offerChoices());
const keys = watchKeys(() => current()?.start());
const runs = new PastRuns(reopen);
document.body.append(keys, runs.element);
document.getElementById("runs")?.addEventListener("click", () => void runs.show());
document.getElementById("keys")?.addEventListener("click", () => keys.showModal());
addEventListener("hashchange", () => {
  if (location.hash !== "#main") show(!guided);
  guided = false;
});
show(false);
void offerChoices();
