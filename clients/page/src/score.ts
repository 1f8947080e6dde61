/** The view that judges one conversation. */

import type { Log, ScoreAnswer, Verdict } from "../../typescript/src/index.ts";
import { events } from "./api.ts";
import { allFactors, resolve } from "./catalogue.ts";
import { h } from "./dom.ts";
import { nameOf } from "./logs.ts";
import { Options } from "./options.ts";
import type { Picker } from "./picker.ts";
import { InputError } from "./problem.ts";
import { Results } from "./results.ts";
import { verdictsOf, type Answer } from "./rows.ts";
import { shownOf } from "./verdicts.ts";
import { Work } from "./work.ts";
import { workbench } from "./workbench.ts";

/** `picker` is shared with the debate. */
export function scoreView(picker: Picker) {
  const options = new Options();
  const slot = h("div", { class: "slot" });
  const results = new Results("judged", h("p", { class: "empty" }, "Scores and verdicts appear here as they arrive, beside the conversation."));
  const work = new Work("Judge", judge);

  async function judge(signal: AbortSignal) {
    const logs = picker.read();
    const log = logs[0] as Log;
    const asked = options.read();
    if (!asked.factors.length && !asked.rubrics) throw new InputError("No factor is chosen.");
    const factors = await resolve(asked);
    work.tell(`0 of ${factors.length} verdicts`);
    let count = 0;
    await results.draw(async (place) => {
      const shown = workbench(place, log, factors);
      try {
        for await (const { name, data } of events("/score", { log, ...asked }, signal)) {
          if (name === "verdict") {
            shown.add(data as Verdict);
            work.tell(`${++count} of ${factors.length} verdicts`);
          } else if (name === "done") shown.finish(data as ScoreAnswer);
        }
      } finally {
        shown.end();
      }
    }, () => count > 0);
    const rest = logs.length > 1 ? ` The text holds ${logs.length} conversations; this is the first. Compare takes them all.` : "";
    work.tell(`${count} ${count === 1 ? "verdict" : "verdicts"} on ${nameOf(log, 0)}.${rest}`);
  }

  /** Show a conversation that was judged elsewhere. */
  async function show(log: Log, answer: Answer) {
    work.abort();
    picker.write([log]);
    const known = await allFactors();
    const verdicts = verdictsOf(answer);
    const shown = workbench(results.renew(), log, shownOf(verdicts).map((one) => known.find((factor) => factor.slug === one.slug) ?? one));
    for (const verdict of verdicts) shown.add(verdict);
    shown.finish(answer);
    work.tell(`${verdicts.length} verdicts on ${nameOf(log, 0)}.`);
  }

  /** Judge a conversation that comes from elsewhere. */
  function judgeLog(log: Log) {
    picker.write([log]);
    return work.start();
  }

  const element = h("section", { id: "view-score", "aria-labelledby": "score-title" },
    h("h2", { id: "score-title", tabindex: -1 }, "Judge a conversation"),
    h("div", { class: "setup" }, slot, h("div", {}, options.element, work.element)),
    results.element);
  return { element, slot, show, judge: judgeLog };
}
