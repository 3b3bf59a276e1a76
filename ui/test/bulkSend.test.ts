import { expect, test } from 'vitest';
import { SekishoError } from '@sekisho/client';
import { BulkAnswer } from '../src/inbox/bulkAnswer.svelte';
import { type BulkResult, isAbridged, sendAll, needsOwnTick } from '../src/inbox/bulkSend';
import { question } from './questions';

const many = (count: number) => Array.from({ length: count }, (_, at) => question(`q${at}`));
const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

test('each question gets its result, with at most eight requests at a time', async () => {
  let under = 0;
  let most = 0;
  const results = new Map<string, BulkResult>();
  await sendAll({
    questions: many(30),
    signal: new AbortController().signal,
    tell: (id, result) => results.set(id, result),
    async answer({ id }) {
      most = Math.max(most, (under += 1));
      await tick();
      under -= 1;
      if (id === 'q3') throw new SekishoError({ code: 'Conflict', message: 'it was already denied by anna', status: 409 });
      if (id === 'q4') throw new SekishoError({ code: 'Gone', message: 'it expired', status: 410 });
      if (id === 'q5') throw new SekishoError({ code: 'DigestMismatch', message: 'other', status: 409 });
    },
  });
  expect(most).toBe(8);
  expect(results.get('q2')).toEqual({ state: 'done' });
  expect(results.get('q3')).toEqual({ state: 'late', why: 'it was already denied by anna' });
  expect(results.get('q4')?.state).toBe('late');
  expect(results.get('q5')?.state).toBe('failed');
  expect([...results.values()].filter(({ state }) => state === 'done')).toHaveLength(27);
});

test('waits when the server is busy', async () => {
  const paused: number[] = [];
  let refused = 0;
  const results = new Map<string, BulkResult>();
  await sendAll({
    questions: many(3),
    lanes: 1,
    signal: new AbortController().signal,
    tell: (id, result) => results.set(id, result),
    pause: (ms) => {
      paused.push(ms);
      return Promise.resolve();
    },
    answer: () => {
      if ((refused += 1) % 2 === 1) throw new SekishoError({ code: 'RateLimited', message: 'slow', status: 429, retryAfter: 2 });
      return Promise.resolve();
    },
  });
  expect(paused).toEqual([2000, 2000, 2000]);
  expect([...results.values()]).toEqual([{ state: 'done' }, { state: 'done' }, { state: 'done' }]);
});

test('unsent answers can be cancelled', async () => {
  const stop = new AbortController();
  const results = new Map<string, BulkResult>();
  await sendAll({
    questions: many(5),
    lanes: 1,
    signal: stop.signal,
    tell: (id, result) => results.set(id, result),
    answer: ({ id }) => {
      if (id === 'q1') stop.abort();
      return Promise.resolve();
    },
  });
  expect([...results.values()].map(({ state }) => state)).toEqual(['done', 'done', 'waiting', 'waiting', 'waiting']);
});

test('an abridged row must be ticked by hand', () => {
  const command = (text: string) => ({ form: 'command' as const, text, parts: [] });
  expect(isAbridged(question('a'))).toBe(false);
  expect(isAbridged(question('a', { message: 'Bash: npm test # all of it:\nmake deploy' }))).toBe(true);
  expect(isAbridged(question('a', { message: 'Bash: npm test', form: command('npm test\nmake deploy') }))).toBe(true);
  expect(isAbridged(question('a', { message: 'Bash: npm test', form: command('npm test\n') }))).toBe(false);
  expect(isAbridged(question('a', { message: `run_query: {"note":"${'x'.repeat(4200)} … and 140 bytes more` }))).toBe(true);
  expect(needsOwnTick(question('a', { toolName: 'Write', message: 'Write: /p/.git/hooks/pre-commit', form: { form: 'diff', files: [] } }))).toBe(true);
});

