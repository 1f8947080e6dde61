/** What each message cost: the effects of evidence, or else the scores of turns, summed over factors. */

import type { Verdict } from "../../../typescript/src/index.ts";
import { number, told } from "../basics/dom.ts";

/** A scale that factors are put on, so that their points can be added. */
const SPAN = 4;
/** What is less is told as nothing. */
const LEAST = 0.005;

/** What verdicts say of one message. */
export interface Points {
  /** Points lost, on 0-4 for each factor; 0 or more. */
  lost: number;
  /** The factors that lost them, the dearest first. */
  parts: { factor: string; lost: number }[];
}

/** Points by message; none where no verdict says anything of single messages. */
export function pointsOf(verdicts: Verdict[]): Map<number, Points> {
  const parts = Map.groupBy(verdicts.flatMap(lossesOf), (one) => one.message);
  return new Map([...parts].map(([message, members]) => {
    const found = members.filter(({ lost }) => lost >= LEAST).sort((a, b) => b.lost - a.lost);
    return [message, { lost: found.reduce((sum, one) => sum + one.lost, 0), parts: found }];
  }));
}

/** The message that lost most, and what; null where none lost anything. */
export function worstOf(points: Map<number, Points>): { message: number; points: Points } | null {
  const [worst] = [...points].map(([message, one]) => ({ message, points: one })).sort((a, b) => b.points.lost - a.points.lost);
  return worst && worst.points.lost > 0 ? worst : null;
}

/** In words: what a message lost, and on which factors. */
export function lossText({ lost, parts }: Points): string {
  if (!parts.length) return "no points lost";
  return `${number(lost)} points lost: ${parts.map((one) => `${told(one.factor)} −${number(one.lost)}`).join(", ")}`;
}

function lossesOf({ factor, score, evidence, turns, scale }: Verdict): { message: number; factor: string; lost: number }[] {
  const unit = SPAN / (scale.max - scale.min);
  const effects = evidence.filter((one) => one.message !== null && one.effect !== null);
  if (effects.length) {
    const sums = Map.groupBy(effects, (one) => one.message as number);
    return [...sums].map(([message, members]) => ({ message, factor, lost: -unit * members.reduce((sum, one) => sum + Math.min(0, one.effect ?? 0), 0) }));
  }
  // Turns say how a factor's loss is spread: a factor that lost nothing takes nothing off a message.
  const short = (turns ?? []).map((one) => ({ message: one.message, by: scale.max - one.score }));
  const all = short.reduce((sum, { by }) => sum + by, 0);
  return short.map(({ message, by }) => ({ message, factor, lost: all ? (unit * (scale.max - (score ?? scale.max)) * by) / all : 0 }));
}
