import { brokenOff } from './problems.ts';

/** The lines of a body as they come, without their ends; the last one too where it has none. Who reads no further cancels it. */
export async function* linesOf(body: ReadableStream<BufferSource>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    // Some browsers cannot iterate over a body.
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      const lines = (rest + chunk.value).split(/\r?\n/);
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (rest !== '') yield rest;
  } catch (lost) {
    throw brokenOff(lost);
  } finally {
    await reader.cancel().catch(() => undefined); // a broken body has nothing left to cancel
  }
}
