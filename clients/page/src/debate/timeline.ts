/** A debate: what it came to, how the scores moved, and what was said round by round. */

import type { DebateAnswer, Round, Statement } from "../../../typescript/src/index.ts";
import { h, prose, labelOf } from "../basics/dom.ts";
import { meanLine } from "../verdicts/conclusion.ts";
import { judgeText, usageText } from "../verdicts/facts.ts";
import { legend, moves, scoreOf } from "./moves.ts";

/** Rounds as they end: the result above, a figure of how the scores move, and statements to read. */
export class Timeline {
  readonly element: HTMLElement;
  readonly #most: number;
  readonly #rounds: Round[] = [];
  readonly #overall = h("section", { class: "conclusion", "aria-label": "Conclusion", hidden: true });
  readonly #files = h("div", { class: "row take-away", role: "group", "aria-label": "Take it away" });
  readonly #figure = h("div", { class: "moves" });
  readonly #list = h("ol", { class: "rounds" });
  /** Sentences that every statement of the first round has: they are said once, above. */
  #shared: string[] = [];

  constructor(most: number) {
    this.#most = Math.max(most, 2);
    this.element = h("div", { class: "timeline" }, this.#overall, this.#files, this.#figure, this.#list);
  }

  /** Number of rounds that are over. */
  get rounds(): number {
    return this.#rounds.length;
  }

  add(round: Round) {
    const before = this.#rounds.at(-1);
    if (!before) this.#shared = sharedSentences(round.statements);
    this.#rounds.push(round);
    const roles = this.#rounds[0]?.statements.map((one) => one.role).sort() ?? [];
    this.#figure.replaceChildren(moves(this.#rounds, roles, this.#most), legend(this.#rounds, roles));
    const statements = [...round.statements].sort((a, b) => a.role.localeCompare(b.role));
    for (const earlier of this.#list.querySelectorAll("details")) earlier.open = false;
    this.#list.append(h("li", { class: "round" }, h("details", { open: true },
      h("summary", {}, h("h2", {}, `Round ${round.round} `, h("span", { class: `badge ${round.all_agree ? "agree" : ""}` }, consensus(round)))),
      h("div", { class: "statements" }, ...statements.map((one) => this.#speech(one, roles.indexOf(one.role), scoreOf(before, one.role)))))));
  }

  #speech(one: Statement, index: number, before: number | null): HTMLElement {
    const change = one.score === null || before === null ? "" : one.score === before ? "unchanged" : `was ${before}`;
    const said = one.statement === null ? one.reason?.detail : sentences(one.statement).filter((text) => !this.#shared.includes(text)).join(" ");
    return h("article", { class: "card statement", "aria-label": labelOf(one.role) },
      h("h3", { class: "head" }, h("span", {}, h("span", { class: `key role-${index % 8}` }), " ", labelOf(one.role)), " ",
        h("span", { class: `score ${one.status}` }, one.score === null ? "failed" : one.score, change ? h("span", { class: "hint" }, ` ${change}`) : null)),
      h("p", { dir: "auto" }, said),
      h("p", { class: "facts" }, [judgeText(one.judge), one.cached ? "cache hit" : "", usageText(one.usage)].filter(Boolean).join(" · ")));
  }

  /** Say what it came to; `files` are buttons to take it away. */
  finish(answer: DebateAnswer, files: HTMLElement[]) {
    this.#overall.hidden = false;
    this.#overall.replaceChildren(
      h("div", { class: "total" },
        meanLine(answer.overall, 0, 100, `mean of ${answer.roles_counted} roles; ${answer.converged ? "they came to agree" : "they did not come to agree"}${answer.factor_mean === null ? "" : `; the factors' mean is ${Math.round(answer.factor_mean)}`}`),
        h("p", { class: "facts" }, `judged by ${answer.judges.map(judgeText).join(", ")} · ${usageText(answer.usage)} · comparison key ${answer.comparison_key}`)),
      ...this.#course(),
      ...answer.warnings.map((one) => h("p", { class: "warning" }, h("code", {}, one.code), " ", ...prose(one.detail))),
      ...(this.#shared.length ? [h("p", { class: "warning" }, this.#shared.join(" "))] : []));
    this.#files.replaceChildren(...files);
  }

  /** First and last scores of the strictest and the mildest role. */
  #course(): HTMLElement[] {
    const [first, last] = [this.#rounds[0], this.#rounds.at(-1)];
    const ends = [...(last?.statements ?? [])].filter((one) => one.score !== null).sort((a, b) => (a.score ?? 0) - (b.score ?? 0));
    const [strict, mild] = [ends[0], ends.at(-1)];
    if (!first || !strict || !mild || strict === mild) return [];
    const range = (round: Round) => {
      const scores = round.statements.flatMap((one) => one.score ?? []);
      return [...new Set([Math.min(...scores), Math.max(...scores)])].join(" to ");
    };
    return [h("div", { class: "costs" }, h("h2", {}, "How it came about"),
      h("p", {}, `The roles began at ${range(first)}`, this.#rounds.length > 1 && last ? ` and ended in round ${this.#rounds.length} at ${range(last)}.` : "."),
      strict.score === mild.score ? null : h("p", {}, "Strictest: ", h("strong", {}, labelOf(strict.role)), ` with ${strict.score}; mildest: `, h("strong", {}, labelOf(mild.role)), ` with ${mild.score}.`))];
  }
}

function sentences(text: string): string[] {
  return text.split(/(?<=[.!?]) (?=\p{Lu})/u);
}

function sharedSentences(statements: Statement[]): string[] {
  const all = statements.flatMap((one) => (one.statement === null ? [] : [sentences(one.statement)]));
  return all.length < 2 ? [] : (all[0] ?? []).filter((text) => all.every((one) => one.includes(text)));
}

function consensus(round: Round): string {
  if (round.all_agree) return "all agree";
  if (round.major_agree) return `three quarters agree, spread ${round.spread}`;
  return round.spread === null ? "no scores" : `spread ${round.spread}`;
}
