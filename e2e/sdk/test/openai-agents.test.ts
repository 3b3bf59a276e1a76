// Programs of the OpenAI Agents SDK.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import { createInterruptionHandler } from '@sekisho/client/openai-agents';
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

async function run(script: Script, settings: Parameters<typeof createInterruptionHandler>[0]) {
  const [model, notes] = [await chat(script), new Notes()];
  const modelProvider = new OpenAIProvider({ baseURL: `${model.address}/v1`, apiKey: 'none', useResponses: false });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const writeNote = tool({ name: 'write_note', description: 'Writes a note', parameters: z.object({ text: z.string() }), needsApproval: true, execute: notes.write });
  const agent = new Agent({ name: 'notes', instructions: 'You take notes.', model: 'm', tools: [writeNote] });
  const decide = createInterruptionHandler(settings);
  let result = await runner.run(agent, 'go');
  while (await decide(result)) result = await runner.run(agent, result.state);
  model.close();
  return { notes, text: result.finalOutput, results: chatToolResults(model.log) };
}

test('two interruptions are asked about at once; one is allowed, one denied with a reason', async () => {
  const running = run([[note('good', 'call_1'), note('bad', 'call_2')]], settingsOf(server, 'openai two'));
  await answerAll(server, 2);
  const { notes, text, results } = await running;
  assert.deepEqual(notes.written, ['good']);
  assert.match(results.find(({ id }) => id === 'call_2')!.text, /no bad notes/);
  assert.equal(text, 'done');
});

test('an edited call does not run, and the model reads the input that would', async () => {
  const running = run([[note('draft', 'call_1')]], settingsOf(server, 'openai edit'));
  await answerNext(server, { behavior: 'allow', updatedInput: { text: 'final' } });
  const { notes, results } = await running;
  assert.deepEqual(notes.written, []);
  assert.match(results[0]!.text, /final/);
});

test('a server that is down denies', async () => {
  const { notes, results } = await run([[note('good', 'call_1')]], { ...settingsOf(server, 'openai down'), baseUrl: 'http://127.0.0.1:9', unreachableMs: 0 });
  assert.deepEqual(notes.written, []);
  assert.match(results[0]!.text, /sekisho cannot be reached/);
});
