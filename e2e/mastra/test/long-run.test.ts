// A long run stays within the window of its model, and loses nothing.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { chunksOf, typesOf } from '../lib/chunks.js';
import type { Reply } from '../lib/model.js';
import { AGENT, OurServer } from '../lib/peers.js';

const STEPS = 100;
/** The window, in tokens. A token has three bytes at least. */
const WINDOW = 60_000;

test('older results are folded into references that the model can read', async () => {
  const call = (id: number) => ({ id: `c${id}`, name: 'read', args: { path: `file${id}.txt` } });
  const script: Reply[] = Array.from({ length: STEPS }, (_, step) => ({ calls: [call(step)] }));
  const write = { id: 'w', name: 'file_write', args: { path: 'doc/end.txt', content: 'end' } };
  const our = await OurServer.start([...script, { calls: [write] }, { text: ['Done.'] }], [
    ...['--max-iterations', String(STEPS + 5), '--context-tokens', String(WINDOW), '--max-tokens', '1000'],
    ...['--tool', 'tool_output_cache'],
  ]);
  try {
    for (let step = 0; step < STEPS; step += 1) {
      const lines = Array.from({ length: 200 }, (_, line) => `file ${step}, line ${line}: ${'x'.repeat(40)}`);
      writeFileSync(join(our.project, `file${step}.txt`), lines.join('\n'));
    }
    const agent = our.client.getAgent(AGENT);
    const chunks = await chunksOf(await agent.stream('Read all files.'));
    assert.equal(typesOf(chunks).at(-1), 'tool-call-approval', 'what waits is never folded');
    const { runId } = chunks[0]!;
    const rest = await chunksOf(await agent.approveToolCall({ runId, toolCallId: 'w' }));
    assert.equal(typesOf(rest).at(-1), 'finish');

    const size = (message: { content: unknown; tool_calls?: unknown }) =>
      Buffer.byteLength(String(message.content ?? '')) + Buffer.byteLength(JSON.stringify(message.tool_calls ?? ''));
    const sizes = our.model.requests.map(({ messages }) => messages.reduce((sum, message) => sum + size(message), 0));
    assert.ok(Math.max(...sizes) <= WINDOW * 3, `the largest request has ${Math.max(...sizes)} bytes`);
    const read = STEPS * 200 * 55;
    assert.ok(read > 5 * WINDOW, 'everything together would not have fitted');

    // The beginning of the conversation changes rarely, so that providers can cache it.
    const folded = (request: { messages: { content: unknown }[] }) =>
      request.messages.filter(({ content }) => String(content).includes('[folded:')).length;
    const counts = our.model.requests.map(folded);
    const changes = counts.filter((count, at) => at > 0 && count !== counts[at - 1]).length;
    assert.ok(changes >= 3 && changes <= STEPS / 3, `${changes} changes`);

    // A folded result is found by the id in its reference.
    const last = our.model.requests.at(-1)!.messages.map(({ content }) => String(content));
    const reference = last.find((content) => content.includes('[folded:')) ?? '';
    const id = /tool_output_cache with id ([0-9a-f-]{36})/.exec(reference)?.[1] ?? '';
    const found = our.server.run('tool', 'run', '--run', runId, 'tool_output_cache', '--id', id);
    assert.match(found, /file 0, line 199/);
  } finally {
    await our.end();
  }
});
