import { afterEach, expect, test } from 'vitest';
import { i18n } from '../src/lib/i18n.svelte';
import type { Row } from '../src/audit/rows';
import { rowSummary } from '../src/audit/rowSummary';
import { randomSentence } from './randomSentence';

const row = (kind: Row['kind'], text: string, more: Partial<Row> = {}): Row => ({
  at: '2026-11-15T12:00:00Z', writer: '01a1dfb2-4bc2-7811-aed2-20117fba70dd', seq: 1, kind, text, body: {}, key: 1, previous: '00', code: '11', ...more,
});
afterEach(() => i18n.choose('en'));
const both = (of: Row): [string, string] => {
  i18n.choose('en');
  const en = rowSummary(of).text;
  i18n.choose('ja');
  return [en, rowSummary(of).text];
};

test('a question shows its message without the tool name', () => {
  const asked = row('question', 'no rule matches', { tool: 'Bash', body: { message: 'Bash: git push' } });
  expect(both(asked)).toEqual(['git push', 'git push']);
  expect(rowSummary({ ...asked, body: 'no JSON' })).toEqual({ text: 'no rule matches', lang: 'en' });
  expect(rowSummary({ ...asked, body: { message: '' } }).text).toBe('no rule matches');
});

test('an outcome shows who answered and why', () => {
  const ada = 'Ada (01a1dfb2-4bc2-7811-aed2-20117fba70dd)';
  const denied = row('outcome', randomSentence(), { approver: ada, line: { code: 'denied', by: ada }, body: { by: { person: {} }, about: { state: 'denied', reason: 'Too risky' } } });
  expect(both(denied)).toEqual(['denied by Ada: Too risky', 'Ada が拒否: Too risky']);
  expect(both(row('outcome', randomSentence(), { line: { code: 'expired' }, body: { state: 'expired' } }))).toEqual(['nobody answered in time', '時間内に回答がありませんでした']);
  expect(both(row('outcome', 'aborted: odd', { body: { state: 'aborted' } }))).toEqual(['aborted: odd', 'aborted: odd']);
});

test('a verdict shows its reason, not the rule as JSON', () => {
  const rules = [{ effect: 'allow', layer: 'database', source: 'database', line: 1, priority: 0, rule: { note: 'tests are harmless' } }];
  const judged = row('verdict', randomSentence(), { body: { reasons: [{ code: 'rule', rule: 0 }], rules } });
  expect(both(judged)).toEqual(['“tests are harmless” — Allowed by one of your rules.', '「tests are harmless」 — ご自身のルールで許可されています。']);
});

test.each([[{ reasons: 'x', rules: [] }], [{ reasons: [], rules: [] }], [{ reasons: [{ code: 'rule', rule: 'x' }], rules: [null] }], [{ reasons: [{ code: 'made_up' }], rules: [] }], [null], ['x']])(
  'a body that is none, %j, does no harm', (body) => {
    expect(rowSummary(row('verdict', 'as recorded', { body })).text).not.toBe('');
    expect(rowSummary(row('rules', 'as recorded', { body })).text).toBe('as recorded');
    expect(rowSummary(row('rules', randomSentence(), { body, line: { code: 'rule_added', effect: 'allow', id: '7', by: 'x' } })).text).toBe('Rule added by x');
  },
);

test("a rule change shows the rule's text, not its id", () => {
  const body = { by: {}, about: { effect: 'confirm', id: '01a1', rule: { id: '01a1', server: 'crm', tool_pattern: 'delete_*', timeout_s: 600 } } };
  const added = row('rules', randomSentence(), { body, line: { code: 'rule_added', effect: 'confirm', id: '01a1', by: 'admin' } });
  expect(both(added)).toEqual(['Rule added: confirm · Server crm, Tool pattern delete_*', 'ルールを追加: 確認 · サーバー crm, ツールのパターン delete_*']);
  const remembered = { scope: 'session', effect: 'allow', rules: [{ tool: 'bash', command: 'git push' }] };
  const line = { code: 'remembered' as const, effect: 'allow' as const, scope: 'session' as const, by: 'Ada' };
  expect(both(row('rules', randomSentence(), { body: remembered, line }))[0]).toBe('Remembered for a conversation: allow · Tool bash, Command git push');
});

test('a line is translated by its code; without a known code it is shown as recorded', () => {
  expect(both(row('token', randomSentence(), { line: { code: 'signed_in', name: 'desk' } }))).toEqual(['desk signed in with a link', '「desk」がリンクでログイン']);
  expect(both(row('claim', randomSentence(), { line: { code: 'told' } }))).toEqual(['the agent was told not to run it', '実行しないようエージェントに伝えました']);
  const made = row('token', randomSentence(), { line: { code: 'link_made', name: 'phone', role: 'approver' } });
  expect(both(made)).toEqual(['sign-in link created for phone (approver)', '「phone」（承認者）のログイン用リンクを作成']);
  for (const more of [{}, { line: { code: 'of_tomorrow' } as unknown as NonNullable<Row['line']> }]) {
    expect(both(row('claim', 'told', more))).toEqual(['told', 'told']);
    expect(rowSummary(row('upkeep', 'something new', more))).toEqual({ text: 'something new', lang: 'en' });
  }
});
