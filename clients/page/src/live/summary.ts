/** Requests to `crs-eval live`, in the types of its contract. */

import { CrsEvalError, UnreachableError } from "../../../typescript/src/index.ts";
import type { LiveResult, LiveSummary } from "./generated/types.gen.ts";

export type {
  LiveAlarm as Alarm, LiveHead as Head, LivePoint as Point, LiveResult as Judged, LiveSeries as Series, LiveSummary as Summary,
  LiveVerdict as JudgedVerdict,
} from "./generated/types.gen.ts";

/** The page lies beside the routes, below whatever path a proxy puts before them. */
const BASE = new URL(".", document.baseURI).href;
let key = "";

/** Keep a key for the requests to come; it is stored nowhere. */
export function setKey(text: string) {
  key = text;
}

export function summary(system: string, by: string): Promise<LiveSummary> {
  const query = new URLSearchParams({ by, limit: "20", ...(system ? { system } : {}) });
  return asked(`live/summary?${query}`) as Promise<LiveSummary>;
}

export function judgement(conversation: string): Promise<LiveResult> {
  return asked(`live/conversations/${encodeURIComponent(conversation)}`) as Promise<LiveResult>;
}

/** Throws what the application or the network said. */
async function asked(path: string): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(BASE + path, { cache: "no-store", headers: key ? { authorization: `Bearer ${key}` } : {} });
  } catch {
    throw new UnreachableError("crs-eval live does not answer");
  }
  if (!response.ok) throw CrsEvalError.of(response.status, await response.text());
  return response.json();
}
