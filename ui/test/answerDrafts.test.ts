import { expect, test } from 'vitest';
import { AnswerDraft, AnswerDrafts } from '../src/inbox/answerDrafts.svelte';
import { question } from './questions';

const git = (id = 'a') => question(id, { form: { form: 'command', text: 'git push', parts: [] }, input: { command: 'git push' }, proposals: [{ also: '', rules: [{ command: 'git push' }] }, { also: '', rules: [{ command: 'git' }] }] });

test('typed text is kept for its question only', () => {
  const drafts = new AnswerDrafts();
  drafts.of(git('a')).reason = 'not now';
  drafts.of(git('b'));
  expect(drafts.of(git('a')).reason).toBe('not now');
  expect(drafts.of(git('b')).reason).toBe('');
  expect([drafts.has('a'), drafts.has('b'), drafts.has('c')]).toEqual([true, false, false]);
});

test('a draft is dropped when its question ends or changes', () => {
  const drafts = new AnswerDrafts();
  for (const id of ['a', 'b', 'c']) drafts.of(git(id)).reason = id;
  drafts.forget('a');
  drafts.keep((id) => id !== 'b');
  expect(['a', 'b', 'c'].map((id) => drafts.has(id))).toEqual([false, false, true]);
  const other = { ...git('c'), digest: 'of something else' };
  expect(drafts.of(other).reason).toBe('');
  expect(drafts.has('c')).toBe(false);
});

test('a changed edit is kept, valid or not', () => {
  const begun = new AnswerDraft(git());
  const draft = begun.edit();
  expect(begun.by.edit).toBe(false);
  draft.type('command', 'git push --dry-run');
  expect(begun.by).toEqual({ deny: false, edit: true, remember: false });
  expect(begun.edit().text('command')).toBe('git push --dry-run');
  draft.type('command', 'git push');
  expect(begun.by.edit).toBe(false);
  draft.change('json');
  draft.json = '{ "command": ';
  expect(begun.by.edit).toBe(true);
});

test('the chosen rule, its scope and its changes are kept', () => {
  const begun = new AnswerDraft(git());
  const made = begun.remembering();
  expect(made.sent).toEqual([{ command: 'git push' }]);
  expect(begun.by.remember).toBe(false);
  made.chosen = 1;
  made.adjust(true);
  made.rules[0]!.command = 'git fetch';
  expect(begun.remembering().sent).toEqual([{ command: 'git fetch' }]);
  expect(begun.by).toEqual({ deny: false, edit: false, remember: true });
  made.adjust(false);
  expect(made.sent).toEqual([{ command: 'git' }]);
  made.chosen = 0;
  expect(begun.by.remember).toBe(false);
  made.behavior = 'deny';
  expect(begun.by.remember).toBe(true);
});
