/** Many conversations and what was said of them. */

import { batch, ProblemError } from "./api.js";
import { nameOf } from "./logs.js";
import { interval, mean } from "./statistics.js";
import { breathe } from "./dom.js";

/** @import { Log, Verdict, Problem, FactorInfo, ScoreAnswer } from "./wire" */
/** @import { Interval } from "./statistics.js" */

/** Lines of a batch at a time: few at first, since those of a batch share the service and finish together. */
const WINDOWS = [4, 32, 100];
export const OVERALL = "overall";
const SPAN = 4;

/**
 * @typedef {object} Row one conversation
 * @property {string} conversation @property {string} system @property {Log} log
 * @property {ScoreAnswer | null} answer @property {Problem | null} problem
 * @property {Map<string, Verdict>} verdicts @property {number | null} overall mean over factors, each on 0-4
 */
/** @typedef {{name: string, low: number, high: number, system: string, scores: number[], mean: number | null, interval: Interval | null, levels: number[], notAssessable: number, failed: number}} Figure */
/** @typedef {{name: string, span: number, n: number, first: number, second: number, difference: number, interval: Interval | null}} Difference */

/** Rows that wait for their answers. @param {Log[]} logs @param {string | null} system @returns {Row[]} */
export function waiting(logs, system) {
  return logs.map((log, index) => ({
    conversation: nameOf(log, index), system: system ?? log.system ?? "", log,
    answer: null, problem: null, verdicts: new Map(), overall: null,
  }));
}

/**
 * Judge all rows; each is filled as its answer comes, and named.
 * @param {Row[]} rows @param {object} asked @param {AbortSignal} signal @returns {AsyncGenerator<Row>}
 */
export async function* judgeAll(rows, asked, signal) {
  for (let start = 0, turn = 0, end = 0; start < rows.length; start = end, turn++) {
    const first = start;
    end = start + (WINDOWS[Math.min(turn, WINDOWS.length - 1)] ?? 1);
    const lines = rows.slice(first, end).map((row, index) => ({
      custom_id: String(first + index), path: "/score", body: { log: row.log, ...asked },
    }));
    for await (const result of batch(lines, signal)) {
      const row = rows[Number(result.custom_id ?? NaN)];
      if (!row) throw new ProblemError(result.body);
      if (result.status === 200) fill(row, result.body);
      else row.problem = result.body;
      yield row;
    }
  }
}

/** @param {Row} row @param {ScoreAnswer} answer */
export function fill(row, answer) {
  row.answer = answer;
  row.verdicts = new Map(answer.verdicts.map((verdict) => [verdict.factor, verdict]));
  row.overall = mean(answer.verdicts.flatMap((one) => (one.score === null ? [] : [((one.score - one.scale.min) / (one.scale.max - one.scale.min)) * SPAN])));
}

/** @param {Row} row @param {string} factor */
export function scoreOf(row, factor) {
  return factor === OVERALL ? row.overall : row.verdicts.get(factor)?.score ?? null;
}

/** @param {Row[]} rows */
export function systemsOf(rows) {
  return [...new Set(rows.map((row) => row.system))];
}

/**
 * Each factor of each system in a few numbers, then all factors as one.
 * @param {Row[]} rows @param {FactorInfo[]} factors @returns {Promise<Figure[]>}
 */
export async function figures(rows, factors) {
  /** @type {Figure[]} */
  const made = [];
  for (const { slug, scale } of measures(factors)) {
    for (const system of systemsOf(rows)) {
      const members = rows.filter((row) => row.system === system && row.answer);
      const scores = members.flatMap((row) => scoreOf(row, slug) ?? []);
      const levels = new Array(scale.max - scale.min + 1).fill(0);
      for (const score of scores) levels[Math.min(levels.length - 1, Math.max(0, Math.round(score - scale.min)))] += 1;
      const count = (/** @type {string} */ status) => members.filter((row) => row.verdicts.get(slug)?.status === status).length;
      made.push({
        name: slug, low: scale.min, high: scale.max, system, scores, mean: mean(scores), interval: interval(scores), levels,
        notAssessable: slug === OVERALL ? members.length - scores.length : count("not_assessable"), failed: count("failed"),
      });
      await breathe();
    }
  }
  return made;
}

/**
 * The second system minus the first, over conversations of one name; none unless there are two systems.
 * @param {Row[]} rows @param {FactorInfo[]} factors @returns {Promise<Difference[]>}
 */
export async function differences(rows, factors) {
  const systems = systemsOf(rows);
  if (systems.length !== 2) return [];
  const named = systems.map((system) => new Map(rows.filter((row) => row.system === system).map((row) => [row.conversation, row])));
  /** @type {Difference[]} */
  const made = [];
  for (const { slug, scale } of measures(factors)) {
    /** @type {[number, number][]} */
    const pairs = [];
    for (const [name, row] of named[0] ?? []) {
      const other = named[1]?.get(name);
      const scores = [scoreOf(row, slug), other ? scoreOf(other, slug) : null];
      if (scores[0] != null && scores[1] != null) pairs.push([scores[0], scores[1]]);
    }
    if (!pairs.length) continue;
    const gaps = pairs.map(([first, second]) => second - first);
    made.push({
      name: slug, span: scale.max - scale.min, n: pairs.length, first: mean(pairs.map((pair) => pair[0])) ?? 0,
      second: mean(pairs.map((pair) => pair[1])) ?? 0, difference: mean(gaps) ?? 0, interval: interval(gaps),
    });
    await breathe();
  }
  return made;
}

/** @param {FactorInfo[]} factors */
function measures(factors) {
  const all = factors.map(({ slug, scale }) => ({ slug, scale }));
  return all.length > 1 ? [...all, { slug: OVERALL, scale: { min: 0, max: SPAN } }] : all;
}
