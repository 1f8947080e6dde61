/** The view in which four roles debate a conversation. */

import type { DebateAnswer, Log, Round, Statement } from "../../typescript/src/index.ts";
import { events } from "./api.ts";
import { field, h, number, s, told } from "./dom.ts";
import { judgeChoice } from "./options.ts";
import type { Picker } from "./picker.ts";
import { Results } from "./results.ts";
import { judgeText, usageText } from "./verdicts.ts";
import { Work } from "./work.ts";

const ROUNDS = 4;

/** `picker` is shared with the judging view. */
export function debateView(picker: Picker) {
  const judge = judgeChoice("Judge", "of factors and for all roles");
  const most = h("input", { type: "number", min: 1, max: 10, value: ROUNDS });
  const slot = h("div", { class: "slot" });
  const results = new Results("debate", h("p", { class: "empty" }, "Rounds appear here as they end: how the scores move, and what each role says."));
  const work = new Work("Debate", debate);

  async function debate(signal: AbortSignal) {
    const log = picker.read()[0] as Log;
    const max_rounds = most.valueAsNumber || ROUNDS;
    const timeline = new Timeline(max_rounds);
    let verdicts = 0;
    work.tell("Scoring first…");
    await results.draw(async (place) => {
      place.append(timeline.element);
      for await (const { name, data } of events("/debate", { log, max_rounds, ...(judge.value ? { judge: judge.value } : {}) }, signal)) {
        if (name === "verdict") work.tell(`${++verdicts} verdicts to debate`);
        else if (name === "round") {
          const round = data as Round;
          timeline.add(round);
          work.tell(`Round ${round.round} is over.`);
        } else if (name === "done") {
          const { rounds } = timeline.finish(data as DebateAnswer);
          work.tell(`Debated in ${rounds.length} ${rounds.length === 1 ? "round" : "rounds"}.`);
        }
      }
    }, () => timeline.rounds > 0);
  }

  const element = h("section", { id: "view-debate", "aria-labelledby": "debate-title" },
    h("h2", { id: "debate-title", tabindex: -1 }, "Debate a conversation"),
    h("div", { class: "setup" }, slot, h("div", {},
      h("div", { class: "row" }, judge.element, field("Rounds at most", most)), work.element)),
    results.element);
  return { element, slot };
}

/** Rounds as they end: a figure of how the scores move, and statements to read. */
class Timeline {
  readonly element: HTMLElement;
  readonly #most: number;
  readonly #rounds: Round[] = [];
  readonly #overall = h("div", { class: "total" });
  readonly #figure = h("div", { class: "moves" });
  readonly #list = h("ol", { class: "rounds" });

  constructor(most: number) {
    this.#most = Math.max(most, 2);
    this.element = h("div", { class: "timeline" }, this.#overall, this.#figure, this.#list);
  }

  /** How many rounds are over. */
  get rounds(): number {
    return this.#rounds.length;
  }

  add(round: Round) {
    const before = this.#rounds.at(-1);
    this.#rounds.push(round);
    const roles = this.#rounds[0]?.statements.map((one) => one.role).sort() ?? [];
    this.#figure.replaceChildren(moves(this.#rounds, roles, this.#most), legend(this.#rounds, roles));
    const statements = [...round.statements].sort((a, b) => a.role.localeCompare(b.role));
    this.#list.append(h("li", { class: "round" },
      h("h3", {}, `Round ${round.round} `, h("span", { class: `badge ${round.all_agree ? "agree" : ""}` }, consensus(round))),
      h("div", { class: "statements" }, ...statements.map((one) => speech(one, roles.indexOf(one.role), scoreOf(before, one.role))))));
  }

  finish(answer: DebateAnswer): DebateAnswer {
    this.#overall.replaceChildren(
      h("p", { class: "mean" }, h("strong", {}, number(answer.overall)), " of 100 ",
        h("span", { class: "hint" }, `mean of ${answer.roles_counted} roles; ${answer.converged ? "they came to agree" : "they did not come to agree"}${answer.factor_mean === null ? "" : `; the factors' mean is ${number(answer.factor_mean)}`}`)),
      ...answer.warnings.map((one) => h("p", { class: "warning" }, h("code", {}, one.code), ` ${one.detail}`)),
      h("p", { class: "facts" }, `judged by ${answer.judges.map(judgeText).join(", ")} · ${usageText(answer.usage)} · comparison key ${answer.comparison_key}`));
    return answer;
  }
}

function consensus(round: Round): string {
  if (round.all_agree) return "all agree";
  if (round.major_agree) return `three quarters agree, spread ${round.spread}`;
  return round.spread === null ? "no scores" : `spread ${round.spread}`;
}

function scoreOf(round: Round | undefined, role: string): number | null {
  return round?.statements.find((one) => one.role === role)?.score ?? null;
}

function speech(one: Statement, index: number, before: number | null): HTMLElement {
  const change = one.score === null || before === null ? "" : one.score === before ? "unchanged" : `was ${before}`;
  return h("article", { class: "card statement", "aria-label": told(one.role) },
    h("h4", { class: "head" }, h("span", {}, h("span", { class: `key role-${index % 8}` }), " ", told(one.role)), " ",
      h("span", { class: `score ${one.status}` }, one.score === null ? "failed" : one.score, change ? h("span", { class: "hint" }, ` ${change}`) : null)),
    h("p", { dir: "auto" }, one.statement ?? one.reason?.detail),
    h("p", { class: "facts" }, [judgeText(one.judge), one.cached ? "cache hit" : "", usageText(one.usage)].filter(Boolean).join(" · ")));
}

const WIDTH = 600, HEIGHT = 220, LEFT = 48, RIGHT = 16, TOP = 12, BOTTOM = 28;

/** Scores from 0 to 100 over the rounds, a line a role. */
function moves(rounds: Round[], roles: string[], most: number): SVGElement {
  const x = (round: number) => LEFT + 24 + ((round - 1) / (most - 1)) * (WIDTH - LEFT - RIGHT - 48);
  const y = (score: number) => TOP + (1 - score / 100) * (HEIGHT - TOP - BOTTOM);
  const grid = [0, 25, 50, 75, 100].map((score) => s("g", {},
    s("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(score), y2: y(score) }),
    s("text", { x: LEFT - 6, y: y(score) + 4, "text-anchor": "end" }, score)));
  const names = Array.from({ length: most }, (_, index) => s("text", { x: x(index + 1), y: HEIGHT - 8, "text-anchor": "middle" }, most > 6 ? index + 1 : `round ${index + 1}`));
  const lines = roles.map((role, index) => {
    const points = rounds.flatMap((round) => {
      const score = scoreOf(round, role);
      return score === null ? [] : [{ x: x(round.round), y: y(score) }];
    });
    return s("g", { class: `role-${index % 8}` },
      s("polyline", { points: points.map((point) => `${point.x},${point.y}`).join(" ") }),
      ...points.map((point) => s("circle", { cx: point.x, cy: point.y, r: 5 })));
  });
  return s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "Scores of the roles by round; the list that follows says them" }, ...grid, ...names, ...lines);
}

function legend(rounds: Round[], roles: string[]): HTMLElement {
  return h("ul", { class: "legend" }, ...roles.map((role, index) => {
    const scores = rounds.map((round) => scoreOf(round, role) ?? "failed");
    return h("li", {}, h("span", { class: `key role-${index % 8}` }), " ", told(role), ": ", scores.join(" → "));
  }));
}
