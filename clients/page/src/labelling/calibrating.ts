/** Labels and verdicts as ratings, for `/calibrate`. */

import type { CalibrationRating } from "../../../typescript/src/index.ts";
import { InputError } from "../basics/problem.ts";
import type { Case } from "../many/judging.ts";
import { judgeText } from "../verdicts/facts.ts";

/** Returns the judge's ratings of these factors. */
export function judgeRatings(cases: Case[], slugs: string[]): CalibrationRating[] {
  return cases.flatMap(({ conversation, system, answer }) => (answer?.verdicts ?? []).flatMap((verdict) => {
    if (verdict.score === null || !slugs.includes(verdict.factor)) return [];
    const judge = judgeText(verdict.judge);
    return [{
      conversation, ...(system === null ? {} : { system }), factor: verdict.factor, rater: judge, kind: "judge" as const, score: verdict.score,
      judge, evaluator_revision: verdict.evaluator_revision,
    }];
  }));
}

/** Labels as a sheet exports them, a rating in each line. */
export function labelRatings(text: string): CalibrationRating[] {
  return text.split(/\r?\n/).filter((line) => line.trim()).map((line, index) => {
    try {
      const { conversation, system, factor, rater, kind, score, repeat, domain } = JSON.parse(line) as CalibrationRating;
      if (conversation === undefined || factor === undefined || score === undefined) throw new SyntaxError("no conversation, factor or score");
      return { conversation, factor, rater, kind, score, ...(system ? { system } : {}), ...(repeat ? { repeat } : {}), ...(domain ? { domain } : {}) };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new InputError(`Line ${index + 1} of the labels is no rating: ${error.message}. Give files that the sheet exported.`);
    }
  });
}
