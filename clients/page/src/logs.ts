/** Reads what people paste: our logs, chat messages, or lines of either. */

import type { Log, Message, ScoreRequest } from "../../typescript/src/index.ts";
import { InputError } from "./problem.ts";

type Fields = Record<string, unknown>;

const ROLES = new Map([
  ["human", "user"], ["customer", "user"], ["seeker", "user"],
  ["bot", "assistant"], ["ai", "assistant"], ["agent", "assistant"], ["recommender", "assistant"],
]);
const LEFT_OUT = new Set(["system", "developer", "tool"]);
/** What a request says beside its log, which the page has choices of its own for, or leaves to the service. */
const ASKED = ["factors", "judge", "catalog", "samples", "cache", "layout", "list_cutoff", "list_source", "grouping", "verdicts"] satisfies (keyof ScoreRequest)[];
const KNOWN = ["id", "role", "content", "recommendations", "thoughts", "created_at", "metadata"];

/** The conversations in a text; the service checks what they hold. Throws an InputError that says what was expected. */
export function parseLogs(text: string): Log[] {
  if (!text.trim()) throw new InputError("There is no log yet: paste one, drop a file, or pick an example.");
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
      throw new InputError(`This is no JSON: ${(error as Error).message}.`);
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
      if (beside.length) throw new InputError(`${place}This is a request with ${beside.join(", ")} beside its log. The page takes the log alone: take the rest out, and choose it below.`);
      return logsOf(value.log, place);
    }
    if (Array.isArray(value.logs)) return logsOf(value.logs, place);
    if (Array.isArray(value.messages)) return [{ ...value, messages: value.messages.flatMap(plainMessage) as Message[] }];
  }
  throw new InputError(`${place}There are no messages here. A log is {"messages": [{"role": "user", "content": "…"}, …]}, or such a list by itself.`);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isMessage(value: unknown): boolean {
  return isObject(value) && "role" in value && "content" in value;
}

/** Messages as chat interfaces log them, with fields of their own left out. */
function fromChat(messages: unknown[]): Log {
  const kept = messages.flatMap(plainMessage).map((message) => Object.fromEntries(Object.entries(message as Fields).filter(([name]) => KNOWN.includes(name))));
  return { messages: kept as Message[] };
}

/** One message with our names; instructions to a model (`system`) are no part of a conversation. */
function plainMessage(message: unknown): unknown[] {
  if (!isObject(message)) return [message];
  if (LEFT_OUT.has(String(message.role))) return [];
  const role = ROLES.get(String(message.role).toLowerCase()) ?? message.role;
  const content = Array.isArray(message.content)
    ? message.content.map((part) => (isObject(part) ? part.text ?? "" : "")).join("")
    : message.content ?? "";
  return [{ ...message, role, content }];
}

/** A name for a conversation. */
export function nameOf(log: Log, index: number): string {
  return log.id ?? `conversation ${index + 1}`;
}
