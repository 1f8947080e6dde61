/** A calibration as people read it: what people would give, and how the judge lies to them. */

import type { CalibrateAnswer, CalibratedMean, CalibrationMap, CalibrationRating } from "../../../typescript/src/index.ts";
import { decimal, h, prose, s, labelOf } from "../basics/dom.ts";
import { mean } from "../basics/statistics.ts";

const SIDE = 300;
const EDGE = 40;

/** Sentences, then figures. */
export function calibrationOf(answer: CalibrateAnswer, ratings: CalibrationRating[]): HTMLElement[] {
  const whole = answer.means.filter((one) => one.system === null || !answer.means.some((other) => other.system === null && other.factor === one.factor));
  return [
    h("div", { class: "verdict" }, ...(whole.length ? whole.map(sentence) : [h("p", {}, "There are too few labels to say what people would give.")])),
    ...answer.warnings.map((one) => h("p", { class: "warning" }, h("code", {}, one.code), " ", ...prose(one.detail))),
    ...(answer.means.length ? [meansTable(answer.means)] : []),
    h("div", { class: "plots" }, ...answer.maps.map((map) => plot(map, pointsOf(map, ratings)))),
    ...answer.plan.flatMap((one) => (one.labels === null || one.system !== null ? [] : [
      h("p", { class: "hint" }, `${labelOf(one.factor)}: ${one.labels} labels would bring the interval to ±${decimal(one.half_width)}; it is ±${decimal(one.half_width_now)} now.`)])),
  ];
}

function sentence(one: CalibratedMean): HTMLElement {
  const who = one.system === null ? "" : ` to ${one.system}`;
  if (one.mean === null || !one.interval) return h("p", {}, `${labelOf(one.factor)}: there are too few labels to say what people would give${who}. The judge gives ${decimal(one.judge_mean)}.`);
  return h("p", {}, `${labelOf(one.factor)}: people would give${who} `, h("strong", {}, decimal(one.mean)), ` of ${one.scale.max}`,
    ` (95 % interval ${decimal(one.interval.low)} to ${decimal(one.interval.high)}); the judge gives ${decimal(one.judge_mean)}.`);
}

function meansTable(means: CalibratedMean[]): HTMLElement {
  const range = (one: { low: number; high: number } | null | undefined) => (one ? `${decimal(one.low)} to ${decimal(one.high)}` : "");
  const rows = means.map((one) => h("tr", {},
    h("th", { scope: "row" }, labelOf(one.factor)), h("td", {}, one.system ?? "all"),
    ...[one.mean === null ? "" : decimal(one.mean), range(one.interval), one.plain ? decimal(one.plain.mean) : "", range(one.plain?.interval), decimal(one.judge_mean), one.n, one.judged]
      .map((text) => h("td", { class: "number" }, text))));
  const heads = ["Factor", "System", "People would give", "95 % interval", "Labels alone", "95 % interval", "Judge alone", "Labelled", "Judged"];
  return h("section", {}, h("h2", {}, "What people would give"), h("div", { class: "scroll", role: "region", "aria-label": "What people would give", tabindex: 0 },
    h("table", {}, h("thead", {}, h("tr", {}, ...heads.map((head, index) => h("th", { scope: "col", class: index > 1 ? "number" : "" }, head)))), h("tbody", {}, ...rows))));
}

interface Point {
  judge: number;
  people: number;
}

/** Each labelled conversation by the judge's score and the mean of people's. */
function pointsOf(map: CalibrationMap, ratings: CalibrationRating[]): Point[] {
  const mine = ratings.filter((one) => one.factor === map.factor);
  const name = (one: CalibrationRating) => JSON.stringify([one.conversation, one.system ?? null]);
  const judged = new Map(mine.filter((one) => one.kind === "judge").map((one) => [name(one), one.score]));
  const people = Map.groupBy(mine.filter((one) => one.kind === "human"), name);
  return [...people].flatMap(([key, given]) => {
    const judge = judged.get(key);
    return judge === undefined ? [] : [{ judge, people: mean(given.map((one) => one.score)) ?? 0 }];
  });
}

/** The judge against people: labels as circles, the map as a line with its band, and a dashed line where both would agree. */
function plot(map: CalibrationMap, points: Point[]): HTMLElement {
  const { judge, people } = map.scales;
  const x = (value: number) => EDGE + (SIDE * (value - judge.min)) / (judge.max - judge.min);
  const y = (value: number) => 10 + (SIDE * (people.max - value)) / (people.max - people.min);
  const knots = spread(map, judge.min, judge.max);
  const banded = knots.filter((one) => one.low !== null && one.high !== null);
  const path = (places: [number, number][]) => places.map(([a, b]) => `${a.toFixed(1)},${b.toFixed(1)}`).join(" ");
  const counts = Map.groupBy(points, (one) => JSON.stringify([Math.round(one.judge * 20), Math.round(one.people * 20)]));
  const levels = (scale: { min: number; max: number }) => Array.from({ length: scale.max - scale.min + 1 }, (_, index) => scale.min + index).filter((_, index, all) => all.length < 12 || index % 10 === 0);
  const about = `${points.length} labelled conversations; ${knots.map((one) => `where the judge gives ${decimal(one.score)}, people would give ${decimal(one.value)}`).join("; ")}`;
  return h("figure", {}, h("figcaption", {}, h("strong", {}, labelOf(map.factor)), `: the judge against people, ${map.n} labels`, h("span", { class: "hint" }, " Circles: labels. Line: what people would give. Dashed: where both agree.")),
    s("svg", { viewBox: `0 0 ${SIDE + EDGE + 16} ${SIDE + 52}`, role: "img", class: "plot", "aria-label": about },
      ...levels(judge).map((level) => s("g", {}, s("line", { class: "grid", x1: x(level), x2: x(level), y1: 10, y2: 10 + SIDE }), s("text", { x: x(level), y: SIDE + 26, "text-anchor": "middle" }, level))),
      ...levels(people).map((level) => s("g", {}, s("line", { class: "grid", x1: EDGE, x2: EDGE + SIDE, y1: y(level), y2: y(level) }), s("text", { x: EDGE - 8, y: y(level) + 4, "text-anchor": "end" }, level))),
      s("text", { x: EDGE + SIDE / 2, y: SIDE + 46, "text-anchor": "middle" }, "judge"), s("text", { x: 12, y: 10 + SIDE / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${10 + SIDE / 2})` }, "people"),
      s("line", { class: "same", x1: x(judge.min), y1: y(people.min), x2: x(judge.max), y2: y(people.max) }),
      banded.length ? s("polygon", { class: "band", points: path([...banded.map((one): [number, number] => [x(one.score), y(one.high ?? 0)]), ...[...banded].reverse().map((one): [number, number] => [x(one.score), y(one.low ?? 0)])]) }) : null,
      ...[...counts.values()].map((members) => s("circle", { class: "label-point", cx: x(members[0]?.judge ?? 0), cy: y(members[0]?.people ?? 0), r: 3 * Math.sqrt(members.length) })),
      s("polyline", { class: "map", points: path(knots.map((one): [number, number] => [x(one.score), y(one.value)])) })));
}

/** The knots with the ends of the judge's scale, where the last one holds. */
function spread({ knots }: CalibrationMap, low: number, high: number): CalibrationMap["knots"] {
  const [first, last] = [knots[0], knots.at(-1)];
  return [...(first && first.score > low ? [{ ...first, score: low }] : []), ...knots, ...(last && last.score < high ? [{ ...last, score: high }] : [])];
}
