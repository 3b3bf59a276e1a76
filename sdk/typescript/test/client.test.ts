import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Operation, Sekisho, SekishoError, routes } from '../src/index.js';

interface PendingCall {
  url: string;
  init: RequestInit;
}

/** A client whose requests are kept and answered from a list. */
function client(answer: (asked: PendingCall) => Response | Promise<Response>, token: string | undefined = 'sks_x') {
  const asked: PendingCall[] = [];
  const fetch = (async (url: string, init: RequestInit) => {
    const one = { url, init };
    asked.push(one);
    return answer(one);
  }) as typeof globalThis.fetch;
  return { asked, sekisho: new Sekisho({ baseUrl: 'http://server/', token, fetch, timeoutMs: 200 }) };
}

const json = (value: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json', ...headers } });

/** Waits until the request is aborted, as a server that says nothing. */
const silent = ({ init }: PendingCall): Promise<Response> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(new DOMException('', 'AbortError'));
    if (init.signal?.aborted === true) abort();
    init.signal?.addEventListener('abort', abort);
  });

test('every operation has a method', async () => {
  // Followed by `events()`, `followRun()` and `followPipelineRun()`, opened by browsers, or read by people.
  const elsewhere: string[] = ['followEvents', 'followRun', 'followPipelineRun', 'openSocket', 'getDocs', 'getDocsStyle'];
  const called = new Set<Operation>();
  class Recording extends Sekisho {
    override call(operation: Operation): Promise<never> {
      called.add(operation);
      return Promise.resolve({}) as Promise<never>;
    }
  }
  const sekisho = new Recording({ baseUrl: '' });
  const walk = async (value: object): Promise<void> => {
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === 'function') await member('x', {});
      else if (typeof member === 'object' && member !== null && name !== 'constructor') await walk(member);
    }
  };
  await walk(sekisho);
  for (const name of Object.getOwnPropertyNames(Sekisho.prototype)) {
    if (['constructor', 'call', 'events', 'followRun', 'followPipelineRun', 'ask'].includes(name)) continue;
    await (sekisho as unknown as Record<string, (...of: unknown[]) => Promise<unknown>>)[name]?.('x', {});
  }
  const missing = Object.keys(routes).filter((name) => !called.has(name as Operation) && !elsewhere.includes(name));
  assert.deepEqual(missing, []);
});

test('paths, queries, bodies and the token are sent correctly', async () => {
  const { asked, sekisho } = client(() => json({}));
  await sekisho.approvals.answer('a/b', { behavior: 'deny', message: 'no' });
  await sekisho.approvals.list({ state: 'pending', limit: 5 });
  const [answer, list] = asked;
  assert.equal(answer?.url, 'http://server/api/approvals/a%2Fb/answer');
  assert.equal(answer?.init.method, 'POST');
  assert.equal(answer?.init.body, '{"behavior":"deny","message":"no"}');
  assert.deepEqual(answer?.init.headers, { authorization: 'Bearer sks_x', 'content-type': 'application/json' });
  assert.equal(answer?.init.credentials, 'omit');
  assert.equal(list?.url, 'http://server/api/approvals?state=pending&limit=5');
  await assert.rejects(() => sekisho.approvals.show(''), TypeError);
});

test('without a token the cookie is sent', async () => {
  const fetched: RequestInit[] = [];
  const fetch = (async (_: string, init: RequestInit) => (fetched.push(init), json({}))) as typeof globalThis.fetch;
  await new Sekisho({ baseUrl: '', fetch }).approvals.list();
  assert.equal(fetched[0]?.credentials, 'same-origin');
  assert.deepEqual(fetched[0]?.headers, {});
});

test('a server error becomes an error with code and hint', async () => {
  const error = { code: 'RateLimited', message: 'too fast', hint: 'wait' };
  const { sekisho } = client(() => json({ error }, 429, { 'retry-after': '3' }));
  await assert.rejects(sekisho.approvals.list(), (caught: unknown) => {
    assert.ok(caught instanceof SekishoError);
    const { code, message, hint, status, retryAfter, passing } = caught;
    assert.deepEqual({ code, message, hint }, error);
    assert.deepEqual({ status, retryAfter, passing }, { status: 429, retryAfter: 3, passing: true });
    return true;
  });
});

test('a foreign error response is an error too', async () => {
  for (const body of ['<html>bad gateway</html>', '{"error":"text"}', '']) {
    const { sekisho } = client(() => new Response(body, { status: 502 }));
    await assert.rejects(sekisho.health(), { name: 'SekishoError', code: 'Http502', status: 502 });
  }
  const broken = client(() => Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })));
  await assert.rejects(broken.sekisho.health(), { code: 'Unreachable', status: 0, message: /ECONNREFUSED/ });
  const garbled = client(() => new Response('{"a":', { headers: { 'content-type': 'application/json' } }));
  await assert.rejects(garbled.sekisho.openapi(), { code: 'Unreachable' });
});

test('a silent server times out, and an abort stays an abort', async () => {
  const { sekisho } = client(silent);
  await assert.rejects(sekisho.approvals.list(undefined, { timeoutMs: 20 }), { code: 'TimedOut', status: 0 });
  await assert.rejects(sekisho.approvals.list({}, { signal: AbortSignal.abort() }), { name: 'AbortError' });
  const controller = new AbortController();
  const waiting = sekisho.canUseTool({ toolName: 'bash', input: {}, toolUseId: '1' }, { signal: controller.signal });
  setTimeout(() => controller.abort(new Error('enough')), 300);
  // Waiting for people is not bound by the usual patience of 200 ms.
  await assert.rejects(waiting, { message: 'enough' });
});

test('ask polls through temporary errors until there is an answer', async () => {
  const replies = [
    json({ id: 'q', state: 'pending' }, 202),
    json({ error: { code: 'Closing', message: 'stopping' } }, 503),
    json({ id: 'q', state: 'pending' }),
    json({ id: 'q', state: 'approved' }),
    json({ behavior: 'allow', executionId: 'e' }),
  ];
  const { asked, sekisho } = client(() => replies.shift() ?? json({}, 500));
  const response = await sekisho.ask({ toolName: 'bash', input: {}, toolUseId: '1' });
  assert.deepEqual(response, { behavior: 'allow', executionId: 'e' });
  assert.deepEqual(
    asked.map(({ url, init }) => `${init.method} ${new URL(url).pathname}`),
    ['POST /api/can-use-tool', ...Array(3).fill('GET /api/approvals/q/wait'), 'POST /api/can-use-tool'],
  );
});

test('aborting ask withdraws its question', async () => {
  const controller = new AbortController();
  const { asked, sekisho } = client((one) => {
    if (one.url.includes('/wait')) {
      setTimeout(() => controller.abort(), 5);
      return silent(one);
    }
    return json({ id: 'q', state: 'pending' }, 202);
  });
  await assert.rejects(sekisho.ask({ toolName: 'bash', input: {}, toolUseId: '1' }, { signal: controller.signal }), {
    name: 'AbortError',
  });
  assert.equal(asked.at(-1)?.init.method, 'DELETE');
});
