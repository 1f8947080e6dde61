// What the TypeScript client does with a service.
import { readFileSync } from 'node:fs';

import {
  addMessages, batch, connect, CrsEvalError, debateOneLog, deleteConversation, deleteUser, getJudgement, getSummary, getUser,
  InvalidRequestError, NotFoundError, parts, scoreFactor, scoreLog, ServiceError, stream, TimedOutError, UnreachableError, withOptions,
  type Attempt, type Log,
} from '../../../clients/typescript/src/index.ts';

const [url, front, path] = process.argv.slice(2) as [string, string, string];
const log = JSON.parse(readFileSync(path, 'utf8')) as Log;
const output: Record<string, unknown> = {};

output['parts'] = [
  parts.text('Two fit your budget:'),
  parts.items([{ id: 'j1', title: 'Fellwind Shell' }], 'carousel'),
  parts.toolCall('search', { arguments: '{}', id: 'call_1' }),
  parts.toolResult('[]', { call: 'call_1', name: 'search', error: true }),
  parts.image({ alt: 'A jacket', url: 'https://shop.example/j1' }),
  parts.toolCall('search'),
];

// Never called. A line that compiles is an error too.
export function refusedByTsc(): void {
  // @ts-expect-error
  parts.text(parts.image({}));
  // @ts-expect-error
  parts.items(['Fellwind Shell']);
  // @ts-expect-error
  parts.items([], { layout: 'carousel' });
  // @ts-expect-error
  parts.toolCall({ arguments: '{}' });
  // @ts-expect-error
  parts.toolCall('search', { arguments: {} });
  // @ts-expect-error
  parts.toolResult('[]', { text: 'none' });
  // @ts-expect-error
  parts.image({ items: [] });
}

const client = connect({ url });
const { data } = await scoreLog({ client, body: { log }, throwOnError: true });
output['mean'] = data.summaries[0]?.mean;
output['factors'] = data.verdicts.map((verdict) => verdict.factor);
output['overall'] = (await debateOneLog({ client, body: { log }, throwOnError: true })).data.overall;

const events = await Array.fromAsync(stream(client, '/score', { log }));
output['events'] = events.map((event) => event.name);
for (const event of events) {
  if (event.name === 'verdict') output['event'] ??= [event.data.factor, event.data.score];
  if (event.name === 'done') output['streamed'] = output['done'] = event.data.summaries[0]?.mean;
}

const hurry = new AbortController();
const heard: string[] = [];
try {
  for await (const event of stream(client, '/score', { log }, { signal: hurry.signal })) {
    heard.push(event.name);
    hurry.abort();
  }
} catch (error) {
  heard.push((error as Error).name);
}
output['stopped'] = heard;

const wrong = await scoreLog({ client, body: { log, judge: 'nobody' } });
output['error'] = {
  status: wrong.response?.status,
  pointer: wrong.error?.errors[0]?.pointer,
  retryable: wrong.error?.retryable,
};

try {
  await scoreLog({ client, body: { log, judge: 'nobody' }, throwOnError: true });
} catch (error) {
  output['kind'] = error instanceof InvalidRequestError;
  output['request_id'] = (error as InvalidRequestError).request_id;
}

output['said'] = CrsEvalError.of(422, JSON.stringify(wrong.error)).message;

const later = connect({ url: `${front}/later` });
output['later'] = (await scoreLog({ client: later, body: { log } })).data?.summaries[0]?.mean;

const short = { log: { messages: log.messages.slice(0, 2) } };
const lines = Array.from({ length: 501 }, (_, i) => ({
  custom_id: String(i),
  path: '/score/coherence' as const,
  body: i === 7 ? { log: { messages: [] } } : short,
}));
const progress: number[] = [];
const plain = connect({ url: `${front}/plain` });
const results = await Array.fromAsync(batch(plain, lines, { progress: (done) => progress.push(done) }));
output['lines'] = new Set(results.map((result) => result.custom_id)).size;
output['progress'] = progress;
const wrongLines = results.filter((result) => result.error !== undefined);
output['wrong_lines'] = wrongLines.map((result) => Number(result.custom_id));
output['failed_line'] = wrongLines.flatMap(({ error }) => [error?.status, error?.errors[0]?.pointer]);

