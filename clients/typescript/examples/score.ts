// Scores one conversation, shows the verdicts as they come, and reads a log of another form: node examples/score.ts [URL]
import { connect, importFile, parts, score, stream, type Log, type Verdict } from '../src/index.ts';

const client = connect({ url: process.argv[2] ?? 'http://127.0.0.1:8000' });
const log: Log = {
  messages: [
    { role: 'user', content: 'Any western from the seventies?' },
    { role: 'assistant', content: 'Try this one:', parts: [parts.items([{ title: 'The Long Riders' }], 'carousel')] },
  ],
};

const { data, error } = await score({ client, body: { log } });
if (error !== undefined) throw new Error(`${error.title}: ${error.detail}`);
console.log('mean', data.summaries[0]?.mean);

for await (const event of stream(client, '/score', { log })) {
  if (event.name !== 'verdict') continue;
  const verdict = event.data as Verdict;
  console.log(verdict.factor, verdict.status, verdict.score);
}

const session = { id: 's1', turns: [{ who: 'guest', said: 'Boots, please.' }, { who: 'bot', said: 'The Alta GTX.' }] };
const own: Log = { messages: session.turns.map(({ who, said }) => ({ role: who === 'guest' ? 'user' : 'assistant', content: said })) };
const body = { text: JSON.stringify(session), map: { role: 'who', content: 'said' } };
const read = await importFile({ client, body, throwOnError: true });
console.log('read', read.data.logs[0]?.messages.length, 'of', own.messages.length);
