import { CutShortError } from './problems.ts';

/** The lines of a body as they come, without their ends; the last one too where it has none. */
export async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (body === null) return;
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of chunksOf(body)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

function brokenOff(lost: unknown): never {
  // fetch tells a connection that broke by a TypeError, an abort by its reason.
  throw lost instanceof TypeError ? new CutShortError('the answer broke off', { cause: lost }) : lost;
}

/** Some browsers cannot iterate over a body by themselves. Who reads no further cancels it. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read().catch(brokenOff);
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // a broken body has nothing left to cancel
  }
}
