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

/** Wilson's 95 % interval of a share. */
export function shareInterval(count: number, n: number): Interval {
  const z = 1.959964;
  const [share, width] = [count / n, z * z / n];
  const half = z * Math.sqrt(share * (1 - share) / n + width / (4 * n));
  return { low: Math.max(0, (share + width / 2 - half) / (1 + width)), high: Math.min(1, (share + width / 2 + half) / (1 + width)) };
}

/** Returns the two-sided p of McNemar's exact test: `gained` against `lost` pairs. */
export function signTest(gained: number, lost: number): number {
  const n = gained + lost;
  let tail = 0;
  for (let k = 0; k <= Math.min(gained, lost); k++) tail += Math.exp(choose(n, k) - n * Math.LN2);
  return Math.min(1, 2 * tail);
}

/** Returns the two-sided p of Fisher's exact test: `a` of `n` against `b` of `m`. */
export function fisherTest(a: number, n: number, b: number, m: number): number {
  const both = a + b;
  const chance = (k: number) => choose(n, k) + choose(m, both - k) - choose(n + m, both);
  const limit = chance(a) + 1e-7;
  let sum = 0;
  for (let k = Math.max(0, both - m); k <= Math.min(n, both); k++) if (chance(k) <= limit) sum += Math.exp(chance(k));
  return Math.min(1, sum);
}

/** Holm's adjustment of p values, in their order. */
export function holm(values: number[]): number[] {
  const order = values.map((value, index) => ({ value, index })).sort((a, b) => a.value - b.value);
  const adjusted = [...values];
  let least = 0;
  for (const [rank, { value, index }] of order.entries()) adjusted[index] = least = Math.max(least, Math.min(1, value * (values.length - rank)));
  return adjusted;
}

/** Logarithms of the first factorials. */
const factorials = [0];

function choose(n: number, k: number): number {
  for (let last = factorials.length; last <= n; last++) factorials.push((factorials[last - 1] ?? 0) + Math.log(last));
  return (factorials[n] ?? 0) - (factorials[k] ?? 0) - (factorials[n - k] ?? 0);
}
