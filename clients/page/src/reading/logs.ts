/** Reads what people paste: logs, chat messages, lines of either, transcripts. */

import type { Log, Message, ScoreRequest } from "../../../typescript/src/index.ts";
import { InputError } from "../basics/problem.ts";
import { asContract } from "./parts.ts";
import { readTranscripts } from "./transcripts.ts";

type Fields = Record<string, unknown>;

const ROLES = new Map([
  ["human", "user"], ["customer", "user"], ["seeker", "user"],
  ["bot", "assistant"], ["ai", "assistant"], ["agent", "assistant"], ["recommender", "assistant"],
]);
/** What a request says beside its log, which the page has choices of its own for, or leaves to the service. */
const ASKED = ["factors", "judge", "catalog", "samples", "cache", "layout", "list_cutoff", "list_source", "grouping", "variant", "judging", "factor_judging", "expected", "anchors", "verdicts"] satisfies (keyof ScoreRequest)[];

/** The conversations in a text; the service checks what they hold. Throws an InputError that says what was expected. */
export function parseLogs(text: string): Log[] {
  if (!text.trim()) throw new InputError("There is no conversation yet: paste one, drop a file, or pick an example.");
  // A transcript may begin with a time in brackets, which is no list of messages.
  if (!/^\s*(?:\{|\[\s*[[{"\]])/.test(text)) {
    const read = readTranscripts(text);
    if (read.length) return read;
  }
  const values = parseValues(text);
  if (values.length > 1 && values.every(isMessage)) return [fromChat(values)];
  return values.flatMap((value, index) => logsOf(value, values.length > 1 ? `Line or entry ${index + 1}: ` : ""));
}

function parseValues(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch (error) {
    const lines = text.split(/\r?\n/);
    if (lines.filter((line) => line.trim()).length < 2 || /^\s*[[{]\s*$/.test(lines[0] ?? "")) {
      throw new InputError(`This is no JSON: ${(error as Error).message}. Paste a log, a list of chat messages, or a transcript whose lines begin with “User:” and “Assistant:”.`);
    }
    return lines.flatMap((line, index) => (line.trim() ? [parseLine(line, index + 1)] : []));
  }
}

function parseLine(line: string, place: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new InputError(`Line ${place} is no JSON: ${(error as Error).message}.`);
  }
}

function logsOf(value: unknown, place: string): Log[] {
  if (Array.isArray(value) && value.length) return value.every(isMessage) ? [fromChat(value)] : value.flatMap((one) => logsOf(one, place));
  if (isObject(value)) {
    if (isObject(value.log)) {
      const beside = ASKED.filter((name) => name in value);
      if (beside.length) throw new InputError(`${place}This is a request with ${beside.join(", ")} beside its log. The page takes the log alone: take the rest out, and choose it under Options.`);
      return logsOf(value.log, place);
    }
    if (Array.isArray(value.logs)) return logsOf(value.logs, place);
    if (Array.isArray(value.messages)) return [{ ...value, messages: value.messages.map(plainMessage) as Message[] }];
  }
  throw new InputError(`${place}There are no messages here. A log is {"messages": [{"role": "user", "content": "…"}, …]}, or such a list by itself.`);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isMessage(value: unknown): boolean {
  return isObject(value) && "role" in value && ("content" in value || "parts" in value || "tool_calls" in value);
}

/** Messages as chat interfaces log them; the service reads their tool calls, and leaves instructions out. */
function fromChat(messages: unknown[]): Log {
  return { messages: messages.map(plainMessage) as Message[] };
}

/** One message with our names for roles. The transcript shows what the service will read. */
function plainMessage(message: unknown): unknown {
  if (!isObject(message)) return message;
  const role = ROLES.get(String(message.role).toLowerCase()) ?? message.role;
  return asContract({ ...message, role });
}

/** A name for a conversation. */
export function nameOf(log: Log, index: number): string {
  return log.id ?? `conversation ${index + 1}`;
}
