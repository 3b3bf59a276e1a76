// What people do with Mastra's client, against our server.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Chunk, chunksOf, typesOf } from '../lib/chunks.js';
import type { Reply } from '../lib/model.js';
import { AGENT, OurServer } from '../lib/peers.js';

const SCRIPT: Reply[] = [
  { text: ['I write.'], calls: [{ id: 'c1', name: 'file_write', args: { path: 'doc/note.txt', content: 'abc' } }] },
  { text: ['Done.'] },
];

let our: OurServer;
before(async () => {
  our = await OurServer.start(SCRIPT);
});
after(() => our.end());

test('a client that shows requests with two buttons, as for a chat', async () => {
  const agent = our.client.getAgent(AGENT);
  const posted: { runId: string; toolCallId: string; toolName: string; args: object }[] = [];
  let said = '';
  const show = async (chunk: Chunk) => {
    if (chunk.type === 'text-delta') said += String(chunk.payload['text']);
    if (chunk.type !== 'tool-call-approval') return;
    const { toolCallId, toolName, args } = chunk.payload as { toolCallId: string; toolName: string; args: object };
    posted.push({ runId: chunk.runId, toolCallId, toolName, args });
  };
  const handle = async (chunks: Promise<Chunk[]>) => {
    for (const chunk of await chunks) await show(chunk);
  };
  await handle(chunksOf(await agent.stream([{ role: 'user', content: 'Write a note.' }])));
  assert.deepEqual(posted.map(({ toolName, args }) => [toolName, args]), [['file_write', { path: 'doc/note.txt', content: 'abc' }]]);
  assert.ok(!existsSync(join(our.project, 'doc/note.txt')));
  const { runId, toolCallId } = posted[0]!;
  await handle(chunksOf(await agent.declineToolCall({ runId, toolCallId, reason: 'Use another name.' })));
  assert.equal(said, 'I write.Done.');
  assert.ok(!existsSync(join(our.project, 'doc/note.txt')));
  const read = our.model.requests.at(-1)!.messages.at(-1)!;
  assert.match(String(read.content), /Use another name\./);

  await handle(chunksOf(await agent.stream('Again.')));
  const second = posted[1]!;
  await handle(chunksOf(await agent.approveToolCall({ runId: second.runId, toolCallId: second.toolCallId })));
  assert.equal(readFileSync(join(our.project, 'doc/note.txt'), 'utf8'), 'abc');
});

test('generate is suspended, and the answer completes it', async () => {
  const agent = our.client.getAgent(AGENT);
  const asked = await agent.generate('go');
  assert.equal(asked.finishReason, 'suspended');
  const { runId } = asked as unknown as { runId: string };
  const waiting = (await agent.listSuspendedRuns()).runs.filter((run) => run.runId === runId);
  assert.deepEqual(waiting.map((run) => run.toolCalls.map(({ toolName }) => toolName)), [['file_write']]);
  const done = await agent.approveToolCallGenerate({ runId, toolCallId: 'c1' });
  assert.deepEqual([done.finishReason, done.text], ['stop', 'I write.Done.']);
  assert.ok((await agent.listSuspendedRuns()).runs.every((run) => run.runId !== runId));
});

test('an answer is refused without being tried again, and says why', async () => {
  const agent = our.client.getAgent(AGENT);
  const [first] = await chunksOf(await agent.stream('go'));
  const { runId } = first!;
  const refused = async (answer: Promise<unknown>, code: string) => {
    await assert.rejects(answer, (error: { status: number; body: { code: string } }) => {
      assert.deepEqual([error.status, error.body.code], [409, code]);
      return true;
    });
  };
  await refused(agent.approveToolCall({ runId, toolCallId: 'c2' }), 'AGENT_RESUME_TOOL_CALL_NOT_SUSPENDED');
  // Two answers at once: the tool runs once.
  const both = await Promise.allSettled([agent.approveToolCall({ runId, toolCallId: 'c1' }), agent.approveToolCall({ runId, toolCallId: 'c1' })]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  await refused(agent.declineToolCall({ runId, toolCallId: 'c1' }), 'AGENT_RESUME_TOOL_CALL_NOT_SUSPENDED');
});

test('a stream is joined again after the server was killed', async () => {
  const agent = our.client.getAgent(AGENT);
  const asked = await chunksOf(await agent.stream('go'));
  const { runId } = asked[0]!;
  await our.server.down('SIGKILL');
  await our.server.up();
  const again = await chunksOf(await our.client.getAgent(AGENT).observe({ runId }));
  const whole = (chunks: Chunk[]) => typesOf(chunks).filter((type) => !type.endsWith('-delta'));
  assert.deepEqual(whole(again), whole(asked));
  const rest = await chunksOf(await our.client.getAgent(AGENT).approveToolCall({ runId, toolCallId: 'c1' }));
  assert.equal(rest.at(-1)!.type, 'finish');
});

test('the agent describes itself', async () => {
  const details = await our.client.getAgent(AGENT).details();
  assert.deepEqual(Object.keys(details.tools).sort(), ['file_write', 'read']);
  assert.equal(details.modelId, 'm');
  const all = await our.client.listAgents();
  assert.deepEqual(Object.values(all).map(({ name }) => name), [AGENT]);
});

test('an agent may start runs and not approve their calls', async () => {
  const agent = our.as('agent').getAgent(AGENT);
  const [first] = await chunksOf(await agent.stream('go'));
  await assert.rejects(agent.approveToolCall({ runId: first!.runId, toolCallId: 'c1' }), { status: 403 });
});
