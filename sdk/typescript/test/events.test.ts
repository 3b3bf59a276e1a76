import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Connection, EventClient, SekishoEvent } from '../src/index.js';
import { type Reply, stream, world } from './scripted-server.js';

const frame = (type: string, seq: number, data: unknown): string =>
  `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
const snapshot = (seq: number, ...ids: string[]): string =>
  frame('snapshot', seq, { seq, approvals: ids.map((id) => ({ id })) });
const QUICK = { backoff: { firstMs: 5, longestMs: 20 } };

async function first(events: EventClient, count: number): Promise<SekishoEvent[]> {
  const taken: SekishoEvent[] = [];
  for await (const event of events) if (taken.push(event) >= count) break;
  return taken;
}

test('open questions are tracked, and handlers get their events', async () => {
  const text =
    snapshot(4, 'a', 'b') +
    frame('tool_approval_request', 5, { id: 'c' }) +
    frame('tool_approval_resolved', 6, { id: 'a', state: 'denied' }) +
    'event: new_in_version_9\ndata: {}\n\ndata: no json\n\n' +
    frame('rules_changed', 7, {});
  const { sekisho, heads, server } = await world([stream(text)]);
  const events = sekisho.events(QUICK);
  const asked: string[] = [];
  events.on('tool_approval_request', (question) => asked.push(question.id));
  const off = events.on('rules_changed', () => asked.push('never'));
  off();
  const taken = await first(events, 5);
  assert.deepEqual(
    taken.map((event) => event.type as string),
    ['snapshot', 'tool_approval_request', 'tool_approval_resolved', 'new_in_version_9', 'rules_changed'],
  );
  assert.deepEqual([...events.open.keys()], ['b', 'c']);
  assert.deepEqual(asked, ['c']);
  assert.equal(events.lastEventId, '7');
  assert.equal(heads[0]?.authorization, 'Bearer sks_x');
  assert.equal(heads[0]?.['last-event-id'], undefined);
  events.close();
  server.closeAllConnections();
  server.close();
});

test('a lost connection resumes without duplicate events', async () => {
  const { sekisho, heads, server } = await world([
    stream(snapshot(4, 'a') + frame('tool_approval_request', 5, { id: 'b' }), true),
    (response) => response.writeHead(503, { 'retry-after': '0' }).end('{"error":{"code":"Closing","message":"x"}}'),
    (response) => response.destroy(),
    stream(frame('tool_approval_request', 5, { id: 'b' }) + frame('tool_approval_resolved', 6, { id: 'a' })),
  ]);
  const events = sekisho.events(QUICK);
  const seen: Connection[] = [];
  events.onConnection((connection) => seen.push(connection));
  const taken = await first(events, 3);
  assert.deepEqual(taken.map((event) => event.seq), [4, 5, 6]);
  assert.deepEqual([...events.open.keys()], ['b']);
  assert.deepEqual(heads.map((head) => head['last-event-id']), [undefined, '5', '5', '5']);
  assert.deepEqual(seen.map(({ state }) => state), ['open', 'lost', 'lost', 'lost', 'open']);
  events.close();
  server.closeAllConnections();
  server.close();
});

test('a snapshot replaces everything, also from a restarted server', async () => {
  const { sekisho, server } = await world([
    stream(snapshot(400, 'a'), true),
    stream(snapshot(2, 'z') + frame('tool_approval_request', 3, { id: 'y' })),
  ]);
  const events = sekisho.events(QUICK);
  await first(events, 3);
  assert.deepEqual([...events.open.keys()], ['z', 'y']);
  events.close();
  server.closeAllConnections();
  server.close();
});

test('a refusal is final: the iterator throws, and there is no retry', async () => {
  const refusal = '{"error":{"code":"Unauthenticated","message":"no"}}';
  const { sekisho, heads, server } = await world([(response) => response.writeHead(401).end(refusal)]);
  const events = sekisho.events(QUICK);
  const closed = new Promise<Connection>((resolve) => events.onConnection(resolve));
  await assert.rejects(first(events, 1), { name: 'SekishoError', code: 'Unauthenticated', status: 401 });
  assert.equal((await closed).state, 'closed');
  assert.equal(heads.length, 1);
  server.close();
});

test('a silent stream is dropped and reopened', async () => {
  const { sekisho, server } = await world([stream(snapshot(1)), stream(snapshot(2, 'a'))]);
  const events = sekisho.events({ ...QUICK, silenceMs: 1500 });
  const taken = await first(events, 2);
  assert.deepEqual(taken.map((event) => event.seq), [1, 2]);
  events.close();
  server.closeAllConnections();
  server.close();
});

test('a consumer that lags too far behind gets a snapshot', async () => {
  const many = Array.from({ length: 50 }, (_, place) => frame('tool_approval_request', place + 2, { id: `q${place}` }));
  let write = (_: string): void => assert.fail('nobody listens yet');
  const kept: Reply = (response, headers) => {
    stream(snapshot(1))(response, headers);
    write = (text) => void response.write(text);
  };
  const { sekisho, server } = await world([kept]);
  const events = sekisho.events({ ...QUICK, lag: 10 });
  const iterator = events[Symbol.asyncIterator]();
  assert.equal((await iterator.next()).value?.type, 'snapshot');
  write(many.join(''));
  await new Promise<void>((resolve) => {
    if (events.open.size === 50) return resolve();
    events.on('tool_approval_request', () => events.open.size === 50 && resolve());
  });
  const next = (await iterator.next()).value as SekishoEvent;
  assert.ok(next.type === 'snapshot' && next.data.approvals.length > 10);
  events.close();
  server.closeAllConnections();
  server.close();
});

test('closing ends the iterator, by hand or by a signal', async () => {
  const { sekisho, server } = await world([stream(snapshot(1)), stream(snapshot(1))]);
  const controller = new AbortController();
  for (const [settings, close] of [
    [{}, (events: EventClient) => events.close()],
    [{ signal: controller.signal }, () => controller.abort()],
  ] as const) {
    const events = sekisho.events({ ...QUICK, ...settings });
    let count = 0;
    for await (const _ of events) {
      count += 1;
      close(events);
    }
    assert.equal(count, 1);
  }
  server.closeAllConnections();
  server.close();
});
