/** Moves of the roles' scores over the rounds: a figure, and its legend. */

import type { Round } from "../../../typescript/src/index.ts";
import { h, s, labelOf } from "../basics/dom.ts";

const WIDTH = 600, HEIGHT = 220, LEFT = 48, RIGHT = 16, TOP = 12, BOTTOM = 38;

/** Scores from 0 to 100 over the rounds, a line a role. */
export function moves(rounds: Round[], roles: string[], most: number): SVGElement {
  const x = (round: number) => LEFT + 24 + ((round - 1) / (most - 1)) * (WIDTH - LEFT - RIGHT - 48);
  const y = (score: number) => TOP + (1 - score / 100) * (HEIGHT - TOP - BOTTOM);
  const grid = [0, 25, 50, 75, 100].map((score) => s("g", {},
    s("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(score), y2: y(score) }),
    s("text", { x: LEFT - 6, y: y(score) + 4, "text-anchor": "end" }, score)));
  const names = Array.from({ length: most }, (_, index) => s("text", { x: x(index + 1), y: HEIGHT - 8, "text-anchor": "middle" }, most > 6 ? index + 1 : `round ${index + 1}`));
  const lines = roles.map((role, index) => {
    const points = rounds.flatMap((round) => {
      const score = scoreOf(round, role);
      return score === null ? [] : [{ x: x(round.round), y: y(score) }];
    });
    return s("g", { class: `role-${index % 8}` },
      s("polyline", { points: points.map((point) => `${point.x},${point.y}`).join(" ") }),
      ...points.map((point) => s("circle", { cx: point.x, cy: point.y, r: 5 })));
  });
  return s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "Scores of the roles by round; the list that follows says them" }, ...grid, ...names, ...lines);
}

export function legend(rounds: Round[], roles: string[]): HTMLElement {
  return h("ul", { class: "legend" }, ...roles.map((role, index) => {
    const scores = rounds.map((round) => scoreOf(round, role) ?? "failed");
    return h("li", {}, h("span", { class: `key role-${index % 8}` }), " ", labelOf(role), ": ", scores.join(" → "));
  }));
}

export function scoreOf(round: Round | undefined, role: string): number | null {
  return round?.statements.find((one) => one.role === role)?.score ?? null;
}
