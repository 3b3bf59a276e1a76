import { i18n } from '../src/lib/i18n.svelte';
import { kindName } from '../src/audit/kindNames';
import { expect, test } from 'vitest';
import { activeFields, auditHref, isReversed, bounds, filtersOf, fromField, spanChange, toField, filterQuery } from '../src/audit/filters';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const of = (query: string) => filtersOf(new URLSearchParams(query));

test('a URL without a query has no filters', () => {
  const filters = of('');
  expect(filters.span).toBe('all');
  expect(activeFields(filters)).toEqual([]);
  expect(filterQuery(filters, NOW)).toEqual({});
});

test('filters of the URL become request parameters', () => {
  const filters = of('text=+git+push+&tool=Bash&decision=deny&kind=outcome&agent=a&approver=Ada&approval=x&span=24h&row=w/1&view=log');
  expect(activeFields(filters)).toEqual(['text', 'tool', 'agent', 'approver', 'approval', 'decision', 'kind']);
  expect(filterQuery(filters, NOW)).toEqual({
    text: 'git push', tool: 'Bash', agent: 'a', approver: 'Ada', approval: 'x', decision: 'deny', kind: 'outcome', from: '2026-11-14T12:00:00.000Z',
  });
});

test('invalid values are dropped', () => {
  expect(filterQuery(of('decision=maybe&kind=__proto__&span=2h&from=yesterday'), NOW)).toEqual({});
});

test('a custom range has one or two bounds', () => {
  expect(bounds(of('from=2026-11-01T00:00:00Z'), NOW)).toEqual({ from: '2026-11-01T00:00:00.000Z' });
  const both = of('span=custom&from=2026-11-02T00:00:00%2B09:00&to=2026-11-02T00:00:00Z');
  expect(both.span).toBe('custom');
  expect(bounds(both, NOW)).toEqual({ from: '2026-11-01T15:00:00.000Z', to: '2026-11-02T00:00:00.000Z' });
  expect(isReversed(both)).toBe(false);
  expect(isReversed(of('from=2026-11-02T00:00:00Z&to=2026-11-02T00:00:00Z'))).toBe(true);
  // A preset ends now, whatever else stands in the address.
  expect(isReversed(of('span=7d&from=2026-11-02T00:00:00Z&to=2026-11-02T00:00:00Z'))).toBe(false);
});

test('a custom range starts with the bounds of the previous one', () => {
  expect(spanChange(of('span=1h'), 'custom', NOW)).toEqual({ span: 'custom', from: '2026-11-15T11:00:00.000Z', to: '2026-11-15T12:00:00.000Z' });
  expect(spanChange(of(''), 'custom', NOW).from).toBe('2026-11-14T12:00:00.000Z');
  expect(spanChange(of('from=2026-11-01T00:00:00Z'), '7d', NOW)).toEqual({ span: '7d', from: undefined, to: undefined });
  expect(spanChange(of('span=7d'), 'all', NOW)).toEqual({ span: undefined, from: undefined, to: undefined });
});

test('a datetime field keeps the minute', () => {
  const field = toField('2026-11-15T12:34:00.000Z');
  expect(field).toMatch(/^2026-11-1[456]T\d\d:\d\d$/);
  expect(fromField(field)).toBe('2026-11-15T12:34:00.000Z');
  expect([toField(''), fromField('')]).toEqual(['', undefined]);
});

test('links to the log', () => {
  expect(auditHref({})).toBe('/audit');
  expect(auditHref({ approval: 'a b' })).toBe('/audit?approval=a+b');
});

test("an extension's kind is filtered and shown by its own name", () => {
  expect(filterQuery(of('kind=agent.run_started'), NOW)).toEqual({ kind: 'agent.run_started' });
  expect(kindName('agent.run_started')).toBe('agent.run_started');
  expect(kindName('search')).toBe('search');
  i18n.choose('en');
  expect(kindName('verdict')).toBe('decision');
  expect(filterQuery(of('kind=Agent+run'), NOW)).toEqual({});
});
