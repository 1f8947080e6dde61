/** Requests of the page to the service, through its generated client. */

import {
  batch, calibrateJudges, connect, CrsEvalError, examineJudge, importLogs, listChoices, listFactors, listFaults, simulateUser, stream, UnreachableError,
  type BatchLine, type BatchResult, type CalibrateAnswer, type CalibrateRequest, type Choices, type Event, type ExamReport, type ExamRequest, type FactorInfo, type FaultInfo, type ImportAnswer, type ImportRequest, type SimulateAnswer, type SimulateRequest, type StreamPath,
  type ScoreRequest,
} from "../../../typescript/src/index.ts";

/** The page lies beside the routes, below whatever path a proxy puts before them. */
export const url = new URL(".", document.baseURI).href.replace(/\/$/, "");
// A person decides whether to try again.
const client = connect({ url, fetch: (input, init) => fetch(input, { ...init, cache: "no-store" }), retries: { attempts: 1 } });

let given = false;

/** Keep a key for the requests to come; it is stored nowhere. */
export function setKey(text: string) {
  given = Boolean(text);
  client.setConfig({ auth: text || undefined });
}

/** Returns true where requests carry a key. */
export function hasKey(): boolean {
  return given;
}

/** The answer of a generated function. Throws what the service, the network or a person who stopped it said. */
async function answerOf<T>(asked: Promise<{ data?: T; error?: unknown; response?: Response }>): Promise<T> {
  const { data, error, response } = await asked;
  if (data !== undefined) return data;
  if (error instanceof Error) throw error;
  throw CrsEvalError.of(response?.status ?? 0, typeof error === "string" ? error : JSON.stringify(error));
}

export async function factors(): Promise<FactorInfo[]> {
  return (await answerOf(listFactors({ client }))).factors;
}

export async function faults(): Promise<FaultInfo[]> {
  return (await answerOf(listFaults({ client }))).faults;
}

/** How often a judge sees the faults of an exam. */
export async function examine(body: ExamRequest, signal: AbortSignal): Promise<ExamReport | null> {
  return (await answerOf(examineJudge({ client, body, signal }))).report;
}

export function choices(): Promise<Choices> {
  return answerOf(listChoices({ client }));
}

/** The conversations of a file in another format. */
export function importFile(body: ImportRequest, signal?: AbortSignal): Promise<ImportAnswer> {
  return answerOf(importLogs({ client, body, ...(signal ? { signal } : {}) }));
}

/** Estimates of people's scores, from labels beside verdicts. */
export function calibrate(body: CalibrateRequest, signal: AbortSignal): Promise<CalibrateAnswer> {
  return answerOf(calibrateJudges({ client, body, signal }));
}

/** The next message of a simulated user. */
export function simulate(body: SimulateRequest, signal: AbortSignal): Promise<SimulateAnswer> {
  return answerOf(simulateUser({ client, body, signal }));
}

/** Events as they come; an `error` event is thrown as what it carries, and an end without `done` as what it is. */
export async function* events(path: StreamPath, body: unknown, signal: AbortSignal): AsyncGenerator<Event> {
  let last = "";
  for await (const event of stream(client, path, body as ScoreRequest, { signal })) {
    last = event.name;
    yield event;
  }
  if (last !== "done") throw new UnreachableError("the answer broke off");
}

/** The answers to many requests as they finish. */
export function answers(lines: Iterable<BatchLine>, window: number, signal: AbortSignal): AsyncGenerator<BatchResult> {
  return batch(client, lines, { window, signal });
}
