import type { Client } from '../generated/client/index.ts';
import { post } from './connect.ts';
import { linesOf } from './lines.ts';
import { CrsEvalError } from './problems.ts';
import type { Event, StreamPath, Streams } from './routes.ts';

export interface StreamOptions {
  /** Aborted, the stream stops, and the service stops working for it. */
  signal?: AbortSignal;
}

/**
 * The events of a route as they come; `done` is the last and carries the whole answer.
 * Throws CrsEvalError for a problem, also for one that comes as an `error` event.
 */
export async function* stream<Path extends StreamPath>(
  client: Client,
  path: Path,
  body: Streams[Path],
  { signal }: StreamOptions = {},
): AsyncGenerator<Event<Path>> {
  const headers = { 'Content-Type': 'application/json', Accept: 'text/event-stream' };
  const answer = await post(client, path, JSON.stringify(body), headers, signal);
  for await (const event of eventsOf(linesOf(answer))) {
    signal?.throwIfAborted();
    if (event.name === 'error') throw CrsEvalError.of(event.data.status ?? 500, event.data);
    yield event as Event<Path>;
  }
}

/** Events of lines; a line that begins with a colon is a comment: the service is still working. */
async function* eventsOf(lines: AsyncIterable<string>) {
  let id: string | undefined;
  let name = 'message';
  let data: string[] = [];
  for await (const line of lines) {
    if (line === '') {
      if (data.length > 0) yield { id, name, data: JSON.parse(data.join('\n')) };
      [name, data] = ['message', []];
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') name = value;
    else if (field === 'id') id = value;
  }
}
