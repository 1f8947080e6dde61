/** Many conversations, what was said of them, and what that comes to. */

import type { DebateAnswer, EvaluateAnswer, Scale, ScoreAnswer, SimulateAnswer, Verdict } from "../../../typescript/src/index.ts";
import { breathe } from "../basics/dom.ts";
import { faultsOf, type Found } from "../verdicts/faults.ts";
import { interval, mean, type Interval } from "../basics/statistics.ts";

const OVERALL = "overall";
const SPAN = 4;
const DEBATE = { slug: "overall-by-debate", scale: { min: 0, max: 100 } };
/** Slug of the mean over factors where a debate gave an overall score of its own. */
const MEAN = "mean-of-factors";

/** Answers that results can hold: the command line calls four routes. */
export type Answer = ScoreAnswer | EvaluateAnswer | DebateAnswer | SimulateAnswer;

/** Result of one conversation: a line of a results file of the command line. */
export interface Result {
  conversation: string;
  system: string | null;
  answer: Answer | null;
  failure: Failure | null;
}

export interface Failure {
  status: number | null;
  detail: string;
  /** The problem's, where the service names one. */
  type?: string;
}

/** A result in a table. */
export interface Row extends Result {
  verdicts: Map<string, Verdict>;
  /** Faults of single replies, the costliest first. */
  faults: Found[];
  /** The overall score of CoRE's protocol, or else the mean over factors, each put on 0-4. */
  overall: number | null;
  /** Score of a debate, 0-100. */
  debate: number | null;
}

/** A factor as tables need it. */
export interface Measure {
  slug: string;
  scale: Scale;
}

/** One factor of one system in a few numbers. */
export interface Figure extends Measure {
  system: string | null;
  n: number;
  mean: number | null;
  interval: Interval | null;
  /** Number of conversations at each level, the lowest first. */
  levels: number[];
  notAssessable: number;
  failed: number;
}

export function verdictsOf(answer: Answer): Verdict[] {
  return answer.verdicts ?? [];
}

export function rowOf(result: Result): Row {
  const verdicts = result.answer ? verdictsOf(result.answer) : [];
  const shares = verdicts.flatMap(({ score, scale }) => (score === null ? [] : [((score - scale.min) / (scale.max - scale.min)) * SPAN]));
  const debate = result.answer ? debateOf(result.answer) : null;
  return {
    ...result, debate, faults: faultsOf(verdicts), verdicts: new Map(verdicts.map((verdict) => [verdict.factor, verdict])),
    overall: (debate === null ? fittedIn(result.answer) : null) ?? mean(shares),
  };
}

/** The overall score of CoRE's protocol, null where no summary has one. */
export function fittedIn(answer: Answer | null): number | null {
  return answer && "summaries" in answer ? answer.summaries?.find((one) => (one.overall ?? null) !== null)?.overall ?? null : null;
}

function debateOf(answer: Answer): number | null {
  if ("overall" in answer) return answer.overall;
  return "debate" in answer ? answer.debate?.overall ?? null : null;
}

/** The factors that were judged, in the order they were, and the debate where there was one. */
export function measuresOf(rows: Row[]): Measure[] {
  const found = new Map<string, Measure>();
  for (const row of rows) {
    for (const { factor, scale } of row.verdicts.values()) if (!found.has(factor)) found.set(factor, { slug: factor, scale });
  }
  return [...found.values(), ...(rows.some((row) => row.debate !== null) ? [DEBATE] : [])];
}

export function scoreOf(row: Row, slug: string): number | null {
  if (slug === OVERALL || slug === MEAN) return row.overall;
  return slug === DEBATE.slug ? row.debate : row.verdicts.get(slug)?.score ?? null;
}

export function scaleOf(row: Row, slug: string): Scale {
  return slug === DEBATE.slug ? DEBATE.scale : row.verdicts.get(slug)?.scale ?? { min: 0, max: SPAN };
}

export function systemsOf(rows: Row[]): (string | null)[] {
  return [...new Set(rows.map((row) => row.system))];
}

/** All factors as one, then each factor of each system, in a few numbers. */
export async function figures(rows: Row[]): Promise<Figure[]> {
  const made: Figure[] = [];
  for (const measure of withOverall(measuresOf(rows))) {
    for (const system of systemsOf(rows)) {
      const members = rows.filter((row) => row.system === system && row.answer);
      if (members.length) made.push(figure(measure, system, members));
      await breathe();
    }
  }
  return made;
}

function figure({ slug, scale }: Measure, system: string | null, members: Row[]): Figure {
  const scores = members.flatMap((row) => scoreOf(row, slug) ?? []);
  const levels = new Array<number>(scale.max - scale.min + 1).fill(0);
  for (const score of scores) {
    const level = Math.min(levels.length - 1, Math.max(0, Math.round(score - scale.min)));
    levels[level] = (levels[level] ?? 0) + 1;
  }
  const count = (status: string) => members.filter((row) => row.verdicts.get(slug)?.status === status).length;
  return {
    slug, scale, system, n: scores.length, mean: mean(scores), interval: interval(scores), levels,
    notAssessable: [OVERALL, MEAN, DEBATE.slug].includes(slug) ? members.length - scores.length : count("not_assessable"), failed: count("failed"),
  };
}

/** Returns the slug of the mean over these factors. */
export function overallOf(measures: Measure[]): string {
  return measures.includes(DEBATE) ? MEAN : OVERALL;
}

export function withOverall(measures: Measure[]): Measure[] {
  return measures.length > 1 ? [{ slug: overallOf(measures), scale: { min: 0, max: SPAN } }, ...measures] : measures;
}
