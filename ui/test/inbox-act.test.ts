import { expect, test, vi } from 'vitest';
import { SekishoError } from '@sekisho/client';
import { Act, type Body, type Taken, toldToModel } from '../src/inbox/act.svelte';
import { scopesFor } from '../src/inbox/remembering.svelte';
import { question } from './questions';

function acting(wishes: Parameters<typeof question>[1] = {}, send = (): Promise<Taken> => Promise.resolve({} as Taken)) {
  const sent: Body[] = [];
  const means = {
    guard: { settle: vi.fn() },
    readOn: vi.fn(() => false),
    send: (_: string, body: Body) => {
      sent.push(body);
      return send();
    },
    taken: vi.fn(),
    stale: vi.fn(),
  };
  return { act: new Act(question('a', wishes), means), sent, ...means };
}

test('a yes goes at once, and says what was looked at', async () => {
  const { act, sent, taken } = acting({ level: 'caution' });
  await act.approve();
  expect(sent).toEqual([{ behavior: 'allow', digest: 'digest-of-a' }]);
  expect(taken).toHaveBeenCalledOnce();
});

test('a yes to what was not seen to its end shows the end, and has to be said again', async () => {
  const { act, sent, guard, readOn } = acting({ level: 'caution' });
  readOn.mockReturnValueOnce(true);
  await act.approve();
  expect(sent).toEqual([]);
  expect(guard.settle).toHaveBeenCalledOnce();
  await act.approve();
  expect(sent).toHaveLength(1);
});

test('so does one with changes, which keep the rest as it was, and one that is remembered', async () => {
  const { act, sent, readOn } = acting({ level: 'caution' });
  const harmless = { level: 'none' as const, why: '' };
  for (const more of [{ updatedInput: { command: 'ls' } }, { remember: { scope: 'session' as const, rules: [] } }]) {
    readOn.mockReturnValueOnce(true);
    await act.approve(more, harmless);
  }
  expect(sent).toEqual([]);
  await act.approve({ updatedInput: { command: 'ls' } }, harmless);
  expect(sent).toHaveLength(1);
});

test('a yes to something dangerous has to be said twice, in two ways', async () => {
  const { act, sent, guard } = acting({ level: 'danger' });
  await act.approve();
  await act.approve();
  await act.approve();
  expect(sent).toEqual([]);
  expect(guard.settle).toHaveBeenCalledOnce();
  await act.approveAnyway();
  expect(sent).toEqual([{ behavior: 'allow', digest: 'digest-of-a' }]);
});

test('so has one with changes, and one that is remembered', async () => {
  const { act, sent } = acting({ level: 'danger' });
  await act.approve({ updatedInput: { command: 'ls' } });
  expect(act.back()).toBe(true);
  await act.approveAnyway();
  expect(sent).toEqual([]);
  await act.approve({ remember: { scope: 'session', rules: [] } });
  await act.approveAnyway();
  expect(sent).toEqual([{ behavior: 'allow', digest: 'digest-of-a', remember: { scope: 'session', rules: [] } }]);
});

test('of an edit the danger of what was written counts, and where that is not known, it may be any', async () => {
  const updatedInput = { command: 'sudo rm -rf ~' };
  const { act, sent } = acting({ level: 'caution' });
  const danger = { level: 'danger' as const, why: 'deletes files' };
  await act.approve({ updatedInput }, danger);
  expect([sent, act.sure?.danger]).toEqual([[], danger]);
  act.back();
  await act.approve({ updatedInput });
  expect([sent, act.sure?.danger]).toEqual([[], undefined]);
  await act.approveAnyway();
  expect(sent).toEqual([{ behavior: 'allow', digest: 'digest-of-a', updatedInput }]);
  const tamed = acting({ level: 'danger' });
  await tamed.act.approve({ updatedInput: { command: 'ls' } }, { level: 'none', why: '' });
  expect(tamed.sent).toHaveLength(1);
});

test('a no carries its reason, if there is one', async () => {
  const { act, sent } = acting();
  act.begun.reason = '  not here ';
  await act.deny();
  await act.deny('');
  await act.stop();
  expect(sent).toEqual([
    { behavior: 'deny', digest: 'digest-of-a', message: 'not here' },
    { behavior: 'deny', digest: 'digest-of-a' },
    { behavior: 'deny', digest: 'digest-of-a', message: 'not here', interrupt: true },
  ]);
});

test('what does not arrive leaves everything as it was, and can be sent again', async () => {
  const error = new SekishoError({ code: 'Unreachable', message: 'gone', status: 0 });
  const { act, sent, stale, guard } = acting({}, () => Promise.reject(error));
  act.open('deny');
  act.begun.reason = 'typed';
  await act.deny();
  expect([act.panel, act.begun.reason, act.failed?.error, act.sending]).toEqual(['deny', 'typed', error, false]);
  expect(stale).not.toHaveBeenCalled();
  // A hand that is still pressing does not hit the way to try again.
  expect(guard.settle).toHaveBeenCalledOnce();
  await act.again();
  expect(sent[1]).toEqual(sent[0]);
});

test.each([
  ['Conflict', 409, true],
  ['DigestMismatch', 409, true],
  ['Gone', 410, true],
  ['Forbidden', 403, false],
])('%s: look again: %s %s', async (code, status, looks) => {
  const { act, stale } = acting({}, () => Promise.reject(new SekishoError({ code, message: 'no', status })));
  await act.approve();
  expect(stale.mock.calls.length).toBe(looks ? 1 : 0);
});

test('one answer at a time', async () => {
  let done = (_: Taken): void => undefined;
  const { act, sent } = acting({}, () => new Promise((resolve) => (done = resolve)));
  const first = act.approve();
  await act.deny('x');
  expect(sent).toHaveLength(1);
  expect(act.back()).toBe(true);
  done({} as Taken);
  await first;
});

test('what was opened by a pointer cannot be pressed by the same press', () => {
  const { act, guard } = acting();
  act.open('deny');
  expect(guard.settle).not.toHaveBeenCalled();
  act.back();
  expect(guard.settle).toHaveBeenCalledTimes(1);
  act.open('deny', true);
  expect(guard.settle).toHaveBeenCalledTimes(2);
  expect([act.back(), act.back()]).toEqual([true, false]);
});

test('what is not shown whole, or has no narrow rule, is not remembered', () => {
  const proposals = [{ also: '', rules: [{ tool: 'bash' }] }];
  expect(acting({ whole: false, proposals }).act.forgetful).toBe('notWhole');
  expect(acting().act.forgetful).toBe('noProposal');
  const { act } = acting();
  act.open('remember');
  expect(act.panel).toBeUndefined();
  expect(acting({ proposals }).act.forgetful).toBeUndefined();
});

test('the words the model reads', () => {
  expect(toldToModel(' ')).toBe('Permission denied: User denied tool execution');
  expect(toldToModel('no ')).toBe('Permission denied: no');
});

test('a session needs a name, a project a directory', () => {
  const askedBy = 'token:0199a0b1-2c3d-7e4f-8a5b-1c2d3e4f5061';
  expect(scopesFor({ askedBy, conversationId: 'c', root: '/p' })).toEqual(['session', 'project', 'global']);
  expect(scopesFor({ askedBy, conversationId: null, runId: 'r' })).toEqual(['session', 'global']);
  expect(scopesFor({ askedBy, conversationId: '' })).toEqual(['global']);
});

test('what is remembered of the demo is kept in its conversation', () => {
  expect(scopesFor({ askedBy: 'token:0199a0b1-2c3d-7e4f-8a5b-000064656d6f', conversationId: 'demo', root: '/p' })).toEqual(['session']);
});
