/** The view that judges one conversation. */

import { CrsEvalError, UnreachableError, type Log, type ScoreAnswer, type Verdict } from "../../../typescript/src/index.ts";
import { events } from "../asking/api.ts";
import { allChoices, allExamples, allFactors, allFaults, resolve } from "../asking/catalogue.ts";
import { Options, type Asked } from "../asking/options.ts";
import { h, number } from "../basics/dom.ts";
import { InputError } from "../basics/problem.ts";
import { Results } from "../basics/results.ts";
import { Work } from "../basics/work.ts";
import { workbench } from "../conversation/workbench.ts";
import { addressedLog } from "../kept/address.ts";
import { keepRun, runOf } from "../kept/keeping.ts";
import type { Run } from "../kept/runs.ts";
import { copies, downloads } from "../kept/share.ts";
import { verdictsOf, type Answer } from "../many/rows.ts";
import { nameOf } from "../reading/logs.ts";
import { shownOf } from "../verdicts/facts.ts";
import type { Desk, Place, View } from "./view.ts";

/** The example that stands there until somebody judges one of their own: the one with the most to see. */
const FIRST = "broken";
/** The judge of that example: it costs nothing. */
const FREE = "builtin";

function runOfJudgement(judgement: Judgement): Run {
  const { log, answer } = judgement;
  const [summary] = "summaries" in answer ? answer.summaries ?? [] : [];
  const score = summary?.overall ?? summary?.mean ?? null;
  return runOf("score", log ? nameOf(log, 0) : "conversation", score === null ? "judged" : `${number(score)} of ${summary?.scale.max}`, judgement);
}

/** Buttons for what a person can take away. */
function takeAway({ log, asked, answer }: Judgement, run: Run): HTMLElement {
  const result = { conversation: run.name, system: log?.system ?? null, answer, failure: null };
  return h("div", { class: "row take-away", role: "group", "aria-label": "Take it away" }, ...downloads(run, [result]), ...(log ? copies(log, asked, answer) : []));
}

/** Result of judging a conversation, and its request. */
interface Judgement {
  log: Log | null;
  asked: object;
  answer: Answer;
}

export interface JudgingView extends View {
  /** Show a conversation that was judged elsewhere. */
  show: Desk["show"];
  /** Judge a conversation that comes from elsewhere. */
  judge: (log: Log) => void;
}

export function scoreView({ picker }: Desk): JudgingView {
  const options = new Options();
  const slot = h("div", { class: "slot" });
  const results = new Results("judged", h("p", { class: "empty" }, "Scores and verdicts appear here as they arrive, beside the conversation."));
  const work = new Work("Judge", judge, { failing: results, point: (pointer) => picker.point(pointer), reread: () => { picker.reread(); void work.start(); } });
  let begun = false;
  /** Set while the conversation is the one in the address. */
  let addressed = false;

  /** Draw what comes of a conversation as it comes; the answer, once it is whole. */
  async function draw(place: HTMLElement, log: Log, asked: Asked, signal: AbortSignal, tell: (count: number, of: number) => void): Promise<ScoreAnswer | null> {
    const [factors] = await Promise.all([resolve(asked), allFaults()]);
    const shown = workbench(place, log, factors);
    let count = 0;
    let answer: ScoreAnswer | null = null;
    try {
      for await (const { name, data } of events("/score", { log, ...asked }, signal)) {
        if (name === "verdict") {
          shown.add(data as Verdict);
          tell(++count, factors.length);
        } else if (name === "done") answer = data as ScoreAnswer;
      }
      if (answer) shown.finish(answer);
      return answer;
    } finally {
      shown.end();
    }
  }

  async function judge(signal: AbortSignal) {
    begun = true;
    if (location.hash.includes("?") && !addressed) history.replaceState(null, "", "#score");
    addressed = false;
    const logs = await picker.read(signal);
    const log = logs[0] as Log;
    const asked = options.read();
    if (!asked.factors.length && !asked.rubrics) throw new InputError("No factor is chosen.");
    let count = 0;
    await results.draw(async (place) => {
      const answer = await draw(place, log, asked, signal, (now, of) => {
        count = now;
        work.tell(`${now} of ${of} verdicts`);
      });
      if (answer) {
        const run = runOfJudgement({ log, asked, answer });
        place.querySelector(".conclusion")?.after(takeAway({ log, asked, answer }, run));
        await keepRun(run);
      }
    }, () => count > 0);
    const rest = logs.length > 1 ? ` The text holds ${logs.length} conversations; this is the first. Compare takes them all.` : "";
    work.tell(`${count} ${count === 1 ? "verdict" : "verdicts"} on ${nameOf(log, 0)}.${rest}`);
  }

  /** Draw a judgement that is whole. */
  async function drawWhole({ log, asked, answer }: Judgement, name: string, at?: Place) {
    begun = true;
    work.abort();
    if (log) picker.write([log]);
    const [known] = await Promise.all([allFactors(), allFaults()]);
    const verdicts = verdictsOf(answer);
    const place = results.renew();
    const shown = workbench(place, log, shownOf(verdicts).map((one) => known.find((factor) => factor.slug === one.slug) ?? one));
    for (const verdict of verdicts) shown.add(verdict);
    shown.finish(answer);
    shown.end();
    place.querySelector(".conclusion")?.after(takeAway({ log, asked, answer }, runOfJudgement({ log, asked, answer })));
    work.tell(`${verdicts.length} verdicts on ${name}.`);
    if (at) shown.show(at.message, at.fault);
  }

  /** Show the conversation in the address, judged where that costs nothing; without one, an example likewise. */
  async function welcome() {
    const given = await addressedLog();
    if (begun) return;
    if (given) picker.write([given]);
    addressed = given !== null;
    try {
      const [{ judges, default_judge }, examples] = await Promise.all([allChoices(), allExamples()]);
      if (begun) return;
      if (given) {
        if (default_judge === FREE) await work.start();
        return;
      }
      const log = examples.find(({ name }) => name === FIRST)?.request.log;
      if (!log || !judges.includes(FREE)) return;
      await results.draw(async (place) => {
        place.append(h("p", { class: "example-note" }, "An example: a film recommender that goes wrong, judged by this service just now."));
        await draw(place, log, { factors: ["core"], judge: FREE }, new AbortController().signal, () => {});
      }, () => false, false);
    } catch (error) {
      // An error appears when something is asked for.
      if (!(error instanceof CrsEvalError || error instanceof UnreachableError)) throw error;
    }
  }

  const element = h("section", { id: "view-score", "aria-labelledby": "score-title" },
    h("h1", { id: "score-title", tabindex: -1 }, "Judge a conversation"),
    h("p", { class: "lead" }, "crs-eval reads a conversation between a user and a recommender, and says how good the recommender was, why, and how sure that is."),
    h("div", { class: "setup" }, slot, h("div", { class: "asking" }, work.element, options.element)),
    results.element);
  return {
    element, slot, start: () => void work.start(), pasted: (text) => picker.paste(text), dropped: (files) => void picker.open(files), shown: welcome, picked: () => void work.start(),
    open: (content) => drawWhole(content as Judgement, nameOf((content as Judgement).log ?? { messages: [] }, 0)),
    show: (log, answer, name, at) => void drawWhole({ log, asked: {}, answer }, name, at),
    judge(log) {
      picker.write([log]);
      void work.start();
    },
  };
}
