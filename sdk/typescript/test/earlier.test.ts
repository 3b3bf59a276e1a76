// What an earlier client sent is what this one sends, and what the server of then answered is understood.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Operation, Sekisho, SekishoError, routes } from '../src/index.js';
import { workspace } from './test-server.js';

/** An exchange as `crates/sekisho/tests/fixtures/make.sh` recorded it. */
interface Exchange {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: unknown;
  status: number;
  answer?: unknown;
  events?: { event: string; data: unknown }[];
}

const recorded = readFileSync(join(workspace(), 'crates/sekisho/tests/fixtures/0.1.0/client.jsonl'), 'utf8');
const exchanges = recorded.trim().split('\n').map((line) => JSON.parse(line) as Exchange);

/** The operation that a recorded request is, and what varies in its path. */
function operationOf({ method, path }: Exchange): [Operation, Record<string, string>] {
  const parts = path.split('?')[0]?.split('/') ?? [];
  // `/api/rules/test` goes before `/api/rules/{id}`.
  const known = Object.entries(routes).sort(([, [, one]], [, [, other]]) => Number(one.includes('{')) - Number(other.includes('{')));
  for (const [name, [verb, template]] of known) {
    const wanted = template.split('/');
    const fits = (part: string, index: number): boolean => part.startsWith('{') || part === parts[index];
    if (verb !== method || wanted.length !== parts.length || !wanted.every(fits)) continue;
    const varying = wanted.flatMap((part, index) => (part.startsWith('{') ? [[part.slice(1, -1), parts[index] ?? '']] : []));
    return [name as Operation, Object.fromEntries(varying) as Record<string, string>];
  }
  throw new Error(`there is no operation for ${method} ${path}`);
}

for (const exchange of exchanges.filter(({ events }) => events === undefined)) {
  test(`${exchange.method} ${exchange.path.slice(0, 60)}: ${exchange.status}`, async () => {
    const fetch = (async (url: string, init: RequestInit) => {
      const { authorization: _, ...headers } = init.headers as Record<string, string>;
      const { origin: __, ...expected } = exchange.headers;
      assert.deepEqual([init.method, url, headers], [exchange.method, `http://server${exchange.path}`, expected]);
      if (exchange.body !== undefined) assert.deepEqual(JSON.parse(String(init.body)), exchange.body);
      if (exchange.status === 204) return new Response(null, { status: 204 });
      const isText = typeof exchange.answer === 'string';
      const body = isText ? String(exchange.answer) : JSON.stringify(exchange.answer);
      return new Response(body, { status: exchange.status, headers: { 'content-type': isText ? 'text/plain' : 'application/json' } });
    }) as typeof globalThis.fetch;
    const [operation, path] = operationOf(exchange);
    const query = Object.fromEntries(new URL(exchange.path, 'http://server').searchParams);
    const response = new Sekisho({ baseUrl: 'http://server', token: 'sks_x', fetch }).call(operation, { path, query, body: exchange.body });
    if (exchange.status < 300) assert.deepEqual(await response, exchange.status === 204 ? undefined : exchange.answer);
    else {
      const { code } = (exchange.answer as { error: { code: string } }).error;
      await assert.rejects(response, (error) => error instanceof SekishoError && error.code === code && error.status === exchange.status);
    }
  });
}

test('events of an earlier server', async () => {
  for (const { events } of exchanges) {
    if (events === undefined) continue;
    const text = events.map(({ event, data }, index) => `event: ${event}\nid: ${index + 1}\ndata: ${JSON.stringify(data)}\n\n`);
    const fetch = (async () => new Response(text.join(''), { headers: { 'content-type': 'text/event-stream' } })) as typeof globalThis.fetch;
    const client = new Sekisho({ baseUrl: 'http://server', token: 'sks_x', fetch }).events();
    const heard: unknown[] = [];
    for await (const { type, data } of client) {
      heard.push({ event: type, data });
      if (heard.length === events.length) break;
    }
    client.close();
    assert.deepEqual(heard, events);
  }
});
