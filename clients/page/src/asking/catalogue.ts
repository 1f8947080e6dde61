/** Lists that the service offers: requested once, and again after a failure, perhaps with a key. */

import type { FactorInfo, Log, Rubric } from "../../../typescript/src/index.ts";
import { choices, factors, faults } from "./api.ts";
import { labelOf } from "../basics/dom.ts";
import { learnFaults } from "../verdicts/faults.ts";
import type { Shown } from "../verdicts/facts.ts";

/** A factor that is asked for, as far as views need it. */
type Asked = Shown & Pick<FactorInfo, "scale">;

export interface Example {
  name: string;
  /** The whole file, as people post it. */
  request: { log: Log };
}

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | null = null;
  return async () => {
    asked ??= ask();
    try {
      return await asked;
    } catch (error) {
      asked = null;
      throw error;
    }
  };
}

/** Every factor with its rubric. */
export const allFactors = once(factors);

/** Every fault; what is drawn afterwards names them as the service does. */
export const allFaults = once(async () => {
  const found = await faults();
  learnFaults(found);
  return found;
});

/** Names that requests may use here. */
export const allChoices = once(choices);

/** The examples that come with the service. */
export const allExamples = once<Example[]>(async () => (await fetch("web/examples.json")).json());

/** The factors behind slugs and names of protocols, and those that a request brings. */
export async function resolve({ factors, rubrics = [] }: { factors: string[]; rubrics?: Rubric[] }): Promise<Asked[]> {
  const known = await allFactors();
  return [
    ...factors.flatMap((name) => known.filter((factor) => factor.slug === name || factor.protocol === name)),
    ...rubrics.map(({ slug, name, dimension, levels }) => {
      const numbers = Object.keys(levels ?? {}).map(Number);
      return { slug, name: name ?? labelOf(slug), protocol: "custom", dimension: dimension ?? "custom",
        scale: { min: Math.min(...numbers), max: Math.max(...numbers) } };
    }),
  ];
}
