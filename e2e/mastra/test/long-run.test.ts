// A long run stays within the window of its model, loses nothing, and needs no more memory than a short one.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Chunk, chunksOf, typesOf } from '../lib/chunks.js';
import type { Reply } from '../lib/model.js';
import { AGENT, OurServer } from '../lib/peers.js';

/** `make prove` sets 300, for 20 MB of results. */
const STEPS = Number(process.env['SEKISHO_LONG_RUN_STEPS'] ?? 120);
/** The window, in tokens. A token has three bytes at least. */
const WINDOW = 200_000;
/** Each step reads a file that is stored whole, and one that is small enough to be in the conversation. */
const [LARGE, SMALL] = [60_000, 12_000];
/** After this many steps, results were folded a few times. From then on, memory must not grow. */
const WARM = 60;
/** How much the peak of the memory may still grow. Holding the conversation takes about 190 kB for each step. */
const GROWTH = STEPS < 300 ? 8_000_000 : 16_000_000;

/** Lines of a file, of about this many bytes together. */
function lines(name: string, bytes: number): string {
  const line = (number: number) => `${name}, line ${String(number).padStart(4, '0')}: ${'x'.repeat(70)}`;
  return Array.from({ length: Math.ceil(bytes / 100) }, (_, number) => line(number)).join('\n');
}

test(`${STEPS} steps whose results are many times the window`, async () => {
  const read = (id: string, path: string) => ({ id, name: 'read', args: { path } });
  const script: Reply[] = Array.from({ length: STEPS }, (_, step) => ({
    calls: [read(`l${step}`, `large${step}.txt`), read(`s${step}`, `small${step}.txt`)],
  }));
  const write = { id: 'w', name: 'file_write', args: { path: 'doc/end.txt', content: 'end' } };
  const early = { id: 'e', name: 'file_write', args: { path: 'doc/early.txt', content: 'early' } };
  // The first call that waits does so while the others of its reply run.
  script[WARM] = { calls: [...(script[WARM]?.calls ?? []), early] };
  const our = await OurServer.start([...script, { calls: [write] }, { text: ['Done.'] }], [
    ...['--max-iterations', String(STEPS + 5), '--context-tokens', String(WINDOW), '--max-tokens', '1000'],
    ...['--tool', 'tool_output_cache'],
  ]);
  try {
    let bytes = 0;
    for (let step = 0; step < STEPS; step += 1) {
      for (const [name, size] of [['large', LARGE], ['small', SMALL]] as const) {
        const text = lines(`${name} ${String(step).padStart(3, '0')}`, size);
        bytes += Buffer.byteLength(text);
        writeFileSync(join(our.project, `${name}${step}.txt`), text);
      }
    }
    assert.ok(bytes > STEPS * 66_667, `${bytes} bytes of results`);
    const agent = our.client.getAgent(AGENT);
    const first = await chunksOf(await agent.stream('Read all files.'));
    assert.ok(typesOf(first).includes('tool-call-approval'), 'a call waits');
    const { runId } = first[0]!;
    const warm = our.server.peakMemory;
    const second = await chunksOf(await agent.approveToolCall({ runId, toolCallId: 'e' }));
    assert.equal(typesOf(second).at(-1), 'tool-call-approval', 'what waits is never folded');
    const rest = await chunksOf(await agent.approveToolCall({ runId, toolCallId: 'w' }));
    assert.equal(typesOf(rest).at(-1), 'finish');
    const peak = our.server.peakMemory;
    for (const [file, text] of [['early', 'early'], ['end', 'end']]) {
      assert.equal(readFileSync(join(our.project, `doc/${file}.txt`), 'utf8'), text);
    }

    // Every call has its result, once.
    const ended = [...first, ...second, ...rest].filter(({ type }: Chunk) => type === 'tool-result');
    assert.equal(new Set(ended.map(({ payload }) => payload['toolCallId'])).size, 2 * STEPS + 2);
    assert.equal(ended.length, 2 * STEPS + 2);

    const size = (message: { content: unknown; tool_calls?: unknown }) =>
      Buffer.byteLength(String(message.content ?? '')) + Buffer.byteLength(JSON.stringify(message.tool_calls ?? ''));
    const sizes = our.model.requests.map(({ messages }) => messages.reduce((sum, message) => sum + size(message), 0));
    assert.equal(sizes.length, STEPS + 2);
    assert.ok(Math.max(...sizes) <= WINDOW * 3, `the largest request has ${Math.max(...sizes)} bytes`);

    console.log(`peak of the memory: ${warm} bytes after ${WARM} steps, ${peak} after ${STEPS}`);
    if (warm !== undefined && peak !== undefined) {
      assert.ok(peak - warm <= GROWTH, `the memory grew from ${warm} to ${peak} bytes`);
    }

    // The beginning of the conversation changes rarely, so that providers can cache it.
    const folded = (request: { messages: { content: unknown }[] }) =>
      request.messages.filter(({ content }) => String(content).includes('[folded:')).length;
    const counts = our.model.requests.map(folded);
    const changes = counts.filter((count, at) => at > 0 && count !== counts[at - 1]).length;
    assert.ok(changes >= 3 && changes <= STEPS / 3, `${changes} changes`);

    // A folded result is found by the id in its reference.
    const last = our.model.requests.at(-1)!.messages;
    const reference = String(last.find((message) => message.tool_call_id === 's0')?.content);
    const id = /\[folded: 1[0-9]{4} bytes; tool_output_cache with id ([0-9a-f-]{36})/.exec(reference)?.[1] ?? '';
    const found = our.server.run('tool', 'run', '--run', runId, 'tool_output_cache', '--id', id);
    assert.match(found, /small 000, line 0119/);
  } finally {
    await our.end();
  }
});
