/** What `crs-eval live` tells, as far as the page reads it. The whole contract is `openapi/live.json`. */

import { CrsEvalError, UnreachableError } from "../../../typescript/src/index.ts";

export interface Head {
  conversation: string;
  revision: number;
  system: string;
  ended: "complete" | "idle" | "in_progress";
  judged_at: string;
  messages: number;
  replies: number;
  mean: number | null;
  failure: string | null;
}

export interface Point {
  at: string;
  n: number;
  mean: number;
  low: number | null;
  high: number | null;
}

export interface Series {
  system: string;
  factor: string;
  judge: string;
  /** A model that judges a sample: the means that it would give all conversations. */
  estimated: boolean;
  points: Point[];
}

export interface Alarm {
  id: string;
  at: string;
  system: string;
  factor: string;
  change: "drop" | "rise" | "recovered";
  expected: number;
  mean: number;
  conversations: number;
  shown: string[];
}

export interface Summary {
  at: string;
  level: { open: number; due: number; queued: number; undelivered: number };
  systems: string[];
  conversations: Head[];
  worst: Head[];
  trend: Series[];
  alarms: Alarm[];
}

export interface Judged extends Head {
  verdicts: JudgedVerdict[];
  log: { messages: { role: string; content: string | null }[] } | null;
}

export interface JudgedVerdict {
  factor: string;
  status: string;
  score: number | null;
  scale_min: number;
  scale_max: number;
  reason: string | null;
  flags: string[];
  judge: string;
  rationale: string | null;
  evidence: { message: number | null; message_id: string | null; effect: number | null; quote: string | null }[];
}

/** The page lies beside the routes, below whatever path a proxy puts before them. */
const BASE = new URL(".", document.baseURI).href;
let key = "";

/** Keep a key for the requests to come; it is stored nowhere. */
export function setKey(text: string) {
  key = text.trim();
}

export function summary(system: string, by: string): Promise<Summary> {
  const query = new URLSearchParams({ by, limit: "20", ...(system ? { system } : {}) });
  return asked(`live/summary?${query}`) as Promise<Summary>;
}

export function judgement(conversation: string): Promise<Judged> {
  return asked(`live/conversations/${encodeURIComponent(conversation)}`) as Promise<Judged>;
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
