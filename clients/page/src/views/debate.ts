/** The view in which four roles debate a conversation. */

import type { DebateAnswer, Log, Round } from "../../../typescript/src/index.ts";
import { events } from "../asking/api.ts";
import { field, h, number } from "../basics/dom.ts";
import { judgeChoice } from "../asking/choice.ts";
import { Results } from "../basics/results.ts";
import { Timeline } from "../debate/timeline.ts";
import { keepRun, runOf } from "../kept/keeping.ts";
import { downloads } from "../kept/share.ts";
import { nameOf } from "../reading/logs.ts";
import { Work } from "../basics/work.ts";
import type { Desk, View } from "./view.ts";

const ROUNDS = 4;

/** Result of debating a conversation. */
interface Debated {
  log: Log;
  answer: DebateAnswer;
}

export function debateView({ picker }: Desk): View {
  const judge = judgeChoice("Judge", "of factors and for all roles");
  const most = h("input", { type: "number", min: 1, max: 10, value: ROUNDS });
  const slot = h("div", { class: "slot" });
  const results = new Results("debate", h("p", { class: "empty" }, "Rounds appear here as they end: how the scores move, and what each role says."));
  const work = new Work("Debate", debate, { failing: results, point: (pointer) => picker.point(pointer), reread: () => { picker.reread(); void work.start(); } });

  async function debate(signal: AbortSignal) {
    const log = (await picker.read(signal))[0] as Log;
    const max_rounds = most.valueAsNumber || ROUNDS;
    const asked = judge.value;
    const timeline = new Timeline(max_rounds);
    let verdicts = 0;
    work.tell("Scoring first…");
    await results.draw(async (place) => {
      place.append(timeline.element);
      for await (const { name, data } of events("/debate", { log, max_rounds, ...(asked ? { judge: asked } : {}) }, signal)) {
        if (name === "verdict") work.tell(`${++verdicts} verdicts to debate`);
        else if (name === "round") {
          const round = data as Round;
          timeline.add(round);
          work.tell(`Round ${round.round} is over.`);
        } else if (name === "done") await finish(timeline, { log, answer: data as DebateAnswer }, true);
      }
    }, () => timeline.rounds > 0);
  }

  async function finish(timeline: Timeline, debated: Debated, fresh: boolean) {
    const { log, answer } = debated;
    const name = nameOf(log, 0);
    const run = runOf("debate", name, `${number(answer.overall)} of 100 by debate`, debated);
    timeline.finish(answer, downloads(run, [{ conversation: name, system: log.system ?? null, answer, failure: null }]));
    if (fresh) await keepRun(run);
    work.tell(`Debated in ${answer.rounds.length} ${answer.rounds.length === 1 ? "round" : "rounds"}.`);
  }

  async function open(content: unknown) {
    const debated = content as Debated;
    const timeline = new Timeline(debated.answer.rounds.length);
    picker.write([debated.log]);
    results.renew().append(timeline.element);
    for (const round of debated.answer.rounds) timeline.add(round);
    await finish(timeline, debated, false);
  }

  const element = h("section", { id: "view-debate", "aria-labelledby": "debate-title" },
    h("h1", { id: "debate-title", tabindex: -1 }, "Debate a conversation"),
    h("p", { class: "lead" }, "Four roles read the same verdicts from their points of view, answer each other, and give one score."),
    h("div", { class: "setup" }, slot, h("div", { class: "asking" }, work.element, h("div", { class: "row" }, judge.element, field("Rounds at most", most)))),
    results.element);
  return { element, slot, open, start: () => void work.start(), pasted: (text) => picker.paste(text), dropped: (files) => void picker.open(files) };
}
