/** Messages of OpenAI's and Anthropic's APIs in the form of our logs, as the service reads them: lists for `content`, `tool_calls`,
 * messages of tools, instructions. */

import type { Part } from "../../../typescript/src/index.ts";

type Fields = Record<string, unknown>;

const INSTRUCTIONS = ["system", "developer"];
/** Fields of those APIs that the service leaves out; it refuses every other that is not ours, by its name. */
const SILENT = ["audio", "annotations", "function_call", "reasoning_content", "tool_calls", "tool_call_id", "refusal", "name"];

/** A message with our fields, and with those that nobody knows. Instructions keep their place, empty, so that verdicts count messages as
 * the text does. */
export function asContract(message: Fields): Fields {
  if (INSTRUCTIONS.includes(String(message.role))) return { role: "tool", content: "", ...("id" in message ? { id: message.id } : {}) };
  if (message.parts != null && !Array.isArray(message.parts)) return message;
  const isTool = message.role === "tool" || message.role === "function";
  const listed: unknown[] = Array.isArray(message.content) ? message.content : [];
  const own: unknown[] = message.parts ?? [];
  const parts = [...listed.flatMap(part), ...calls(message), ...(isTool ? result(message) : []), ...own.flatMap(part)];
  const answers = message.role === "user" && parts.length > 0 && parts.every((one) => isObject(one) && one.type === "tool_result");
  const kept = Object.fromEntries(Object.entries(message).filter(([name]) => !SILENT.includes(name)));
  return { ...kept, role: isTool || answers ? "tool" : message.role, ...(isTool ? { content: "" } : text(message)), ...(parts.length ? { parts } : {}) };
}

/** The content, where it is not a text yet; nothing where it was forgotten. */
function text(message: Fields): Fields {
  const { content, refusal } = message;
  const elsewhere = "content" in message || [message.parts, message.tool_calls, message.function_call, refusal].some(Boolean);
  return elsewhere && (content == null || Array.isArray(content)) ? { content: typeof refusal === "string" ? refusal : "" } : {};
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Without what is missing. */
function some(fields: Fields): Part {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)) as unknown as Part;
}

function calls(message: Fields): Part[] {
  const listed: unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls : message.function_call ? [message.function_call] : [];
  return listed.filter(isObject).flatMap((call) => {
    const inner = isObject(call.function) ? call.function : call;
    if (typeof inner.name !== "string") return [];
    return [some({ type: "tool_call", id: call.id, name: inner.name, arguments: inner.arguments ?? inner.args })];
  });
}

function result(message: Fields): Part[] {
  if (typeof message.content !== "string" || !message.content) return [];
  return [some({ type: "tool_result", call: message.tool_call_id, name: message.name, content: message.content })];
}

function part(value: unknown): Part[] {
  if (typeof value === "string") return [some({ type: "text", text: value })];
  if (value === null) return [];
  if (!isObject(value)) return [value as Part];
  switch (value.type) {
    case "text": case "input_text": case "output_text": case "refusal":
      return [some({ type: "text", text: value.text ?? value.refusal })];
    case "thinking": case "redacted_thinking": case "reasoning":
      return [];
    case "image": case "image_url": case "input_image":
      return [picture(value)];
    case "tool_use":
      return [some({ type: "tool_call", id: value.id, name: value.name, arguments: value.input })];
    case "tool_result":
      return [answered(value)];
    default:
      return [value as unknown as Part];
  }
}

function picture(value: Fields): Part {
  const source = value.image_url ?? value.source ?? value.url;
  const url = isObject(source) ? source.url : source;
  return some({ type: "image", alt: value.alt, url: typeof url === "string" && !url.startsWith("data:") ? url : null });
}

function answered(value: Fields): Part {
  const blocks: unknown[] = Array.isArray(value.content) ? value.content : [];
  const texts = blocks.flatMap((block) => (isObject(block) && typeof block.text === "string" ? [block.text] : []));
  const content = blocks.length && texts.length === blocks.length ? texts.join("\n") : value.content;
  return some({ type: "tool_result", call: value.tool_use_id ?? value.call, name: value.name, content, error: value.is_error ?? value.error });
}