test('a question with more than its row must be ticked by hand', () => {
  const command = { form: 'command' as const, text: 'npm test', parts: [] };
  const url = (...urls: string[]) => ({ form: 'url' as const, addresses: urls.map((url) => ({ url, host: 'a.example' })) });
  const bash = { message: 'Bash: npm test', form: command };
  expect(isAbridged(question('a', bash))).toBe(false);
  expect(isAbridged(question('a', { ...bash, besides: [{ name: 'env', value: '{}' }] }))).toBe(true);
  expect(isAbridged(question('a', { ...bash, directory: '/etc' }))).toBe(true);
  expect(isAbridged(question('a', { ...bash, directory: '' }))).toBe(true);
  const fetch = { toolName: 'WebFetch', message: 'WebFetch: https://a.example/' };
  expect(isAbridged(question('a', { ...fetch, form: url('https://a.example/') }))).toBe(false);
  expect(isAbridged(question('a', { ...fetch, form: url('https://a.example/', 'https://b.example/') }))).toBe(true);
  const skill = { toolName: 'Skill', message: 'Skill: deploy' };
  expect(isAbridged(question('a', { ...skill, input: { skill: 'deploy' }, json: '{\n  "skill": "deploy"\n}' }))).toBe(false);
  expect(isAbridged(question('a', { ...skill, input: { skill: 'deploy', args: '--prod' }, json: '{\n  "skill": "deploy",\n  "args": "--prod"\n}' }))).toBe(true);
  const patch = { toolName: 'apply_patch', serverId: 'x', message: 'x/apply_patch: /a' };
  expect(isAbridged(question('a', { ...patch, input: { input: '*** Delete File: /a' }, json: '{"input": "*** Delete File: /a"}' }))).toBe(true);
  const tool = { toolName: 'send', serverId: 'mail', message: 'mail/send: {"to":"a b","n":1}' };
  expect(isAbridged(question('a', { ...tool, input: { to: 'a b', n: 1 }, json: '{\n  "to": "a b",\n  "n": 1\n}' }))).toBe(false);
  expect(isAbridged(question('a', { toolName: 'list', message: 'list', input: {} }))).toBe(false);
});

test('a bulk approval omits dangerous and abridged questions unless ticked', async () => {
  const sent: string[] = [];
  const ended = new Set<string>();
  const group = new BulkAnswer([question('a'), question('c', { whole: false }), question('b', { level: 'danger' }), question('d')], 'allow', {
    ended: (id) => ended.has(id),
    send: (id, body) => {
      sent.push(`${id} ${body.behavior} ${body.digest}`);
      return Promise.resolve();
    },
  });
  expect(group.questions.map(({ id }) => id)).toEqual(['a', 'd', 'b', 'c']);
  expect(group.meant.map(({ id }) => id)).toEqual(['a', 'd']);
  group.tick('c');
  ended.add('d');
  await group.run();
  expect(sent).toEqual(['a allow digest-of-a', 'c allow digest-of-c']);
  expect([group.phase, group.count('done'), group.all]).toEqual(['over', 2, 2]);
  group.tick('b');
  expect(group.ticked('b')).toBe(false);
  await group.run();
  expect(sent).toHaveLength(2);
});

test('a bulk denial covers all with one reason, and failures can be retried', async () => {
  let down = true;
  const sent: (string | null | undefined)[] = [];
  const group = new BulkAnswer([question('a', { level: 'danger' }), question('b')], 'deny', {
    ended: () => false,
    send: (id, body) => {
      if (id === 'b' && down) return Promise.reject(new SekishoError({ code: 'Unreachable', message: 'gone', status: 0 }));
      sent.push(body.message);
      return Promise.resolve();
    },
  });
  group.reason = ' later ';
  await group.run();
  expect([group.count('done'), group.count('failed')]).toEqual([1, 1]);
  down = false;
  await group.again();
  expect([group.count('done'), group.count('failed')]).toEqual([2, 0]);
  expect(sent).toEqual(['later', 'later']);
});
