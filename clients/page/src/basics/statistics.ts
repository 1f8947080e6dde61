/** Means with intervals, as the command line computes them: the same resamples, the same numbers. */

const DRAWS = 1000;
const LEVEL = 0.95;

export interface Interval {
  low: number;
  high: number;
}

export function mean(values: number[]): number | null {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

/** The 95 % percentile interval of a mean, conversations drawn anew; null below two. The same numbers give
 * the same interval. */
export function interval(values: number[]): Interval | null {
  if (values.length < 2) return null;
  const random = generator(1);
  const drawn = new Float64Array(DRAWS);
  for (let draw = 0; draw < DRAWS; draw++) {
    let sum = 0;
    for (let unit = 0; unit < values.length; unit++) sum += values[Math.floor(random() * values.length)] ?? 0;
    drawn[draw] = sum / values.length;
  }
  drawn.sort();
  return { low: quantile(drawn, (1 - LEVEL) / 2), high: quantile(drawn, (1 + LEVEL) / 2) };
}

function quantile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const below = Math.floor(place);
  const low = sorted[below] ?? 0;
  return low + (place - below) * ((sorted[below + 1] ?? low) - low);
}

/** Numbers from 0 to 1 by mulberry32. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
