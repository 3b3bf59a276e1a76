import { expect, test } from 'vitest';
import { recordedPieces } from '../src/audit/recordedPieces';
import { merged, unknown } from '../src/audit/pagedLog.svelte';
import { type Row, days, decisionOf, keyOf, neighbours, rowHref, rowOf, valuesOf, who } from '../src/audit/rows';

const WRITER = '01a1dfb2-4bc2-7811-aed2-20117fba70dd';
const row = (seq: number, more: Partial<Row> = {}): Row => ({
  at: new Date(Date.parse('2026-11-15T12:00:00Z') + seq * 1000).toISOString(),
  writer: WRITER, seq, kind: 'verdict', text: 'allowed by a rule', body: {}, key: 1, previous: '00', code: '11', ...more,
});

test('a row id survives a round trip through the URL', () => {
  expect(rowOf(`${WRITER}/17`)).toEqual({ writer: WRITER, seq: 17 });
  for (const wrong of [null, '', 'x/1', `${WRITER}/-1`, `${WRITER}/1/2`, `${WRITER}/1e9`]) expect(rowOf(wrong)).toBeUndefined();
  expect(rowHref(new URLSearchParams('tool=Bash'), row(3))).toBe(`/audit?tool=Bash&row=${WRITER}/3`);
});

test('the decider is shown before the asking agent', () => {
  expect(who(row(1, { agent: 'a', approver: 'Ada', credential: 'c' }))).toBe('Ada');
  expect(who(row(1, { agent: 'a', credential: 'c' }))).toBe('a');
  expect(who(row(1, { credential: 'c' }))).toBeUndefined();
  expect([decisionOf(row(1, { decision: 'deny' })), decisionOf(row(1, { decision: 'odd' }))]).toEqual(['deny', undefined]);
});

test('rows are grouped by day in order', () => {
  const at = (local: string, seq: number): Row => row(seq, { at: new Date(local).toISOString() });
  const found = days([at('2026-11-15T00:10:00', 3), at('2026-11-15T00:00:00', 2), at('2026-11-14T23:59:59', 1)], (one) => one.at);
  expect(found.map((day) => day.entries.map(({ seq }) => seq))).toEqual([[3, 2], [1]]);
});

test('new rows are merged first, without duplicates', () => {
  const source = { id: keyOf, version: keyOf, at: (one: Row) => one.at };
  const known = [row(2), row(1)];
  expect(unknown(source, known, [row(4), row(3), row(2)]).map(({ seq }) => seq)).toEqual([4, 3]);
  expect(merged(source, known, [row(4), row(3), row(2)]).map(({ seq }) => seq)).toEqual([4, 3, 2, 1]);
  // Another writer's row may be older than what is shown.
  const late = row(1, { writer: WRITER.replace('d', 'e'), at: row(1).at.replace('01.000', '01.500') });
  expect(merged(source, known, [late]).map(keyOf)).toEqual([keyOf(row(2)), keyOf(late), keyOf(row(1))]);
});

test('known values of a field', () => {
  expect(valuesOf([row(1, { tool: 'b' }), row(2), row(3, { tool: 'a' }), row(4, { tool: 'b' })], 'tool')).toEqual(['a', 'b']);
});

test('neighbours in a chain, if loaded', () => {
  expect(neighbours(1, { last: 3, signature: 'holds' })).toEqual({ before: undefined, after: 2 });
  expect(neighbours(3, { last: 3, signature: 'holds' })).toEqual({ before: 2, after: undefined });
  expect(neighbours(6, { last: 9, removedTo: 5, signature: 'holds' })).toEqual({ before: undefined, after: 7 });
});

test('recorded escapes are marked, and hidden characters are escaped', () => {
  expect(recordedPieces('a\\u{202e}b\u202ec\\n')).toEqual([
    { text: 'a', escaped: false },
    { text: '\\u{202e}', escaped: true },
    { text: 'b', escaped: false },
    { text: '\\u{202e}', escaped: true },
    { text: 'c\\n', escaped: false },
  ]);
});
