/** What the page asks the service, and nothing else: JSON, server-sent events, lines. */

/** @import { Problem, FactorInfo } from "./wire" */

/** An error as the service tells it. */
export class ProblemError extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

let key = "";

/** Keep a key for the requests to come; it is stored nowhere. @param {string} text */
export function setKey(text) {
  key = text.trim();
}

/**
 * @param {string} path @param {RequestInit & {headers?: Record<string, string>}} options
 * @returns {Promise<Response>}
 */
async function ask(path, options) {
  /** @type {Record<string, string>} */
  const headers = { ...options.headers };
  if (key) headers.Authorization = `Bearer ${key}`;
  let response;
  try {
    response = await fetch(path, { ...options, headers, cache: "no-store" });
  } catch (error) {
    if (error instanceof TypeError) throw new ProblemError(unreachable(error));
    throw error;
  }
  if (!response.ok) throw new ProblemError(await problemOf(response));
  return response;
}

/** @param {Error} error @returns {Problem} */
function unreachable(error) {
  return { ...NOBODY, title: "The service did not answer", detail: `${error.message}. Is it still running?` };
}

/** @type {Problem} */
const NOBODY = { type: "about:blank", title: "", status: 0, detail: "", request_id: "", retryable: true, errors: [] };

/** @param {Response} response @returns {Promise<Problem>} */
async function problemOf(response) {
  const text = await response.text();
  if (response.headers.get("Content-Type")?.includes("problem+json")) return JSON.parse(text);
  const request_id = response.headers.get("X-Request-ID") ?? "";
  return { ...NOBODY, title: `Status ${response.status}`, status: response.status, detail: text.slice(0, 500), request_id };
}

/** @returns {Promise<FactorInfo[]>} */
export async function listFactors() {
  return (await (await ask("factors", {})).json()).factors;
}

/**
 * POST for one JSON answer.
 * @param {string} path @param {unknown} body @param {AbortSignal} signal
 */
export async function post(path, body, signal) {
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  return (await ask(path, { method: "POST", headers, body: JSON.stringify(body), signal })).json();
}

/**
 * POST for events as they come; an `error` event is thrown as what it carries.
 * @param {string} path @param {unknown} body @param {AbortSignal} signal
 * @returns {AsyncGenerator<{name: string, data: any}>}
 */
export async function* events(path, body, signal) {
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream" };
  const response = await ask(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  let name = "message";
  let data = "";
  for await (const line of linesOf(response)) {
    if (line.startsWith("event: ")) name = line.slice(7);
    else if (line.startsWith("data: ")) data += line.slice(6);
    else if (line === "" && data) {
      const value = JSON.parse(data);
      if (name === "error") throw new ProblemError(value);
      yield { name, data: value };
      name = "message";
      data = "";
    }
  }
}

/**
 * POST many requests as lines; their answers as they finish.
 * @param {{custom_id: string, path: string, body: unknown}[]} requests @param {AbortSignal} signal
 * @returns {AsyncGenerator<{custom_id: string | null, status: number, body: any}>}
 */
export async function* batch(requests, signal) {
  const headers = { "Content-Type": "application/x-ndjson" };
  const body = requests.map((request) => JSON.stringify(request)).join("\n");
  const response = await ask("batch", { method: "POST", headers, body, signal });
  for await (const line of linesOf(response)) if (line) yield JSON.parse(line);
}

/** @param {Response} response @returns {AsyncGenerator<string>} */
async function* linesOf(response) {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest) yield rest;
}
