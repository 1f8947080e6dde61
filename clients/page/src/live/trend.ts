/** The trend of one factor as a small picture: the mean of each span on 0-1, and its interval. */

import { decimal, s } from "../basics/dom.ts";
import type { Point } from "./summary.ts";

const WIDTH = 240;
const HEIGHT = 48;
const EDGE = 4;

export function sparkline(points: Point[], name: string): SVGElement {
  const times = points.map((point) => Date.parse(point.at));
  const first = Math.min(...times);
  const span = Math.max(...times) - first;
  const x = (place: number) => span ? EDGE + ((times[place] ?? 0) - first) / span * (WIDTH - 2 * EDGE) : WIDTH / 2;
  const y = (value: number) => EDGE + (1 - value) * (HEIGHT - 2 * EDGE);
  const line = points.map((point, place) => `${x(place).toFixed(1)},${y(point.mean).toFixed(1)}`).join(" ");
  return s("svg", { class: "trend", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": description(points, name) },
    s("line", { class: "axis", x1: 0, x2: WIDTH, y1: y(0.5), y2: y(0.5) }),
    ...points.map((point, place) => point.low === null || point.high === null ? null
      : s("line", { class: "interval", x1: x(place), x2: x(place), y1: y(point.low), y2: y(point.high) })),
    s("polyline", { points: line }),
    ...points.map((point, place) => s("circle", { cx: x(place), cy: y(point.mean), r: 2.5 })));
}

/** The last mean in words: `0.71 (0.62 to 0.80), 40 conversations`. */
export function lastOf(points: Point[]): string {
  const last = points.at(-1);
  if (!last) return "";
  const interval = last.low === null || last.high === null ? "" : ` (${decimal(last.low)} to ${decimal(last.high)})`;
  return `${decimal(last.mean)}${interval}, ${last.n} ${last.n === 1 ? "conversation" : "conversations"}`;
}

function description(points: Point[], name: string): string {
  const first = points[0];
  return `${name}: from ${decimal(first?.mean ?? 0)} to ${lastOf(points)}`;
}
