/** What the service offers: asked once, and anew after a failure, perhaps with a key. */

import type { FactorInfo, Log } from "../../typescript/src/index.ts";
import { choices, factors } from "./api.ts";

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

/** What requests may name here. */
export const allChoices = once(choices);

/** The examples that come with the service. */
export const allExamples = once<Example[]>(async () => (await fetch("web/examples.json")).json());

/** The factors behind slugs and names of protocols. */
export async function resolve(names: string[]): Promise<FactorInfo[]> {
  const known = await allFactors();
  return names.flatMap((name) => known.filter((factor) => factor.slug === name || factor.protocol === name));
}
