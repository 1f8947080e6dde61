import type { Client } from '../generated/client/index.ts';
import type { BatchLine, BatchResult } from '../generated/index.ts';
import { post } from './connect.ts';
import { linesOf } from './lines.ts';
import { CrsEvalError, CutShortError, UnreachableError } from './problems.ts';
import { backoff, pause } from './retries.ts';
import type { AnswerOf } from './routes.ts';

/** Result of a line: `answer` where its status is 200, else `error`. */
export interface Result<Path extends string = string> extends BatchResult {
  answer?: AnswerOf<Path>;
  error?: CrsEvalError;
}

export interface BatchOptions {
  /** Called with the number of lines that are done. */
  progress?: (done: number) => void;
  /** Lines of one request. The service reads no further while its results are not taken, so no more than 500. */
  window?: number;
  /** Attempts to send a window where the connection breaks; answered lines are not sent again. */
  attempts?: number;
  /** Aborted, the batch stops: what is under way is cancelled, and its error is thrown. */
  signal?: AbortSignal;
}

/** The results of lines as they finish, in any order. `lines` may be endless. */
export async function* batch<Path extends string = string>(
  client: Client,
  lines: Lines<Path>,
  { progress, window = 500, attempts = 6, signal }: BatchOptions = {},
): AsyncGenerator<Result<Path>> {
  let done = 0;
  for await (const waiting of windows(lines, window)) {
    for await (const result of insist(client, waiting, attempts, signal)) {
      progress?.(++done);
      yield (
        result.status === 200
          ? { ...result, answer: result.body }
          : { ...result, error: CrsEvalError.of(result.status, result.body) }
      ) as Result<Path>;
    }
  }
}

type Lines<Path extends string> = Iterable<BatchLine & { path: Path }> | AsyncIterable<BatchLine & { path: Path }>;

async function* insist(client: Client, waiting: Map<string, BatchLine>, attempts: number, signal?: AbortSignal) {
  for (let attempt = 1; ; attempt++) {
    try {
      yield* sent(client, waiting, signal);
    } catch (lost) {
      // A refusal of the whole was retried before.
      if (!(lost instanceof CutShortError)) throw lost;
    }
    if (waiting.size === 0) return;
    if (attempt >= attempts) throw new UnreachableError(`${waiting.size} lines of the batch were not answered`);
    await pause(backoff(attempt), signal);
  }
}

async function* sent(
  client: Client,
  waiting: Map<string, BatchLine>,
  signal?: AbortSignal,
): AsyncGenerator<BatchResult> {
  const body = [...waiting.values()].map((line) => `${JSON.stringify(line)}\n`).join('');
  const answer = await post(client, '/batch', body, { 'Content-Type': 'application/x-ndjson' }, signal);
  for await (const line of linesOf(answer)) {
    signal?.throwIfAborted();
    const result = JSON.parse(line) as BatchResult;
    // A result without a line's name is the batch's own end.
    if (result.custom_id === null || !waiting.delete(result.custom_id)) return;
    yield result;
  }
}

async function* windows(lines: Iterable<BatchLine> | AsyncIterable<BatchLine>, size: number) {
  let group = new Map<string, BatchLine>();
  for await (const line of lines) {
    if (group.has(line.custom_id)) throw new Error(`two lines of a batch are called ${line.custom_id}`);
    group.set(line.custom_id, line);
    if (group.size === size) {
      yield group;
      group = new Map();
    }
  }
  if (group.size > 0) yield group;
}