const named = ['a', 'b', 'c'].map((custom_id) => ({ custom_id, path: '/score/coherence' as const, body: { log } }));
const cut = await Array.fromAsync(batch(connect({ url: `${front}/cut` }), named));
output['cut'] = cut.map((result) => result.custom_id).sort();
output['result'] = [cut[0]?.answer?.factor, cut[0]?.answer?.score];

const attempts: Attempt[] = [];
const busy = connect({ url: `${front}/busy`, hook: (attempt) => attempts.push(attempt) });
const again = await scoreFactor({ client: busy, path: { factor: 'coherence' }, body: { log } });
output['retried'] = again.data?.factor;
output['hook'] = attempts.map(({ method, path, number, status, wait }) => [method, path, number, status ?? 0, wait !== undefined]);
const once = withOptions(busy, { retries: { attempts: 1 } });
output['asked_once'] = (await scoreFactor({ client: once, path: { factor: 'diversity' }, body: { log } })).response?.status;
const nonsense = await scoreFactor({ client: busy, path: { factor: 'nonsense' }, body: { log } });
output['not_retried'] = nonsense.response?.status;

const body = { log };
const coherence = { factor: 'coherence' };
const lost = connect({ url: `${front}/lost` });
output['reconnected'] = (await scoreFactor({ client: lost, path: coherence, body })).data?.factor;
const passing = connect({ url: `${front}/passing` });
output['insisted'] = (await scoreFactor({ client: passing, path: coherence, body })).data?.factor;
output['named'] = (await scoreFactor({ client: connect(), path: coherence, body })).data?.factor;
const proxied = connect({ url: `${front}/page`, retries: { attempts: 1 } });
const page = (await scoreFactor({ client: proxied, path: coherence, body })).error;
output['page'] = page instanceof ServiceError && page.status;
const hasty = withOptions(connect({ url: `${front}/slow` }), { timeout: 0.3 });
const late = await scoreFactor({ client: hasty, path: coherence, body });
output['limited'] = (late.error as unknown) instanceof TimedOutError;
const broken = await scoreFactor({ client: connect({ url: `${front}/broken` }), path: coherence, body });
output['broken'] = (broken.error as unknown) instanceof UnreachableError;

const live = connect({ url: process.env['LIVE_URL']! });
const [conversation, user] = [{ conversation: 'shop/1' }, { user: 'anna/1' }];
const post = { messages: log.messages.slice(0, 2), user: { id: user.user } };
const taken = await addMessages({ client: live, path: conversation, body: post, throwOnError: true });
const kept = async () => (await getUser({ client: live, path: user, throwOnError: true })).data.conversations.length;
const before = await kept();
await deleteConversation({ client: live, path: { conversation: 'none' }, throwOnError: true });
await deleteUser({ client: live, path: user, throwOnError: true });
const { systems } = (await getSummary({ client: live, throwOnError: true })).data;
output['live'] = [taken.data.messages, before, await kept(), systems];
const missing = (await getJudgement({ client: live, path: conversation })).error;
output['not_judged'] = missing instanceof NotFoundError && missing.status;
const refused = ['hour', 'final'].map((name) => connect({ url: `${front}/${name}` }));
output['given_up'] = await Promise.all(
  refused.map(async (one) => (await scoreFactor({ client: one, path: coherence, body })).response?.status),
);

const down = connect({ url: 'http://127.0.0.1:9' });
const seconds = async (asked: Promise<unknown>) => {
  const begun = performance.now();
  const failed = await asked.then((answer) => (answer as { error?: unknown }).error, (error: unknown) => error);
  if (!(failed instanceof UnreachableError)) throw new Error(`no UnreachableError: ${String(failed)}`);
  return (performance.now() - begun) / 1000;
};
output['down'] = await Promise.all([
  seconds(scoreFactor({ client: down, path: coherence, body })), seconds(Array.fromAsync(batch(down, named))),
]);

const patient = connect({ url: `${front}/hour`, retries: { longest: 4000 } });
const waiting = scoreFactor({ client: patient, path: { factor: 'novelty' }, body, signal: AbortSignal.timeout(200) });
output['stopped_waiting'] = ((await waiting).error as unknown as Error).name === 'TimeoutError';

console.log(JSON.stringify(output));
