// Scores one conversation and shows the verdicts as they come: node examples/score.ts [URL]
import { connect, parts, scoreLog, stream, type Log, type Verdict } from '../src/index.ts';

const client = connect({ url: process.argv[2] ?? 'http://127.0.0.1:8000' });
const log: Log = {
  messages: [
    { role: 'user', content: 'Any western from the seventies?' },
    { role: 'assistant', content: 'Try this one:', parts: [parts.items([{ title: 'The Long Riders' }], 'carousel')] },
  ],
};

const { data, error } = await scoreLog({ client, body: { log } });
if (error !== undefined) throw new Error(`${error.title}: ${error.detail}`);
console.log('mean', data.summaries[0]?.mean);

for await (const event of stream(client, '/score', { log })) {
  if (event.name !== 'verdict') continue;
  const verdict = event.data as Verdict;
  console.log(verdict.factor, verdict.status, verdict.score);
}
