/** Many conversations judged in one go. */

import { CrsEvalError, type BatchLine, type Log, type Problem, type ScoreAnswer } from "../../../typescript/src/index.ts";
import { answers } from "../asking/api.ts";
import type { Failure, Result } from "./rows.ts";

/** Lines of a request: few at first, since those of one request share the service and finish together. */
const WINDOWS = [4, 32, 100];

/** A conversation that waits for its answer, or has it. Of results from a file the log is not known. */
export interface Case extends Result {
  log: Log | null;
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
  const described = { status, detail: fix && !detail.includes(fix) ? `${detail}; ${fix}` : detail };
  return problem.type === undefined ? described : { ...described, type: problem.type };
}
