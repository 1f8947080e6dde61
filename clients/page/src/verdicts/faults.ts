/** Faults that verdicts report, each once for its reply, with the names that the service gives them. */

import type { FaultInfo, Verdict, VerdictFault } from "../../../typescript/src/index.ts";
import { labelOf } from "../basics/dom.ts";

/** Shares of a fault's cost, by the severity that a model states. */
const SEVERITIES = { mild: 0.5, plain: 1, grave: 1.3 };

/** One fault of one reply. */
export interface Found extends VerdictFault {
  /** Factors whose verdicts carry it. */
  factors: string[];
  /** Points of 4 that it is expected to cost over these factors. */
  cost: number;
}

/** One fault with all replies that have it. */
export interface Kind {
  fault: string;
  found: Found[];
  cost: number;
}

let known = new Map<string, FaultInfo>();

/** Use the service's names. A report without the service has slugs alone. */
export function learnFaults(faults: FaultInfo[]) {
  known = new Map(faults.map((one) => [one.slug, one]));
}

export function faultInfo(slug: string): FaultInfo | undefined {
  return known.get(slug);
}

export function faultName(slug: string): string {
  return known.get(slug)?.name ?? labelOf(slug);
}

/** The faults of an answer, costliest first. */
export function faultsOf(verdicts: Verdict[]): Found[] {
  const carried = verdicts.flatMap((verdict) => (verdict.faults ?? []).map((fault) => ({ fault, factor: verdict.factor })));
  const found = [...Map.groupBy(carried, ({ fault }) => `${fault.message} ${fault.fault}`).values()].flatMap((members) => {
    const [first] = members;
    const factors = members.map(({ factor }) => factor);
    return first ? [{ ...first.fault, factors, cost: factors.reduce((sum, factor) => sum + costOf(first.fault, factor), 0) }] : [];
  });
  return found.sort((a, b) => b.cost - a.cost);
}

/** The same by fault, costliest first. */
export function kindsOf(found: Found[]): Kind[] {
  const kinds = [...Map.groupBy(found, (one) => one.fault)].map(([fault, members]) => ({
    fault, found: members.sort((a, b) => (a.message ?? -1) - (b.message ?? -1)), cost: members.reduce((sum, one) => sum + one.cost, 0),
  }));
  return kinds.sort((a, b) => b.cost - a.cost);
}

function costOf({ fault, probability, severity }: VerdictFault, factor: string): number {
  const cost = known.get(fault)?.costs.find((one) => one.factor === factor)?.cost ?? 1;
  return Math.min(4, cost * (severity ? SEVERITIES[severity] : 1)) * probability;
}

/** How sure the judge is, in words. */
export function sureness({ certain, probability }: VerdictFault): string {
  return certain ? "proven" : `${Math.round(probability * 100)} % likely`;
}
