import { beforeEach, expect, test } from 'vitest';
import { i18n } from '../src/lib/i18n.svelte';
import { type LoggedCall, callId, callText, lastRow, listEntries, outcomeOf, toolName, topicsOf } from '../src/audit/calls';
import { merged, unknown } from '../src/audit/pagedLog.svelte';
import { type Row, keyOf } from '../src/audit/rows';

const WRITER = '01a1dfb2-4bc2-7811-aed2-20117fba70dd';
const row = (seq: number, more: Partial<Row> = {}): Row => ({
  at: new Date(Date.parse('2026-11-15T12:00:00Z') + seq * 1000).toISOString(),
  writer: WRITER, seq, kind: 'question', text: 'no rule matches', body: {}, key: 1, previous: '00', code: '11', tool: 'Bash', ...more,
});
const call = (more: Partial<LoggedCall> = {}): LoggedCall => ({ outcome: 'approved', rows: [row(1)], ...more });

beforeEach(() => i18n.choose('en'));

test('a call is identified by its question, else by its call, else by its row', () => {
  expect(callId(call({ rows: [row(1, { approval: 'a', call: 'c' }), row(2, { approval: 'a', call: 'd' })] }))).toBe('a');
  expect(callId(call({ rows: [row(1, { call: 'c' })] }))).toBe('c');
  expect(callId(call({ rows: [row(3)] }))).toBe(`${WRITER}/3`);
});

test('a command is shown without its tool', () => {
  expect(callText(call({ message: 'Bash: npm run test' }))).toEqual({ code: 'npm run test' });
  expect(callText(call({ message: 'Bash' }))).toBeUndefined();
  expect(callText(call({ rows: [row(1)] }))).toBeUndefined();
});

test('an input is shown as fields, never as cut JSON', () => {
  const rows = [row(1, { tool: 'delete_customer', server: 'crm' })];
  expect(toolName(call({ rows }))).toBe('crm/delete_customer');
  const text = (input: string): unknown => callText(call({ rows, message: `crm/delete_customer: ${input}` }));
  expect(text('{"customer_id":"C-10482","erase_orders":true}')).toEqual({ fields: [['customer_id', 'C-10482'], ['erase_orders', 'true']] });
  expect(text('{"n":"12","e":"","to":["a",1],"deep":[{}],"of":{"x":1,"y":2},"z":null}')).toEqual({
    fields: [['n', '"12"'], ['e', '""'], ['to', '[a, 1]'], ['deep', '(1 item)'], ['of', '(2 fields)'], ['z', 'null']],
  });
  expect(text('{"a":"x … and 9000 more bytes')).toEqual({ code: '{"a":"x … and 9000 more bytes' });
});

test('the outcome says who decided and how long that took', () => {
  const text = (more: Partial<LoggedCall>, own?: string): string | undefined => outcomeOf(call(more), own)?.text;
  expect(text({ by: 'ada', answeredAfterMs: 13_000 })).toBe('approved by ada in 13 s');
  expect(text({ by: 'ada', answeredAfterMs: 13_000 }, 'ada')).toBe('approved by you in 13 s');
  expect(text({ outcome: 'denied', by: 'ada', answeredAfterMs: 1500, failed: true })).toBe('denied by ada in 1.5 s, failed');
  expect(text({ outcome: 'expired', answeredAfterMs: 120_000 })).toBe('expired after 2 min');
  expect(text({ outcome: 'allowed' })).toBe('allowed by a rule');
  expect(outcomeOf({ rows: [row(1)] }, undefined)).toBeUndefined();
});

test('records that are no calls and follow each other share a line, and others do not', () => {
  const record = (seq: number, kind: Row['kind']): LoggedCall => ({ rows: [row(seq, { kind })] });
  const entries = listEntries([record(9, 'token'), record(8, 'checkpoint'), call(), record(6, 'rules'), record(5, 'token')]);
  expect(entries.map((entry) => ('call' in entry ? lastRow(entry.call).kind : entry.records.map(({ kind }) => kind)))).toEqual([['token', 'checkpoint'], 'question', 'rules', ['token']]);
  expect(topicsOf([row(1, { kind: 'token' }), row(2, { kind: 'agent.run_started' }), row(3, { kind: 'token' }), row(4, { kind: 'agent.tools_changed' }), row(5, { kind: 'upkeep' })])).toEqual(['signIns', 'runs', 'agents', 'server']);
});

test('a call with a new event replaces the earlier one', () => {
  const source = { id: callId, version: (one: LoggedCall) => keyOf(one.rows.at(-1)!), at: (one: LoggedCall) => one.rows.at(-1)!.at };
  const asked = call({ outcome: 'waiting', rows: [row(1, { approval: 'a' })] });
  const other = call({ rows: [row(2, { approval: 'b' })] });
  const answered = call({ rows: [row(1, { approval: 'a' }), row(3, { approval: 'a', kind: 'outcome' })] });
  expect(unknown(source, [other, asked], [answered, other])).toEqual([answered]);
  expect(merged(source, [other, asked], [answered])).toEqual([answered, other]);
});
