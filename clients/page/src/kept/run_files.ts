/** Runs as files: written by the page, read again, and results that `crs-eval score` wrote. */

import { InputError } from "../basics/problem.ts";
import type { Result } from "../many/rows.ts";
import { packed, type Run } from "./runs.ts";

/** Marks a file as a run, and says how to read it. */
const MARK = "crs_eval_run";
const VERSION = 1;

export async function writeRun({ content, ...info }: Run): Promise<Blob> {
  const head = JSON.stringify({ [MARK]: VERSION, ...info }).slice(0, -1);
  return new Blob([head, ',"content":', await packed(content), "}\n"], { type: "application/json" });
}

/** The run in a file. Throws an InputError for any other text. */
export function readRun(text: string, name: string): Run {
  const values = valuesIn(text);
  const [first] = values;
  if (values.length === 1 && isObject(first) && first[MARK] === VERSION) {
    const { [MARK]: _, ...run } = first;
    return run as unknown as Run;
  }
  if (values.length && values.every(isResult)) return fromResults(values, name);
  throw new InputError(`${name} holds neither a run of this page nor results of crs-eval score (JSON lines).`);
}

function valuesIn(text: string): unknown[] {
  try {
    return [JSON.parse(text)].flat();
  } catch {
    try {
      return text.split(/\r?\n/).filter((line) => line.trim()).map((line) => JSON.parse(line) as unknown);
    } catch {
      return [];
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isResult(value: unknown): value is Result {
  return isObject(value) && typeof value.conversation === "string" && ("answer" in value || "failure" in value);
}

/** Results hold no logs: their verdicts are shown without the conversation. */
function fromResults(results: Result[], name: string): Run {
  const cases = results.map(({ conversation, system = null, answer = null, failure = null }) => ({ conversation, system, answer, failure, log: null }));
  return {
    id: crypto.randomUUID(), view: "compare", name, at: new Date().toISOString(), says: `${cases.length} conversations`, content: { cases },
  };
}
