/** The factors and examples that the service offers, asked once. */

import { listFactors } from "./api.js";

/** @import { FactorInfo, Log } from "./wire" */

/** @type {Promise<FactorInfo[]> | null} */
let factors = null;
/** @type {Promise<{name: string, log: Log}[]> | null} */
let examples = null;

/** Every factor. A failure is not kept: the next call asks anew, perhaps with a key. */
export async function allFactors() {
  factors ??= listFactors();
  try {
    return await factors;
  } catch (error) {
    factors = null;
    throw error;
  }
}

/** The example logs that come with the service. */
export async function allExamples() {
  examples ??= fetch("web/examples.json").then((response) => response.json());
  return examples;
}

/** The factors behind slugs and names of protocols. @param {string[]} names */
export async function resolve(names) {
  const known = await allFactors();
  return names.flatMap((name) => known.filter((factor) => factor.slug === name || factor.protocol === name));
}
