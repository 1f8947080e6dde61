/** Reads what people paste, where that is a log of the contract or chat messages: the service takes both as they are. */

import type { Log, Message, ScoreRequest } from "../../../typescript/src/index.ts";
import { pacer } from "../basics/dom.ts";
import { InputError } from "../basics/problem.ts";
import { asContract } from "./parts.ts";

type Fields = Record<string, unknown>;

/** Roles that the service reads as they are; any other message has to be imported. */
const ROLES = ["user", "assistant", "tool", "function", "system", "developer"];
/** Fields of a request beside its log; the page has its own choices for them, or leaves them to the service. */
const ASKED = [
  "factors", "judge", "panel", "aggregate", "factor_judges", "factor_panels", "mixture", "catalog", "samples", "cache", "layout", "list_cutoff",
  "list_source", "grouping", "variant", "judging", "factor_judging", "expected", "anchors", "verdicts",
] satisfies (keyof ScoreRequest)[];

/** The conversations in a text; null where it is in another format: of speakers, too, unless `anyone` may speak. The service checks
 * what they hold. Throws an InputError for a request that says more than its log. */
export async function ownLogs(text: string, anyone = false): Promise<Log[] | null> {
  const found = await parseValues(text);
  if (!found?.length) return null;
  const [only] = found;
  // The logs in one list are read one by one, as those of lines are.
  const values = found.length === 1 && Array.isArray(only) && only.length > 1 && !only.every(isMessage) ? only as unknown[] : found;
  if (values.length > 1 && values.every(isMessage)) return [fromChat(values)];
  const pace = pacer();
  const logs: Log[] = [];
  for (const [index, value] of values.entries()) {
    const inner = logsOf(value, values.length > 1 ? `Line or entry ${index + 1}: ` : "", anyone);
    if (!inner) return null;
    logs.push(...inner);
    await pace();
  }
  return logs;
}

/** A text of JSON, or of a value in each line; null for any other. */
async function parseValues(text: string): Promise<unknown[] | null> {
  const pace = pacer();
  try {
    return [JSON.parse(text)];
  } catch {
    const values: unknown[] = [];
    try {
      for (const line of text.split(/\r?\n/)) {
        if (line.trim()) values.push(JSON.parse(line));
        await pace();
      }
      return values;
    } catch {
      return null;
    }
  }
}

function logsOf(value: unknown, place: string, anyone: boolean): Log[] | null {
  if (Array.isArray(value) && value.length) {
    if (value.every(isMessage)) return [fromChat(value)];
    const inner = value.map((one) => logsOf(one, place, anyone));
    return inner.includes(null) ? null : inner.flatMap((one) => one ?? []);
  }
  if (!isObject(value)) return null;
  if (isObject(value.log)) {
    const beside = ASKED.filter((name) => name in value);
    if (beside.length) throw new InputError(`${place}This is a request with ${beside.join(", ")} beside its log. The page takes the log alone: take the rest out, and choose it under Options.`);
    return logsOf(value.log, place, anyone);
  }
  if (Array.isArray(value.logs)) return logsOf(value.logs, place, anyone);
  const messages: unknown = value.messages;
  return Array.isArray(messages) && messages.every(anyone ? isObject : isRoled) ? [{ ...value, messages: messages.map(plainMessage) as Message[] }] : null;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isRoled(value: unknown): boolean {
  return isObject(value) && ROLES.includes(String(value.role)) && (!Array.isArray(value.content) || value.content.every(isPart));
}

/** Parts of other interfaces name their kind by a field of its own: those are imported. */
function isPart(value: unknown): boolean {
  return !isObject(value) || "type" in value;
}

function isMessage(value: unknown): boolean {
  return isRoled(value) && ["content", "parts", "tool_calls"].some((name) => name in (value as Fields));
}

/** Messages as chat interfaces log them; the service reads their tool calls, and leaves instructions out. */
function fromChat(messages: unknown[]): Log {
  return { messages: messages.map(plainMessage) as Message[] };
}

/** One message. The transcript shows what the service will read. */
function plainMessage(message: unknown): unknown {
  return isObject(message) ? asContract(message) : message;
}

/** A name for a conversation. */
export function nameOf(log: Log, index: number): string {
  return log.id ?? `conversation ${index + 1}`;
}
