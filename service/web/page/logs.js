/** Reads what people paste: our logs, chat messages, or lines of either. */

/** @import { Log } from "./wire" */

const ROLES = new Map([
  ["human", "user"], ["customer", "user"], ["seeker", "user"],
  ["bot", "assistant"], ["ai", "assistant"], ["agent", "assistant"], ["recommender", "assistant"],
]);
const KNOWN = ["id", "role", "content", "recommendations", "thoughts", "created_at", "metadata"];

/**
 * The conversations in a text. Throws an Error that says what was expected.
 * @param {string} text @returns {Log[]}
 */
export function parseLogs(text) {
  if (!text.trim()) throw new Error("There is no log yet: paste one, drop a file, or pick an example.");
  const values = parseValues(text);
  if (values.length > 1 && values.every(isMessage)) return [fromChat(values)];
  return values.flatMap((value, index) => logsOf(value, values.length > 1 ? `Line or entry ${index + 1}: ` : ""));
}

/** @param {string} text @returns {unknown[]} */
function parseValues(text) {
  try {
    return [JSON.parse(text)];
  } catch (error) {
    const lines = text.split(/\r?\n/);
    if (lines.filter((line) => line.trim()).length < 2 || /^\s*[[{]\s*$/.test(lines[0] ?? "")) {
      throw new Error(`This is no JSON: ${/** @type {Error} */ (error).message}.`);
    }
    return lines.flatMap((line, index) => (line.trim() ? [parseLine(line, index + 1)] : []));
  }
}

/** @param {string} line @param {number} place */
function parseLine(line, place) {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new Error(`Line ${place} is no JSON: ${/** @type {Error} */ (error).message}.`);
  }
}

/** @param {any} value @param {string} place @returns {Log[]} */
function logsOf(value, place) {
  if (Array.isArray(value) && value.length) return value.every(isMessage) ? [fromChat(value)] : value.flatMap((one) => logsOf(one, place));
  if (value && typeof value === "object") {
    if (value.log && typeof value.log === "object") return logsOf(value.log, place);
    if (Array.isArray(value.logs)) return logsOf(value.logs, place);
    if (Array.isArray(value.messages)) return [{ ...value, messages: value.messages.flatMap(plainMessage) }];
  }
  throw new Error(`${place}There are no messages here. A log is {"messages": [{"role": "user", "content": "…"}, …]}, or such a list by itself.`);
}

/** @param {any} value */
function isMessage(value) {
  return Boolean(value) && typeof value === "object" && "role" in value && "content" in value;
}

/** Messages as chat interfaces log them, with fields of their own left out. @param {any[]} messages @returns {Log} */
function fromChat(messages) {
  /** @type {any[]} */
  const kept = messages.flatMap(plainMessage).map((message) => Object.fromEntries(Object.entries(message).filter(([name]) => KNOWN.includes(name))));
  return { messages: kept };
}

/** One message with our names; instructions to a model (`system`) are no part of a conversation. @param {any} message @returns {any[]} */
function plainMessage(message) {
  if (!message || typeof message !== "object") return [message];
  if (message.role === "system" || message.role === "developer" || message.role === "tool") return [];
  const role = ROLES.get(String(message.role).toLowerCase()) ?? message.role;
  const content = Array.isArray(message.content)
    ? message.content.map((/** @type {any} */ part) => part?.text ?? "").join("")
    : message.content ?? "";
  return [{ ...message, role, content }];
}

/** A name for a conversation. @param {Log} log @param {number} index */
export function nameOf(log, index) {
  return log.id ?? `conversation ${index + 1}`;
}
