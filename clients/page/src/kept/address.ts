/** An address that holds a conversation in its fragment, which no browser sends to anybody. */

import type { Log } from "../../../typescript/src/index.ts";

/** Bytes of a conversation that an address may hold: longer ones are cut by programs that pass addresses on. */
export const LONGEST = 8192;
const FIELD = "log";

export async function addressOf(log: Log): Promise<string> {
  const packed = await through(new Blob([JSON.stringify(log)]), new CompressionStream("deflate-raw"));
  const text = btoa(String.fromCharCode(...packed)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return `${location.href.split("#")[0]}#score?${FIELD}=${text}`;
}

/** The conversation in this page's address; null where there is none that can be read. */
export async function addressedLog(): Promise<Log | null> {
  const text = new URLSearchParams(location.hash.split("?")[1] ?? "").get(FIELD);
  if (!text) return null;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
    const log = JSON.parse(new TextDecoder().decode(await through(new Blob([bytes]), new DecompressionStream("deflate-raw")))) as Log;
    return Array.isArray(log?.messages) ? log : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof DOMException) return null;
    throw error;
  }
}

/** Bytes as a stream makes them; no more than an address could hold, however well they were packed. */
async function through(blob: Blob, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const reader = blob.stream().pipeThrough<Uint8Array>(stream).getReader();
  const parts: number[] = [];
  for (let { done, value } = await reader.read(); !done && parts.length <= LONGEST; { done, value } = await reader.read()) parts.push(...(value ?? []));
  await reader.cancel();
  return Uint8Array.from(parts);
}
