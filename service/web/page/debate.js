/** The view in which four roles debate a conversation. */

import { events } from "./api.js";
import { field, h, number, s, told } from "./dom.js";
import { Work } from "./work.js";
import { judgeText, usageText } from "./verdicts.js";

/** @import { Round, Statement, DebateAnswer, Log } from "./wire" */
/** @import { Picker } from "./picker.js" */

/** @param {Picker} picker shared with the judging view */
export function debateView(picker) {
  const judge = h("input", { type: "text", placeholder: "the operator's default", autocomplete: "off", spellcheck: "false" });
  const rounds = h("input", { type: "number", min: 1, max: 10, value: 4 });
  const slot = h("div", { class: "slot" });
  const place = h("div", { class: "debate" });
  const work = new Work("Debate", debate);

  /** @param {AbortSignal} signal */
  async function debate(signal) {
    const log = /** @type {Log} */ (picker.read()[0]);
    const asked = judge.value.trim() ? { judge: judge.value.trim() } : {};
    const timeline = new Timeline(rounds.valueAsNumber || 4);
    place.replaceChildren(timeline.element);
    let verdicts = 0;
    work.tell("Scoring first…");
    for await (const { name, data } of events("debate", { log, ...asked, max_rounds: rounds.valueAsNumber || 4 }, signal)) {
      if (name === "verdict") work.tell(`${++verdicts} verdicts to debate`);
      else if (name === "round") {
        timeline.add(data);
        work.tell(`Round ${data.round} is over.`);
      } else if (name === "done") {
        timeline.finish(data);
        work.tell(`Debated in ${data.rounds.length} ${data.rounds.length === 1 ? "round" : "rounds"}.`);
      }
    }
  }

  const element = h("section", { id: "view-debate", "aria-labelledby": "debate-title" },
    h("h2", { id: "debate-title", tabindex: -1 }, "Debate a conversation"),
    h("div", { class: "setup" }, slot, h("div", {},
      h("div", { class: "row" }, field("Judge", judge, "of factors and for all roles"), field("Rounds at most", rounds)), work.element)),
    place);
  return { element, slot };
}

/** Rounds as they end: a figure of how the scores move, and statements to read. */
class Timeline {
  /** @param {number} most */
  constructor(most) {
    this.most = Math.max(most, 2);
    /** @type {Round[]} */
    this.rounds = [];
    this.overall = h("div", { class: "total" });
    this.figure = h("div", { class: "moves" });
    this.list = h("ol", { class: "rounds" });
    this.element = h("div", { class: "timeline" }, this.overall, this.figure, this.list);
  }

  /** @param {Round} round */
  add(round) {
    this.rounds.push(round);
    const roles = this.rounds[0]?.statements.map((one) => one.role).sort() ?? [];
    this.figure.replaceChildren(moves(this.rounds, roles, this.most), legend(this.rounds, roles));
    const before = this.rounds.at(-2);
    const statements = [...round.statements].sort((a, b) => a.role.localeCompare(b.role));
    this.list.append(h("li", { class: "round" },
      h("h3", {}, `Round ${round.round} `, h("span", { class: `badge ${round.all_agree ? "agree" : ""}` }, consensus(round))),
      h("div", { class: "statements" }, ...statements.map((one) => speech(one, roles.indexOf(one.role), scoreOf(before, one.role))))));
  }

  /** @param {DebateAnswer} answer */
  finish(answer) {
    this.overall.replaceChildren(
      h("p", { class: "mean" }, h("strong", {}, number(answer.overall)), " of 100 ",
        h("span", { class: "hint" }, `mean of ${answer.roles_counted} roles; ${answer.converged ? "they came to agree" : "they did not come to agree"}${answer.factor_mean === null ? "" : `; the factors' mean is ${number(answer.factor_mean)}`}`)),
      ...answer.warnings.map((one) => h("p", { class: "warning" }, h("code", {}, one.code), ` ${one.detail}`)),
      h("p", { class: "facts" }, `judged by ${answer.judges.map(judgeText).join(", ")} · ${usageText(answer.usage)} · comparison key ${answer.comparison_key}`));
  }
}

/** @param {Round} round */
function consensus(round) {
  if (round.all_agree) return "all agree";
  if (round.major_agree) return `three quarters agree, spread ${round.spread}`;
  return round.spread === null ? "no scores" : `spread ${round.spread}`;
}

/** @param {Round | undefined} round @param {string} role */
function scoreOf(round, role) {
  return round?.statements.find((one) => one.role === role)?.score ?? null;
}

/** @param {Statement} one @param {number} index @param {number | null} before */
function speech(one, index, before) {
  const change = one.score === null || before === null ? "" : one.score === before ? " (unchanged)" : ` (was ${before})`;
  return h("article", { class: "card statement", "aria-label": told(one.role) },
    h("h4", {}, h("span", { class: `key role-${index % 8}` }), " ", told(one.role), " ",
      h("span", { class: `score ${one.status}` }, one.score === null ? "failed" : `${one.score}${change}`)),
    h("p", {}, one.statement ?? one.reason?.detail),
    h("p", { class: "facts" }, [judgeText(one.judge), one.cached ? "cache hit" : "", usageText(one.usage)].filter(Boolean).join(" · ")));
}

const WIDTH = 600, HEIGHT = 220, LEFT = 48, RIGHT = 16, TOP = 12, BOTTOM = 28;

/** Scores from 0 to 100 over the rounds, a line a role. @param {Round[]} rounds @param {string[]} roles @param {number} most */
function moves(rounds, roles, most) {
  const x = (/** @type {number} */ round) => LEFT + 24 + ((round - 1) / (most - 1)) * (WIDTH - LEFT - RIGHT - 48);
  const y = (/** @type {number} */ score) => TOP + (1 - score / 100) * (HEIGHT - TOP - BOTTOM);
  const grid = [0, 25, 50, 75, 100].map((score) => s("g", {},
    s("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(score), y2: y(score) }),
    s("text", { x: LEFT - 6, y: y(score) + 4, "text-anchor": "end" }, score)));
  const names = Array.from({ length: most }, (_, index) => s("text", { x: x(index + 1), y: HEIGHT - 8, "text-anchor": "middle" }, `round ${index + 1}`));
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

/** @param {Round[]} rounds @param {string[]} roles */
function legend(rounds, roles) {
  return h("ul", { class: "legend" }, ...roles.map((role, index) => {
    const scores = rounds.map((round) => scoreOf(round, role) ?? "failed");
    return h("li", {}, h("span", { class: `key role-${index % 8}` }), " ", told(role), ": ", scores.join(" → "));
  }));
}
