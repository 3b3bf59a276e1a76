import { expect, test, vi } from 'vitest';
import { SekishoError } from '@sekisho/client';
import { AnswerFlow, type Body, type AnswerResponse, modelMessage } from '../src/inbox/answerFlow.svelte';
import { scopesFor } from '../src/inbox/rememberDraft.svelte';
import { question } from './questions';

function acting(wishes: Parameters<typeof question>[1] = {}, send = (): Promise<AnswerResponse> => Promise.resolve({} as AnswerResponse)) {
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
  return { act: new AnswerFlow(question('a', wishes), means), sent, ...means };
}

test('an approval is sent at once with the digest', async () => {
  const { act, sent, taken } = acting({ level: 'caution' });
  await act.approve();
  expect(sent).toEqual([{ behavior: 'allow', digest: 'digest-of-a' }]);
  expect(taken).toHaveBeenCalledOnce();
});

test('approving an unread question scrolls on and needs another press', async () => {
  const { act, sent, guard, readOn } = acting({ level: 'caution' });
  readOn.mockReturnValueOnce(true);
  await act.approve();
  expect(sent).toEqual([]);
  expect(guard.settle).toHaveBeenCalledOnce();
  await act.approve();
  expect(sent).toHaveLength(1);
});

test('approving an unread edit or remembered rule also scrolls on first', async () => {
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

test('a dangerous approval needs a separate confirmation', async () => {
  const { act, sent, guard } = acting({ level: 'danger' });
  await act.approve();
  await act.approve();
  await act.approve();
  expect(sent).toEqual([]);
  expect(guard.settle).toHaveBeenCalledOnce();
  await act.approveAnyway();
  expect(sent).toEqual([{ behavior: 'allow', digest: 'digest-of-a' }]);
});

test('a dangerous edit or remembered approval needs a confirmation too', async () => {
  const { act, sent } = acting({ level: 'danger' });
  await act.approve({ updatedInput: { command: 'ls' } });
  expect(act.back()).toBe(true);
  await act.approveAnyway();
  expect(sent).toEqual([]);
  await act.approve({ remember: { scope: 'session', rules: [] } });
  await act.approveAnyway();
  expect(sent).toEqual([{ behavior: 'allow', digest: 'digest-of-a', remember: { scope: 'session', rules: [] } }]);
});

test('an edit uses the danger of the edited input, and an unknown danger needs confirmation', async () => {
  const updatedInput = { command: 'sudo rm -rf ~' };
  const { act, sent } = acting({ level: 'caution' });
  const danger = { level: 'danger' as const, why: 'deletes files' };
  await act.approve({ updatedInput }, danger);
  expect([sent, act.confirming?.danger]).toEqual([[], danger]);
  act.back();
  await act.approve({ updatedInput });
  expect([sent, act.confirming?.danger]).toEqual([[], undefined]);
  await act.approveAnyway();
  expect(sent).toEqual([{ behavior: 'allow', digest: 'digest-of-a', updatedInput }]);
  const tamed = acting({ level: 'danger' });
  await tamed.act.approve({ updatedInput: { command: 'ls' } }, { level: 'none', why: '' });
  expect(tamed.sent).toHaveLength(1);
});

test('a denial carries its reason, if any', async () => {
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

test('a failed answer changes nothing and can be resent', async () => {
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
])('%s with status %s: reloads the question: %s', async (code, status, looks) => {
  const { act, stale } = acting({}, () => Promise.reject(new SekishoError({ code, message: 'no', status })));
  await act.approve();
  expect(stale.mock.calls.length).toBe(looks ? 1 : 0);
});

test('one answer at a time', async () => {
  let done = (_: AnswerResponse): void => undefined;
  const { act, sent } = acting({}, () => new Promise((resolve) => (done = resolve)));
  const first = act.approve();
  await act.deny('x');
  expect(sent).toHaveLength(1);
  expect(act.back()).toBe(true);
  done({} as AnswerResponse);
  await first;
});

test('a panel opened by a pointer ignores the same press', () => {
  const { act, guard } = acting();
  act.open('deny');
  expect(guard.settle).not.toHaveBeenCalled();
  act.back();
  expect(guard.settle).toHaveBeenCalledTimes(1);
  act.open('deny', true);
  expect(guard.settle).toHaveBeenCalledTimes(2);
  expect([act.back(), act.back()]).toEqual([true, false]);
});

test('a question that is abridged or has no proposal cannot be remembered', () => {
  const proposals = [{ also: '', rules: [{ tool: 'bash' }] }];
  expect(acting({ whole: false, proposals }).act.rememberObstacle).toBe('notWhole');
  expect(acting().act.rememberObstacle).toBe('noProposal');
  const { act } = acting();
  act.open('remember');
  expect(act.panel).toBeUndefined();
  expect(acting({ proposals }).act.rememberObstacle).toBeUndefined();
});

test('text that the model reads', () => {
  expect(modelMessage(' ')).toBe('Permission denied: User denied tool execution');
  expect(modelMessage('no ')).toBe('Permission denied: no');
});

test('scope session needs a session name, scope project a directory', () => {
  const askedBy = 'token:0199a0b1-2c3d-7e4f-8a5b-1c2d3e4f5061';
  expect(scopesFor({ askedBy, conversationId: 'c', root: '/p' })).toEqual(['session', 'project', 'global']);
  expect(scopesFor({ askedBy, conversationId: null, runId: 'r' })).toEqual(['session', 'global']);
  expect(scopesFor({ askedBy, conversationId: '' })).toEqual(['global']);
});

test('a rule remembered for the demo is kept in its session', () => {
  expect(scopesFor({ askedBy: 'token:0199a0b1-2c3d-7e4f-8a5b-000064656d6f', conversationId: 'demo', root: '/p' })).toEqual(['session']);
});
