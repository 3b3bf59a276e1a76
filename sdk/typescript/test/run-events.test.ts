import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunEvent, RunFollowSettings, Sekisho } from '../src/index.js';
import { stream, world } from './scripted-server.js';

const QUICK = { backoff: { firstMs: 5, longestMs: 20 } };

const frame = (type: string, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify({ type, runId: 'r', from: 'AGENT', payload: { id } })}\n\n`;
const DONE = 'data: [DONE]\n\n';

async function followed(sekisho: Sekisho, settings: RunFollowSettings = {}): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of sekisho.followRun('r', { ...QUICK, ...settings })) events.push(event);
  return events;
}

test('a run is followed until its stream says that it is done', async () => {
  const text = frame('tool-call', 1) + ': comment\n\ndata: no json\n\n' + frame('text-delta') + frame('finish', 2) + DONE;
  const { sekisho, heads, server } = await world([stream(text)]);
  const events = await followed(sekisho);
  assert.deepEqual(events.map(({ type, id }) => [type, id]), [['tool-call', '1'], ['text-delta', undefined], ['finish', '2']]);
  assert.deepEqual(events[0], { type: 'tool-call', runId: 'r', from: 'AGENT', payload: { id: 1 }, id: '1' });
  assert.deepEqual([heads[0]?.authorization, heads[0]?.['last-event-id']], ['Bearer sks_x', undefined]);
  server.closeAllConnections();
  server.close();
});

test('a lost stream continues after the last stored event', async () => {
  const { sekisho, heads, server } = await world([
    stream(frame('tool-call', 4) + frame('text-delta'), true),
    (response) => response.writeHead(503, { 'retry-after': '0' }).end('{"error":{"code":"Closing","message":"x"}}'),
    (response) => response.destroy(),
    stream(frame('finish', 5) + DONE),
  ]);
  const events = await followed(sekisho, { lastEventId: '3' });
  assert.deepEqual(events.map(({ id }) => id), ['4', undefined, '5']);
  assert.deepEqual(heads.map((head) => head['last-event-id']), ['3', '4', '4', '4']);
  server.closeAllConnections();
  server.close();
});

test('a silent stream is opened again', async () => {
  const { sekisho, heads, server } = await world([stream(frame('tool-call', 1)), stream(frame('finish', 2) + DONE)]);
  assert.deepEqual((await followed(sekisho, { silenceMs: 300 })).map(({ id }) => id), ['1', '2']);
  assert.equal(heads.length, 2);
  server.closeAllConnections();
  server.close();
});

test('a refusal is thrown, and an abort ends the stream', async () => {
  const refusal = '{"error":{"code":"NotFound","message":"no"}}';
  const { sekisho, heads, server } = await world([
    (response) => response.writeHead(404).end(refusal),
    stream(frame('tool-call', 1)),
  ]);
  await assert.rejects(followed(sekisho), { name: 'SekishoError', code: 'NotFound', status: 404 });
  const controller = new AbortController();
  const events: RunEvent[] = [];
  for await (const event of sekisho.followRun('r', { ...QUICK, signal: controller.signal })) {
    events.push(event);
    controller.abort();
  }
  assert.deepEqual([events.length, heads.length], [1, 2]);
  server.closeAllConnections();
  server.close();
});

test('`until` is sent', async () => {
  const urls: (string | undefined)[] = [];
  const { sekisho, server } = await world([stream(DONE)]);
  server.on('request', (request) => urls.push(request.url));
  assert.deepEqual(await followed(sekisho, { until: 'suspended' }), []);
  assert.deepEqual(urls, ['/api/runs/r/events?until=suspended']);
  server.closeAllConnections();
  server.close();
});
