// Against the real binary.
import assert from 'node:assert/strict';
import { type TestContext, after, before, test } from 'node:test';
import {
  type EventClient,
  type EventData,
  type EventSettings,
  type EventType,
  type RunEvent,
  type SeenQuestion,
  Sekisho,
  isQuestion,
} from '../src/index.js';
import { TestServer } from './test-server.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server.end());

/** The next event of a type that fits. */
function next<T extends EventType>(events: EventClient, type: T, fits: (data: EventData[T]) => boolean) {
  return new Promise<EventData[T]>((resolve, reject) => {
    const late = setTimeout(() => (off(), reject(new Error(`no ${type} came`))), 120_000);
    const off = events.on(type, (data) => {
      if (!fits(data)) return;
      clearTimeout(late);
      off();
      resolve(data);
    });
  });
}

/** Follows events until the test is over; there is a snapshot already. */
async function follow(t: TestContext, who: Sekisho, settings?: EventSettings): Promise<EventClient> {
  const events = who.events(settings);
  t.after(() => events.close());
  await next(events, 'snapshot', () => true);
  return events;
}

const call = (toolUseId: string) => ({ toolName: 'write', input: { path: '/tmp/a.txt', content: toolUseId }, toolUseId });
const of = (toolUseId: string) => (question: SeenQuestion) => question.toolUseId === toolUseId;

test('a question is announced and answered, and the caller gets the answer', async (t) => {
  const [agent, approver] = [server.as('agent'), server.as('approver')];
  const events = await follow(t, approver);
  const asked = next(events, 'tool_approval_request', of('one'));
  const response = agent.canUseTool(call('one'));
  const question = await asked;
  assert.equal(events.open.get(question.id)?.toolName, 'write');
  const resolved = next(events, 'tool_approval_resolved', ({ id }) => id === question.id);
  const taken = await approver.approvals.answer(question.id, { behavior: 'allow', digest: question.digest });
  assert.equal(taken.approval.state, 'approved');
  assert.equal((await resolved).state, 'approved');
  assert.equal(events.open.size, 0);
  const permission = await response;
  assert.ok(permission.behavior === 'allow');
  await agent.reportExecution(permission.executionId, { isError: false });
});

test('an abort withdraws the question', async (t) => {
  const [agent, approver] = [server.as('agent'), server.as('approver')];
  const events = await follow(t, approver);
  for (const [name, ask] of [
    ['canUseTool', (signal: AbortSignal) => agent.canUseTool(call('canUseTool'), { signal })],
    ['ask', (signal: AbortSignal) => agent.ask(call('ask'), { signal })],
  ] as const) {
    const asked = next(events, 'tool_approval_request', of(name));
    const controller = new AbortController();
    const response = assert.rejects(ask(controller.signal), { name: 'AbortError' });
    const question = await asked;
    const resolved = next(events, 'tool_approval_resolved', ({ id }) => id === question.id);
    controller.abort();
    await response;
    assert.equal((await resolved).state, 'aborted', name);
    assert.equal((await approver.approvals.show(question.id)).state, 'aborted');
  }
});

test('a refused request is an error with its code', async () => {
  const [agent, viewer, approver] = [server.as('agent'), server.as('viewer'), server.as('approver')];
  await assert.rejects(agent.tokens.list(), { name: 'SekishoError', code: 'Forbidden', status: 403 });
  await assert.rejects(viewer.approvals.show('nothing'), { code: 'NotFound', status: 404 });
  const wrong = { behavior: 'maybe' } as unknown as { behavior: 'allow' };
  await assert.rejects(approver.approvals.answer('nothing', wrong), { code: 'InvalidRequest', status: 400 });
  const stranger = new Sekisho({ baseUrl: server.address });
  await assert.rejects(stranger.approvals.list(), (error: { code: string; hint?: string }) => {
    assert.equal(error.code, 'Unauthenticated');
    assert.match(error.hint ?? '', /sekisho token create/);
    return true;
  });
  const question = await agent.canUseTool(call('conflict'), { wait: false });
  assert.ok(isQuestion(question));
  await approver.approvals.answer(question.id, { behavior: 'deny', message: 'no' });
  await assert.rejects(approver.approvals.answer(question.id, { behavior: 'allow' }), { code: 'Conflict', status: 409 });
  const response = await agent.canUseTool(call('conflict'));
  assert.ok(response.behavior === 'deny' && response.message.includes('no'));
});

test('after a server restart events continue and the caller gets its answer', async (t) => {
  const [agent, approver] = [server.as('agent'), server.as('approver')];
  const events = await follow(t, approver, { backoff: { firstMs: 50, longestMs: 200 } });
  const asked = next(events, 'tool_approval_request', of('restart'));
  const response = agent.ask(call('restart'));
  const question = await asked;
  const lost = new Promise<void>((resolve) => {
    events.onConnection(({ state }) => state === 'lost' && resolve());
  });
  const back = new Promise<void>((resolve) => {
    events.onConnection(({ state }) => state === 'open' && resolve());
  });
  await server.down('SIGKILL');
  await lost;
  await server.up();
  await back;
  // Told again by a snapshot, or still known: open either way.
  assert.deepEqual([...events.open.keys()], [question.id]);
  const resolved = next(events, 'tool_approval_resolved', ({ id }) => id === question.id);
  await approver.approvals.answer(question.id, { behavior: 'allow' });
  assert.equal((await resolved).state, 'approved');
  assert.equal((await response).behavior, 'allow');
  assert.equal(events.open.size, 0);
});

test('health, session, tokens, rules, audit log and OpenAPI can be read', async () => {
  const [viewer, admin] = [server.as('viewer'), server.as('admin')];
  assert.equal(await viewer.health(), 'ok');
  assert.equal((await viewer.session.show()).role, 'viewer');
  assert.ok((await admin.tokens.list()).tokens.length >= 4);
  await viewer.rules.list();
  await viewer.audit.search();
  const document = (await viewer.openapi()) as { openapi?: string };
  assert.equal(document.openapi, '3.1.0');
});

test('a run is followed to its end, and again after any of its events', async () => {
  const [admin, approver] = [server.as('admin'), server.as('approver')];
  server.script('follow', [{ calls: [{ name: 'done', input: {} }] }, { text: 'All done.' }]);
  const agent = await admin.agents.create({ name: 'follow', provider: 'scripted', model: 'follow' });
  const run = await approver.runs.start({ agent_id: agent.id, input: 'go' }, { wait: false });
  const all = await stored(server.as('viewer'), run.run_id);
  assert.deepEqual([all[0]?.type, all[0]?.from], ['user-message', 'USER']);
  assert.equal(all.at(-1)?.type, 'finish');
  for (const [at, event] of all.entries()) {
    assert.equal(event.runId, run.run_id);
    assert.deepEqual(await stored(server.as('viewer'), run.run_id, event.id), all.slice(at + 1));
  }
  await assert.rejects(stored(server.as('agent'), run.run_id), { code: 'NotFound', status: 404 });
});

/** The stored events of a run after one of them. */
async function stored(who: Sekisho, run: string, lastEventId?: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of who.followRun(run, { lastEventId })) if (event.id !== undefined) events.push(event);
  return events;
}
