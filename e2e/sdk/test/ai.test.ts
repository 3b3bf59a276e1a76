// Programs of the AI SDK.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { answerApprovalRequests, toolApproval } from '@sekisho/client/ai';
import { type ModelMessage, generateText, isStepCount, tool } from 'ai';
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

const modelAt = (address: string) => createOpenAICompatible({ name: 'local', baseURL: `${address}/v1`, apiKey: 'none' })('m');
const inputSchema = z.object({ text: z.string() });

async function run(script: Script, settings: Parameters<typeof toolApproval>[0]) {
  const [model, notes] = [await chat(script), new Notes()];
  const tools = { write_note: tool({ description: 'Writes a note', inputSchema, execute: notes.write }) };
  const result = await generateText({ model: modelAt(model.address), tools, toolApproval: toolApproval(settings), prompt: 'go', stopWhen: isStepCount(5) });
  model.close();
  return { notes, text: result.text, results: chatToolResults(model.log) };
}

test('calls of one step are asked about one after the other; one is allowed, one denied with a reason', async () => {
  const running = run([[note('good', 'call_1'), note('bad', 'call_2')]], settingsOf(server, 'ai two'));
  for (let answered = 0; answered < 2; answered += 1) await answerAll(server, 1);
  const { notes, text, results } = await running;
  assert.deepEqual(notes.written, ['good']);
  assert.match(results.find(({ id }) => id === 'call_2')!.text, /no bad notes/);
  assert.equal(text, 'done');
});

test('an edited call does not run, and the model reads the input that would', async () => {
  const running = run([[note('draft', 'call_1')]], settingsOf(server, 'ai edit'));
  await answerNext(server, { behavior: 'allow', updatedInput: { text: 'final' } });
  const { notes, results } = await running;
  assert.deepEqual(notes.written, []);
  assert.match(results[0]!.text, /"text\\*":\\*"final/);
});

test('two requests of `needsApproval` are asked about at once and answered by a message', async () => {
  const [model, notes] = [await chat([[note('good', 'call_1'), note('bad', 'call_2')]]), new Notes()];
  const tools = { write_note: tool({ description: 'Writes a note', inputSchema, execute: notes.write, needsApproval: true }) };
  const messages: ModelMessage[] = [{ role: 'user', content: 'go' }];
  for (;;) {
    const result = await generateText({ model: modelAt(model.address), tools, messages, stopWhen: isStepCount(5) });
    messages.push(...result.response.messages);
    const answering = answerApprovalRequests(result.content, settingsOf(server, 'ai requests'));
    if (result.content.some(({ type }) => type === 'tool-approval-request')) await answerAll(server, 2);
    const answers = await answering;
    if (answers === undefined) break;
    messages.push(answers);
  }
  model.close();
  assert.deepEqual(notes.written, ['good']);
  assert.match(chatToolResults(model.log).find(({ id }) => id === 'call_2')!.text, /no bad notes/);
});

test('a server that is down denies', async () => {
  const { notes, results } = await run([[note('good', 'call_1')]], { ...settingsOf(server, 'ai down'), baseUrl: 'http://127.0.0.1:9', unreachableMs: 0 });
  assert.deepEqual(notes.written, []);
  assert.match(results[0]!.text, /sekisho cannot be reached/);
});
