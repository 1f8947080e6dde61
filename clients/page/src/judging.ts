/** Many conversations judged in one go. */

import { CrsEvalError, type BatchLine, type Log, type Problem, type ScoreAnswer } from "../../typescript/src/index.ts";
import { answers } from "./api.ts";
import { nameOf } from "./logs.ts";
import { InputError } from "./problem.ts";
import type { Failure, Result } from "./rows.ts";

/** Lines of a request: few at first, since those of one request share the service and finish together. */
const WINDOWS = [4, 32, 100];

/** A conversation that waits for its answer, or has it. */
export interface Case extends Result {
  log: Log;
}

export function waiting(logs: Log[], system: string | null): Case[] {
  return logs.map((log, index) => ({
    conversation: nameOf(log, index), system: system ?? log.system ?? null, log, answer: null, failure: null,
  }));
}

/** How two sides are paired, in words; empty for one side. Throws an InputError where they cannot be: it is
 * found before anything is judged, and paid for. */
export function pairing(sides: Case[][]): string {
  const [first, second] = sides;
  if (!first || !second) return "";
  const systems = sides.map((cases) => cases[0]?.system ?? "");
  if (systems[0] === systems[1]) throw new InputError(`The two sides cannot be compared: they are both called ${systems[0]}.`);
  const names = sides.map((cases, index) => namesOf(cases, systems[index] ?? ""));
  const pairs = second.filter((one) => names[0]?.has(one.conversation));
  if (!pairs.length) {
    throw new InputError(`The two sides cannot be compared: they share no conversation. ${systems[0]} begins with '${first[0]?.conversation}', `
      + `${systems[1]} with '${second[0]?.conversation}'. Give conversations of the same user the same id; without ids on both sides the place counts.`);
  }
  const placed = pairs.every((one) => !one.log.id);
  return `, ${pairs.length} ${pairs.length === 1 ? "pair" : "pairs"}${placed ? " by place" : ""}`;
}

function namesOf(cases: Case[], system: string): Set<string> {
  const names = new Set<string>();
  for (const { conversation } of cases) {
    if (names.has(conversation)) throw new InputError(`The two sides cannot be compared: ${system} holds '${conversation}' twice. Give each conversation an id of its own.`);
    names.add(conversation);
  }
  return names;
}

/** Judge all; each is filled as its answer comes, and given back. */
export async function* judgeAll(cases: Case[], asked: object, signal: AbortSignal): AsyncGenerator<Case> {
  for (let start = 0, turn = 0; start < cases.length; turn++) {
    const window = WINDOWS[Math.min(turn, WINDOWS.length - 1)] ?? 1;
    const lines: BatchLine[] = cases.slice(start, start + window).map(({ log }, index) => ({
      custom_id: String(start + index), path: "/score", body: { log, ...asked },
    }));
    for await (const result of answers(lines, window, signal)) {
      const one = cases[Number(result.custom_id)];
      if (!one) continue;
      if (result.status === 200) one.answer = result.body as unknown as ScoreAnswer;
      else one.failure = failureOf(result.status, result.body as Partial<Problem>);
      yield one;
    }
    start += window;
  }
}

/** A refusal as the command line keeps it: what is wrong, and the first fix. */
function failureOf(status: number, problem: Partial<Problem>): Failure {
  const detail = problem.detail ?? new CrsEvalError(status, problem).message;
  const fix = problem.errors?.find((one) => one.fix)?.fix;
  const told = { status, detail: fix && !detail.includes(fix) ? `${detail}; ${fix}` : detail };
  return problem.type === undefined ? told : { ...told, type: problem.type };
}
