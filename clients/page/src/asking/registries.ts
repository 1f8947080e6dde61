/** Contents of the service's registries. Written by `make generate`. */

import type { SimulatorType } from "../../../typescript/src/index.ts";

/** Simulated users that talk, and whether a language model speaks for them. */
export const SIMULATORS: { type: SimulatorType; model: boolean }[] = [{"type": "scripted", "model": false}, {"type": "target", "model": true}, {"type": "persona", "model": true}, {"type": "target-free", "model": true}, {"type": "target-biased", "model": true}];

export const PERSONAS = ["anticipation", "boredom", "confusion", "curiosity", "delight", "disappointment", "excitement", "frustration", "indifference", "surprise", "trust", "satisfaction"];
export const AGE_GROUPS = ["children", "teens", "adults", "seniors"];
