/** Differences between systems, over the conversations that both had. */

import { breathe } from "../basics/dom.ts";
import { interval, mean, type Interval } from "../basics/statistics.ts";
import { measuresOf, overallOf, scoreOf, withOverall, type Measure, type Row } from "./rows.ts";

/** The second system minus the first on one factor. */
export interface Difference extends Measure {
  n: number;
  first: number;
  second: number;
  difference: number;
  interval: Interval | null;
}

/** The second system minus the first, over conversations of one name; none where they share none. */
export async function differences(rows: Row[], first: string | null, second: string | null): Promise<Difference[]> {
  const before = bySystem(rows, first);
  const after = bySystem(rows, second);
  const made: Difference[] = [];
  for (const measure of withOverall(measuresOf(rows))) {
    const pairs: [number, number][] = [];
    for (const [name, row] of before) {
      const other = after.get(name);
      const [one, two] = [scoreOf(row, measure.slug), other ? scoreOf(other, measure.slug) : null];
      if (one !== null && two !== null) pairs.push([one, two]);
    }
    if (pairs.length) made.push(difference(measure, pairs));
    await breathe();
  }
  return made;
}

function bySystem(rows: Row[], system: string | null): Map<string, Row> {
  return new Map(rows.filter((row) => row.system === system).map((row) => [row.conversation, row]));
}

function difference(measure: Measure, pairs: [number, number][]): Difference {
  const gaps = pairs.map(([before, after]) => after - before);
  return {
    ...measure, n: pairs.length, first: mean(pairs.map((pair) => pair[0])) ?? 0, second: mean(pairs.map((pair) => pair[1])) ?? 0,
    difference: mean(gaps) ?? 0, interval: interval(gaps),
  };
}

/** Fewest pairs that show a difference: with five, all of one sign, an exact test still gives p = .06. */
const FEWEST = 6;

/** Returns true where a difference is more than chance: its interval, as it is shown, excludes 0. */
export function clear({ interval, n }: Difference): boolean {
  return interval !== null && n >= FEWEST && (Number(interval.low.toFixed(2)) > 0 || Number(interval.high.toFixed(2)) < 0);
}

/** Returns the slug of the measure that orders systems. */
export function orderedBy(rows: Row[]): string {
  const measures = measuresOf(rows);
  return measures.length > 1 ? overallOf(measures) : measures[0]?.slug ?? "";
}
