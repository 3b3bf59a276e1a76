// Programs of LangGraph: an agent of LangChain with its middleware, and a graph of one's own.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Annotation, Command, MemorySaver, START, StateGraph, interrupt, isInterrupted } from '@langchain/langgraph';
import { type ActionDecision, createInterruptHandler } from '@sekisho/client/langgraph';
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain';
import { z } from 'zod';
import type { TestServer } from '../../../sdk/typescript/test/test-server.js';
import { answerNext, settingsOf, startServer } from '../lib/inbox.js';
import { ScriptedChatModel } from '../lib/langchain-model.js';
import type { Script } from '../lib/models.js';
import { Notes, answerAll, note } from '../lib/program.js';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.end());

async function run(script: Script, settings: Parameters<typeof createInterruptHandler>[0], allowedDecisions: ('approve' | 'edit' | 'reject')[] = ['approve', 'edit', 'reject']) {
  const notes = new Notes();
  const writeNote = tool(notes.write, { name: 'write_note', description: 'Writes a note', schema: z.object({ text: z.string() }) });
  const middleware = [humanInTheLoopMiddleware({ interruptOn: { write_note: { allowedDecisions } } })];
  const agent = createAgent({ model: new ScriptedChatModel(script), tools: [writeNote], middleware, checkpointer: new MemorySaver() });
  const decide = createInterruptHandler(settings);
  const config = { configurable: { thread_id: 'one' } };
  let result = await agent.invoke({ messages: [{ role: 'user', content: 'go' }] }, config);
  while (isInterrupted(result)) result = await agent.invoke(new Command({ resume: await decide(result.__interrupt__) }), config);
  return { notes, messages: result.messages.map((message) => String(message.content)) };
}

test('two actions are asked about at once, and run when both are allowed', async () => {
  const running = run([[note('good', 'call_1'), note('fine', 'call_2')]], settingsOf(server, 'langgraph both'));
  await answerAll(server, 2);
  assert.deepEqual((await running).notes.written.sort(), ['fine', 'good']);
});

test('one of two actions is denied with a reason: LangChain then runs neither, and the model reads why', async () => {
  const running = run([[note('good', 'call_1'), note('bad', 'call_2')]], settingsOf(server, 'langgraph two'));
  await answerAll(server, 2);
  const { notes, messages } = await running;
  assert.deepEqual(notes.written, []);
  assert.ok(messages.some((text) => text.includes('no bad notes')), messages.join('\n'));
  assert.equal(messages.at(-1), 'done');
});

test('an edited input replaces the input, if the agent allows edits', async () => {
  const edit = { behavior: 'allow', updatedInput: { text: 'final' } } as const;
  const editable = run([[note('draft', 'call_1')]], settingsOf(server, 'langgraph edit'));
  await answerNext(server, edit);
  assert.deepEqual((await editable).notes.written, ['final']);
  const fixed = run([[note('draft', 'call_1')]], settingsOf(server, 'langgraph no edit'), ['approve', 'reject']);
  await answerNext(server, edit);
  const { notes, messages } = await fixed;
  assert.deepEqual(notes.written, []);
  assert.ok(messages.some((text) => text.includes('approved only with a changed input')), messages.join('\n'));
});

test('two nodes of a graph interrupt at once, and each gets its own decision', async () => {
  const State = Annotation.Root({ decisions: Annotation<ActionDecision[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }) });
  const node = (text: string) => () => ({ decisions: [interrupt<object, ActionDecision>({ name: 'write_note', args: { text } })] });
  const graph = new StateGraph(State).addNode('one', node('good')).addNode('two', node('bad')).addEdge(START, 'one').addEdge(START, 'two').compile({ checkpointer: new MemorySaver() });
  const decide = createInterruptHandler(settingsOf(server, 'langgraph nodes'));
  const config = { configurable: { thread_id: 'two' } };
  const interrupted = await graph.invoke({}, config);
  assert.ok(isInterrupted(interrupted));
  const deciding = decide(interrupted.__interrupt__);
  await answerAll(server, 2);
  const { decisions } = await graph.invoke(new Command({ resume: await deciding }), config);
  assert.deepEqual(decisions, [{ type: 'approve' }, { type: 'reject', message: 'no bad notes' }]);
});

test('a server that is down denies', async () => {
  const { notes, messages } = await run([[note('good', 'call_1')]], { ...settingsOf(server, 'langgraph down'), baseUrl: 'http://127.0.0.1:9', unreachableMs: 0 });
  assert.deepEqual(notes.written, []);
  assert.ok(messages.some((text) => text.includes('sekisho cannot be reached')), messages.join('\n'));
});
