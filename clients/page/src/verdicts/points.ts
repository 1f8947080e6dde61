/** What each message cost: the effects of evidence, or else the scores of turns, summed over factors. */

import type { Verdict } from "../../../typescript/src/index.ts";
import { number, told } from "../basics/dom.ts";
import { mean } from "../basics/statistics.ts";

/** A scale that factors are put on, so that their points can be added. */
const SPAN = 4;

/** What verdicts say of one message. */
export interface Points {
  /** Points lost, on 0-4 for each factor; 0 or more. */
  lost: number;
  /** The factors that lost them, the dearest first. */
  parts: { factor: string; lost: number }[];
  /** Where the message's own scores lie, from 0 to 1; null where it has none. */
  share: number | null;
}

/** Points by message; none where no verdict says anything of single messages. */
export function pointsOf(verdicts: Verdict[]): Map<number, Points> {
  const parts = Map.groupBy(verdicts.flatMap(lossesOf), (one) => one.message);
  const shares = Map.groupBy(verdicts.flatMap(turnShares), (one) => one.message);
  return new Map([...new Set([...parts.keys(), ...shares.keys()])].map((message) => {
    const found = (parts.get(message) ?? []).filter(({ lost }) => lost > 0).sort((a, b) => b.lost - a.lost);
    return [message, {
      lost: found.reduce((sum, one) => sum + one.lost, 0), parts: found,
      share: mean((shares.get(message) ?? []).map(({ share }) => share)),
    }];
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

function lossesOf({ factor, evidence, turns, scale }: Verdict): { message: number; factor: string; lost: number }[] {
  const unit = SPAN / (scale.max - scale.min);
  const effects = evidence.filter((one) => one.message !== null && one.effect !== null);
  if (effects.length) {
    const sums = Map.groupBy(effects, (one) => one.message as number);
    return [...sums].map(([message, members]) => ({ message, factor, lost: -unit * members.reduce((sum, one) => sum + Math.min(0, one.effect ?? 0), 0) }));
  }
  return (turns ?? []).map(({ message, score }) => ({ message, factor, lost: (unit * (scale.max - score)) / (turns?.length ?? 1) }));
}

function turnShares({ turns, scale }: Verdict): { message: number; share: number }[] {
  return (turns ?? []).map(({ message, score }) => ({ message, share: (score - scale.min) / (scale.max - scale.min) }));
}
