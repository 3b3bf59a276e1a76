// Programs of Mastra that run their agents themselves.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { LibSQLStore } from '@mastra/libsql';
import { streamWithApproval } from '@sekisho/client/mastra';
import { z } from 'zod';
import type { TestServer } from '../../../sdk/typescript/test/test-server.js';
import { answerNext, settingsOf, startServer } from '../lib/inbox.js';
import { type Script, chat, chatToolResults } from '../lib/models.js';
import { Notes, answerAll, note } from '../lib/program.js';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.end());

async function run(script: Script, settings: Parameters<typeof streamWithApproval>[2]) {
  const [model, notes] = [await chat(script), new Notes()];
  const inputSchema = z.object({ text: z.string() });
  const execute = (input: { text: string }) => Promise.resolve(notes.write(input));
  const write_note = createTool({ id: 'write_note', description: 'Writes a note', requireApproval: true, inputSchema, execute });
  const agent = new Agent({
    id: 'notes',
    name: 'notes',
    instructions: 'You take notes.',
    tools: { write_note },
    model: { providerId: 'local', modelId: 'm', url: `${model.address}/v1`, apiKey: 'none' },
  });
  new Mastra({ agents: { agent }, storage: new LibSQLStore({ id: 'store', url: ':memory:' }), logger: false });
  const types: string[] = [];
  let text = '';
  for await (const chunk of streamWithApproval(agent, await agent.stream('go'), settings)) {
    types.push(chunk.type);
    if (chunk.type === 'text-delta') text += chunk.payload.text;
  }
  model.close();
  return { notes, text, types, results: chatToolResults(model.log) };
}

test('two calls of one step: Mastra suspends on one after the other; one is allowed, one declined with a reason', async () => {
  const running = run([[note('good', 'call_1'), note('bad', 'call_2')]], settingsOf(server, 'mastra two'));
  for (let answered = 0; answered < 2; answered += 1) await answerAll(server, 1);
  const { notes, text, types, results } = await running;
  assert.deepEqual(notes.written, ['good']);
  assert.match(results.find(({ id }) => id === 'call_2')!.text, /no bad notes/);
  assert.equal(text, 'done');
  assert.ok(types.includes('tool-output-denied'));
});

test('two runs wait at once, and each gets its own answer', async () => {
  const running = ['good', 'bad'].map((text) => run([[note(text, 'call_1')]], settingsOf(server, 'mastra runs')));
  await answerAll(server, 2);
  const [good, bad] = await Promise.all(running);
  assert.deepEqual([good!.notes.written, bad!.notes.written], [['good'], []]);
  assert.match(bad!.results[0]!.text, /no bad notes/);
});

test('an edited call does not run, and the model reads the input that would', async () => {
  const running = run([[note('draft', 'call_1')]], settingsOf(server, 'mastra edit'));
  await answerNext(server, { behavior: 'allow', updatedInput: { text: 'final' } });
  const { notes, results } = await running;
  assert.deepEqual(notes.written, []);
  assert.match(results[0]!.text, /final/);
});

test('a server that is down denies', async () => {
  const { notes, results } = await run([[note('good', 'call_1')]], { ...settingsOf(server, 'mastra down'), baseUrl: 'http://127.0.0.1:9', unreachableMs: 0 });
  assert.deepEqual(notes.written, []);
  assert.match(results[0]!.text, /sekisho cannot be reached/);
});
