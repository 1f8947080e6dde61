// What the built package does where it promises to run: Node 20 and browsers. `made` is the package.
export async function walk(made, url, log) {
  const client = made.connect({ url, apiKey: 'a-key' });
  const { data } = await made.scoreLog({ client, body: { log }, throwOnError: true });
  const output = { mean: data.summaries[0].mean, events: [], lines: [] };
  for await (const event of made.stream(client, '/score', { log })) output.events.push(event.name);
  const lines = ['a', 'b'].map((custom_id) => ({ custom_id, path: '/score/coherence', body: { log } }));
  for await (const result of made.batch(client, lines)) output.lines.push([result.custom_id, result.answer.factor]);
  output.lines.sort();
  try {
    await made.scoreLog({ client, body: { log, judge: 'nobody' }, throwOnError: true });
  } catch (error) {
    output.error = [error instanceof made.InvalidRequestError, error.errors[0].pointer, error.request_id !== ''];
  }
  const down = made.connect({ url: 'http://127.0.0.1:9', retries: { longest: 1, sleep: async () => {} } });
  const { error } = await made.scoreLog({ client: down, body: { log } });
  output.down = error instanceof made.UnreachableError;
  const late = await made.scoreLog({
    client: made.connect({ url: 'http://127.0.0.1:9' }), body: { log }, signal: AbortSignal.timeout(50),
  });
  output.stopped = late.error.name;
  return output;
}
