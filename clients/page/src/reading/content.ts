/** The content of a file or of a text field as conversations: read here where it is in the form of the contract, else by the
 * service, which knows every format of `crs-eval import`. */

import { CrsEvalError, type ImportAnswer, type ImportRequest, type Log } from "../../../typescript/src/index.ts";
import { importFile } from "../asking/api.ts";
import { InputError } from "../basics/problem.ts";
import { ownLogs } from "./logs.ts";
import { breakIn } from "./pointing.ts";

/** A person's settings for reading another format. */
export type Reading = Pick<ImportRequest, "format" | "map" | "roles">;

/** The logs, and a description of the import in words; it is empty for logs in the service's own format. */
export interface Content {
  logs: Log[];
  summary: string;
}

/** A text, or the bytes of a file that is not UTF-8. */
export type Given = string | Uint8Array<ArrayBuffer>;

/** `reading` sends even our own form to be imported. Throws an InputError where there is nothing, and what the service says. */
export async function read(given: Given, name: string | null, reading: Reading | null, signal?: AbortSignal): Promise<Content> {
  const isText = typeof given === "string";
  if (isText && !given.trim()) throw new InputError("There is no conversation yet: paste one, drop a file, or pick an example.");
  const own = isText && !reading ? await ownLogs(given) : null;
  if (own) return { logs: own, summary: "" };
  try {
    const answer = await importFile({ ...(isText ? { text: given } : { base64: base64Of(given) }), ...(name ? { name } : {}), ...reading }, signal);
    // Lines of JSON that breaks somewhere may read as messages, and some would be left out.
    const broken = isText && !reading && answer.unreadable.length ? brokenJson(given) : null;
    if (broken) throw broken;
    return { logs: answer.logs, summary: accountOf(answer) };
  } catch (error) {
    // Of what is nearly a log of ours, the contract says best what is wrong, and where.
    const nearly = error instanceof CrsEvalError && error.status === 422 && isText && !reading ? await ownLogs(given, true) : null;
    if (nearly) return { logs: nearly, summary: "" };
    throw isText && !reading && error instanceof CrsEvalError && error.status === 422 ? unreadable(given, error) : error;
  }
}

function brokenJson(text: string): InputError | null {
  const broken = breakIn(text);
  return broken && new InputError(`This is not the JSON that it begins as: ${broken.why}.`, broken.at);
}

/** Explains why nothing was found in a text, for the person who pasted it. */
function unreadable(text: string, { problem }: CrsEvalError): InputError {
  const open = problem.errors?.find(({ pointer }) => pointer === "/roles");
  if (open) return new InputError(`${open.detail} Write this into Speakers under Another format.`);
  const broken = brokenJson(text);
  if (broken) return broken;
  const details = (problem.errors ?? []).map(({ detail }) => detail.replace(/^text:\s*/, "")).filter((detail) => !detail.includes("not JSON"));
  // Advice about options of the command line helps nobody here.
  const sentences = details.slice(0, 2).flatMap((one) => one.split(/(?<=[.!?])\s+/u)).filter((one) => !one.includes(" --"));
  const why = sentences.join(" ") || "it is in no known format.";
  return new InputError([`No conversation was found in this text: ${why}`,
    "Write who speaks before each message, as in “User: …” and “Assistant: …”, or say under Another format how to read it."].join(" "));
}

/** A file's content: unpacked where it is gzip, as text where it is UTF-8. */
export async function contentOf(file: File): Promise<Given> {
  let bytes = await bytesOf(file);
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = await bytesOf(new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))));
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return bytes;
  }
}

async function bytesOf(source: Blob | Response): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await source.arrayBuffer());
}

function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return btoa(text);
}

function accountOf({ logs, formats, noted, left_out, unreadable }: ImportAnswer): string {
  const named = Object.entries(formats).map(([name, count]) => (Object.keys(formats).length > 1 ? `${name} (${count})` : name));
  const left = Object.entries(left_out).map(([name, count]) => `${name} ${count}`);
  return [
    `Read as ${named.join(", ")}${noted.map((one) => `, ${one}`).join("")}: ${logs.length} ${logs.length === 1 ? "conversation" : "conversations"}.`,
    `Left out: ${left.join(", ") || "nothing"}.`,
    ...unreadable.slice(0, 3).map(({ place, detail }) => `Not read: ${place}: ${detail}.`),
    ...(unreadable.length > 3 ? [`${unreadable.length - 3} more places could not be read.`] : []),
  ].join(" ");
}
