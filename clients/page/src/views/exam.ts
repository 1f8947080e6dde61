/** The view that examines a judge: how often it sees each fault, and which factors then fall. */

import type { ExamFigure, ExamReport, FaultInfo, PairOutcome } from "../../../typescript/src/index.ts";
import { examine } from "../asking/api.ts";
import { allFaults } from "../asking/catalogue.ts";
import { judgeChoice } from "../asking/choice.ts";
import { field, h, number, labelOf } from "../basics/dom.ts";
import { Results } from "../basics/results.ts";
import { Work } from "../basics/work.ts";
import { keepRun, runOf } from "../kept/keeping.ts";
import { levelClass } from "../verdicts/facts.ts";
import { faultName } from "../verdicts/faults.ts";
import type { View } from "./view.ts";

/** Fewer pairs than this say little. */
const FEW = 20;

/** The examined judge with a report for each fault. */
interface Examined {
  judge: string;
  reports: Record<string, ExamReport>;
}

export function examView(): View {
  const judge = judgeChoice("Judge");
  const which = h("select", {}, h("option", { value: "" }, "all faults"));
  const results = new Results("exam", h("p", { class: "empty" }, "A heat map appears here, a row for each fault: how often the judge sees it, and which factors fall."));
  const work = new Work("Examine", run, { failing: results });

  /** One fault after the other: an exam of a language model is long, and its rows come as they are known. */
  async function run(signal: AbortSignal) {
    const name = judge.value;
    const all = await allFaults();
    const chosen = all.filter(({ slug }) => !which.value || slug === which.value);
    const examined: Examined = { judge: name, reports: {} };
    await results.draw(async (place) => {
      for (const [index, { slug }] of chosen.entries()) {
        work.tell(`${index} of ${chosen.length} faults`);
        const report = await examine({ faults: [slug], ...(name ? { judge: name } : {}) }, signal);
        if (!report) continue;
        examined.reports[slug] = report;
        examined.judge = [...new Set(report.factors.map((one) => one.judge))].join(", ");
        place.replaceChildren(heatMap(examined, all));
      }
    }, () => Object.keys(examined.reports).length > 0);
    await keepRun(runOf("exam", `Exam of ${examined.judge}`, `${Object.keys(examined.reports).length} faults`, examined));
    work.tell(`${examined.judge} is examined.`);
  }

  async function open(content: unknown) {
    results.renew().append(heatMap(content as Examined, await shown()));
  }

  async function shown(): Promise<FaultInfo[]> {
    const all = await allFaults();
    if (which.options.length === 1) which.append(...all.map((one) => h("option", { value: one.slug }, one.name)));
    return all;
  }

  const element = h("section", { id: "view-exam", "aria-labelledby": "exam-title" },
    h("h1", { id: "exam-title", tabindex: -1 }, "Examine a judge"),
    h("p", { class: "lead" }, "The exam is pairs of a good conversation and the same with one fault. A judge that sees a fault lowers the right factors, and leaves the others alone."),
    h("div", { class: "row" }, judge.element, field("Faults", which)), work.element, results.element);
  return { element, open, shown: async () => void await shown(), again: () => void shown(), start: () => void work.start() };
}

function heatMap({ judge, reports }: Examined, all: FaultInfo[]): HTMLElement {
  const factors = [...new Set(Object.values(reports).flatMap((one) => one.outcomes.flatMap((pair) => pair.changes.map(({ factor }) => factor))))];
  const rows = all.flatMap((fault) => { const report = reports[fault.slug]; return report ? [{ fault, report, sees: figure(report, fault.slug) }] : []; });
  rows.sort((a, b) => (a.sees?.value ?? 2) - (b.sees?.value ?? 2));
  return h("section", { "aria-label": "Exam" }, h("h2", {}, `What ${judge} sees`),
    h("p", { class: "hint" }, `Sees it: share of pairs in which the factor that the fault lowers most falls, with its 95 % interval. False alarms: share of good versions with any reported fault. Then the percentage of pairs in which each factor falls; the framed ones should. Under ${FEW} pairs, intervals are wide.`),
    h("div", { class: "scroll", role: "region", "aria-label": "Heat map", tabindex: 0 }, h("table", { class: "heat" },
      h("thead", {}, h("tr", {}, ...["Fault", "Sees it", "False alarms"].map((text) => h("th", { scope: "col" }, text)), ...factors.map((factor) => h("th", { scope: "col", class: "tall" }, h("span", {}, labelOf(factor)))))),
      h("tbody", {}, ...rows.map(({ fault, report, sees }) => h("tr", { "data-fault": fault.slug },
        h("th", { scope: "row", title: fault.definition }, faultName(fault.slug)),
        h("td", {}, ...measured(sees, true)), h("td", {}, ...measured(rowOf(report)?.false_alarms, false)),
        ...factors.map((factor) => fallen(report.outcomes, factor, fault.costs.some((one) => one.factor === factor)))))))));
}

function rowOf(report: ExamReport) {
  return report.rows.find(({ by }) => by === "all");
}

function figure(report: ExamReport, slug: string): ExamFigure | undefined {
  return report.rows.find(({ by, name }) => by === "fault" && name === slug)?.sensitivity;
}

/** A share with its colour, interval and number of cases. `good`: more is better. */
function measured(one: ExamFigure | undefined, good: boolean): HTMLElement[] {
  if (!one || one.value === null) return [h("span", { class: "hint" }, "no pairs")];
  const range = one.low === null || one.high === null ? "" : `${number(one.low)} to ${number(one.high)}, `;
  return [h("span", { class: `badge-score ${levelClass(good ? one.value : 1 - one.value)}` }, number(one.value)), h("span", { class: "hint" }, ` ${range}n ${one.n}`)];
}

function fallen(outcomes: PairOutcome[], factor: string, right: boolean): HTMLElement {
  const known = outcomes.flatMap(({ changes }) => changes.flatMap((one) => (one.factor === factor && one.fell !== null ? [one.fell] : [])));
  if (!known.length) return h("td", { class: `cell none${right ? " right" : ""}` });
  const share = known.filter(Boolean).length / known.length;
  return h("td", { class: `cell${right ? " right" : ""}`, "--share": share, title: `${labelOf(factor)} falls in ${known.filter(Boolean).length} of ${known.length} pairs` }, share ? String(Math.round(share * 100)) : "");
}
