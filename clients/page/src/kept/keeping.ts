/** Keeps what came of work, where this browser keeps anything. */

import { keep, type Run } from "./runs.ts";

/** A run that ended just now. */
export function runOf(view: string, name: string, says: string, content: object): Run {
  return { id: crypto.randomUUID(), view, name, at: new Date().toISOString(), says, content };
}

/** Keep a run; a browser that cannot is no reason to fail. */
export async function keepRun(run: Run) {
  try {
    await keep(run);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
}
