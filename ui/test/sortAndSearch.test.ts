import { describe, expect, test } from 'vitest';
import { clipped, summaryFields, summaryText } from '../src/inbox/questionSummary';
import { matching, ordered } from '../src/inbox/sortAndSearch';
import { neighbour, successor } from '../src/inbox/neighbours';
import { question } from './questions';

const ids = (questions: readonly { id: string }[]): string[] => questions.map(({ id }) => id);

describe('order', () => {
  const all = [
    question('a', { level: 'none', expiresAt: '2026-01-01T00:05:00Z' }),
    question('b', { level: 'danger' }),
    question('c', { level: 'caution', expiresAt: '2026-01-01T00:01:00Z' }),
    question('d', { level: 'danger', expiresAt: '2026-01-01T00:01:00Z' }),
  ];
  test.each([
    ['oldest', ['a', 'b', 'c', 'd']],
    ['danger', ['b', 'd', 'c', 'a']],
    ['deadline', ['c', 'd', 'a', 'b']],
  ] as const)('%s', (order, expected) => expect(ids(ordered(all, order))).toEqual(expected));

  test('the default order returns the same array', () => {
    expect(ordered(all, 'oldest')).toBe(all);
    expect(matching(all, '  ')).toBe(all);
  });
});

test('search matches every visible field, ignoring case', () => {
  const all = [question('a', { toolName: 'Bash', message: 'git push', agentId: 'Codex' }), question('b', { serverId: 'crm', message: 'git pull' })];
  expect(ids(matching(all, 'GIT'))).toEqual(['a', 'b']);
  expect(ids(matching(all, 'codex push'))).toEqual(['a']);
  expect(ids(matching(all, 'crm'))).toEqual(['b']);
  expect(matching(all, 'push crm')).toEqual([]);
});

describe('clipping', () => {
  test('reports how many characters were cut', () => {
    expect(clipped('abcdef', 6)).toEqual({ text: 'abcdef', more: 0 });
    expect(clipped('abcdefgh', 6)).toEqual({ text: 'abcdef', more: 2 });
  });
  test('counts characters and does not split surrogate pairs', () => {
    const flags = '𠮷'.repeat(10);
    expect(clipped(flags, 10)).toEqual({ text: flags, more: 0 });
    expect(clipped(flags, 4)).toEqual({ text: '𠮷'.repeat(4), more: 6 });
  });
});

test('the summary omits only the tool name', () => {
  expect(summaryText(question('a', { toolName: 'Bash', message: 'Bash: git push' }))).toBe('git push');
  expect(summaryText(question('a', { toolName: 'drop', serverId: 'crm', message: 'crm/drop: {}' }))).toBe('{}');
  expect(summaryText(question('a', { toolName: 'Bash', message: 'Bashful: x' }))).toBe('Bashful: x');
  expect(summaryText(question('a', { toolName: 'Bash', message: 'Bash: ' }))).toBe('Bash: ');
});

describe('navigation', () => {
  test('moves one step and stops at the ends', () => {
    const list = ['a', 'b', 'c'];
    expect(neighbour(list, 'a', 1)).toBe('b');
    expect(neighbour(list, 'c', 1)).toBe('c');
    expect(neighbour(list, 'a', -1)).toBe('a');
    expect(neighbour(list, undefined, -1)).toBe('a');
    expect(neighbour(list, 'gone', 1)).toBe('a');
    expect(neighbour([], 'a', 1)).toBeUndefined();
  });
  test.each([
    ['the one after it', ['a', 'b', 'c'], 'b', ['a', 'c'], 'c'],
    ['the one before it at the end', ['a', 'b', 'c'], 'c', ['a', 'b'], 'b'],
    ['none that ended meanwhile', ['a', 'b', 'c'], 'a', ['c'], 'c'],
    ['one that came meanwhile', ['a'], 'a', ['z'], 'z'],
    ['not itself, while it is still listed', ['a'], 'a', ['a'], undefined],
    ['nothing', ['a'], 'a', [], undefined],
  ])('after an answer: %s', (_, before, answered, open, expected) => {
    expect(successor(before, answered, open)).toBe(expected);
  });
});

describe('a row shows the fields of an input', () => {
  const of = (input: unknown, more: object = {}) => summaryFields({ input, shown: { form: { form: 'json' }, titleCode: 'run_tool', danger: { level: 'caution', why: '' }, ...more } } as never);

  test('names and values, never JSON cut inside', () => {
    expect(of({ customer_id: 'C-10482', erase_orders: true })).toEqual({ fields: [{ name: 'customer_id', value: 'C-10482' }, { name: 'erase_orders', value: 'true' }], more: 0 });
    expect(of({ customer: { id: 4711, name: 'Ōta' }, to: ['a', 'b'] })?.fields).toEqual([{ name: 'customer.id', value: '4711' }, { name: 'customer.name', value: 'Ōta' }, { name: 'to', value: '["a","b"]' }]);
    expect(of({ a: 'x'.repeat(300), b: 1 })).toMatchObject({ fields: [{ name: 'a', value: `${'x'.repeat(60)}…` }, { name: 'b' }], more: 0 });
    expect(of(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`field${at}`, 'value'])))?.more).toBeGreaterThan(5);
  });

  test('a value cannot look like another value or the next field', () => {
    expect(of({ a: 'true', b: 'x · erase false', c: '', d: 'a\u202eb' })?.fields.map(({ value }) => value)).toEqual(['"true"', '"x · erase false"', '""', 'a\\u{202e}b']);
  });

  test('a switch that makes a dangerous call worse is marked', () => {
    const danger = { danger: { level: 'danger', why: '' } };
    const grave = (input: unknown, more: object = danger) => of(input, more)?.fields.filter((field) => field.grave).map(({ name }) => name);
    expect(grave({ id: 7, cascade: true, eraseOrders: true, 'delete-all': true, dry_run: true, allowed: true })).toEqual(['cascade', 'eraseOrders', 'delete-all']);
    expect(grave({ options: { force: true, recursive: false }, hard: 'true' })).toEqual(['options.force']);
    expect(grave({ force: true }, {})).toEqual([]);
  });

  test('other forms keep the message of the server', () => {
    expect(of({ command: 'ls' }, { form: { form: 'command' } })).toBeUndefined();
    expect(of({ path: '/x' }, { titleCode: 'read_file' })).toBeUndefined();
    expect(of({})).toBeUndefined();
    expect(of([1])).toBeUndefined();
  });
});
