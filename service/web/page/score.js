/** The view that judges one conversation. */

import { events } from "./api.js";
import { allFactors, resolve } from "./catalogue.js";
import { h } from "./dom.js";
import { nameOf } from "./logs.js";
import { Options } from "./options.js";
import { Transcript } from "./transcript.js";
import { Verdicts } from "./verdicts.js";
import { Work } from "./work.js";

/** @import { Log, Verdict, FactorInfo } from "./wire" */
/** @import { Answer } from "./verdicts.js" */
/** @import { Picker } from "./picker.js" */

/** @param {Picker} picker shared with the debate */
export function scoreView(picker) {
  const options = new Options();
  const slot = h("div", { class: "slot" });
  const bench = h("div", { class: "bench" });
  const work = new Work("Judge", judge);

  /** @param {AbortSignal} signal */
  async function judge(signal) {
    const logs = picker.read();
    const log = /** @type {Log} */ (logs[0]);
    const asked = options.read();
    if (!asked.factors.length) throw new Error("No factor is chosen.");
    const factors = await resolve(asked.factors);
    work.tell(`0 of ${factors.length} verdicts`);
    const shown = workbench(bench, log, factors);
    let count = 0;
    for await (const { name, data } of events("score", { log, ...asked }, signal)) {
      if (name === "verdict") {
        shown.add(data);
        work.tell(`${++count} of ${factors.length} verdicts`);
      } else if (name === "done") shown.finish(data);
    }
    const rest = logs.length > 1 ? ` The text holds ${logs.length} conversations; this is the first. Compare takes them all.` : "";
    work.tell(`${count} verdicts on ${nameOf(log, 0)}.${rest}`);
  }

  /** Show a conversation that was judged elsewhere. @param {Log} log @param {Answer} answer */
  async function show(log, answer) {
    picker.write([log]);
    work.problem.replaceChildren();
    const known = await allFactors();
    const factors = answer.verdicts.flatMap((verdict) => known.find((one) => one.slug === verdict.factor) ?? []);
    const shown = workbench(bench, log, factors);
    for (const verdict of answer.verdicts) shown.add(verdict);
    shown.finish(answer);
    work.tell(`${answer.verdicts.length} verdicts on ${nameOf(log, 0)}.`);
  }

  /** Judge a conversation that comes from elsewhere. @param {Log} log */
  function judgeLog(log) {
    picker.write([log]);
    return work.start();
  }

  const element = h("section", { id: "view-score", "aria-labelledby": "score-title" },
    h("h2", { id: "score-title", tabindex: -1 }, "Judge a conversation"),
    h("div", { class: "setup" }, slot, h("div", {}, options.element, work.element)),
    bench);
  return { element, slot, show, judge: judgeLog };
}

/**
 * Transcript and verdicts side by side, each pointing at the other.
 * @param {HTMLElement} place @param {Log} log @param {FactorInfo[]} factors
 */
export function workbench(place, log, factors) {
  const transcript = new Transcript(log, (factor) => verdicts.select(factor, true));
  const verdicts = new Verdicts(factors, (verdict) => transcript.highlight(verdict), (message) => transcript.show(message));
  place.replaceChildren(
    h("div", { class: "pane beside", role: "region", "aria-label": "Conversation", tabindex: 0 }, h("h3", {}, "Conversation"), transcript.element),
    h("div", { class: "pane" }, h("h3", {}, "Verdicts"), verdicts.element));
  return {
    /** @param {Verdict} verdict */
    add(verdict) {
      verdicts.add(verdict);
      transcript.cite(verdict);
    },
    /** @param {Answer} answer */
    finish: (answer) => verdicts.finish(answer),
  };
}
