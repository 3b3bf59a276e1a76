import { describe, expect, test } from 'vitest';
import type { Schemas } from '../src/lib/client';
import { inputRows } from '../src/question/inputRows';
import { clippedPath, pathText } from '../src/question/paths';
import { question } from './questions';

const rows = (input: unknown, more: Parameters<typeof question>[1] = {}) => inputRows(question('a', { toolName: 'mystery', titleCode: 'run_tool', ...more, input }));
const lines = (input: unknown) => rows(input)?.map(({ name, value }) => [name, value.as === 'paths' ? value.paths : value.text]);

describe('an input as a list', () => {
  test('texts are shown verbatim, other values as JSON', () => {
    expect(lines({ id: 7, on: true, none: null, text: 'all of it', tags: ['a', 'b'], inner: { x: 1 } })).toEqual([
      ['id', '7'], ['on', 'true'], ['none', 'null'], ['text', 'all of it'], ['tags', '["a","b"]'], ['inner.x', '1'],
    ]);
  });

  test('an object inside is a list too, unless its names or values are not plain', () => {
    expect(lines({ customer: { id: 4711, name: 'Ōta Kenji' }, cascade: true })).toEqual([['customer.id', '4711'], ['customer.name', 'Ōta Kenji'], ['cascade', 'true']]);
    expect(lines({ a: { b: { c: 1 } }, d: {} })).toEqual([['a', '{"b":{"c":1}}'], ['d', '{}']]);
    expect(lines({ a: { b: 1 }, 'a.b': 2 })).toEqual([['a', '{"b":1}'], ['a.b', '2']]);
    expect(lines({ a: { 'b.c': 1 } })).toEqual([['a', '{"b.c":1}']]);
  });

  test('a switch that makes a dangerous call worse is marked', () => {
    const input = { customer: { id: 4711, purge: true }, cascade: true, reason: 'asked' };
    expect(rows(input, { level: 'danger' })?.filter(({ grave }) => grave).map(({ name }) => name)).toEqual(['customer.purge', 'cascade']);
    expect(rows(input)?.some(({ grave }) => grave)).toBe(false);
  });

  test('different values look different', () => {
    const alike: unknown[] = [1, '1', '"1"', true, 'true', null, 'null', '', ' ', ' x', 'x', {}, '{}', [], '[]', ['x'], '["x"]', '-1', -1, '1e3', '1.5'];
    const texts = alike.map((value) => lines({ value })?.[0]?.[1]);
    expect(new Set(texts).size).toBe(alike.length);
  });

  test('long and multi-line values have a box, with hidden characters escaped', () => {
    expect(rows({ a: 'x'.repeat(201) })?.[0]?.value.as).toBe('box');
    expect(rows({ a: 'one\ntwo\u202e' })?.[0]?.value).toEqual({ as: 'box', text: 'one\ntwo\\u{202e}' });
    expect(rows({ a: { b: 'x'.repeat(300) } })?.[0]?.value).toEqual({ as: 'box', text: `{\n  "b": "${'x'.repeat(300)}"\n}` });
  });

  test.each([
    ['not an object', ['a']], ['nothing', null], ['no fields', {}],
    ['many', Object.fromEntries(Array.from({ length: 13 }, (_, at) => [`k${at}`, at]))],
    ['a name that would be cut', { ['n'.repeat(41)]: 1 }], ['a name that shows nothing', { ' ': 1 }],
    ['a number the browser would change', { id: 12345678901234567890 }],
  ])('%s stays JSON', (_, input) => {
    expect(rows(input)).toBeUndefined();
  });

  test('an abridged input and one with its own form stay JSON', () => {
    expect(rows({ a: 1 }, { whole: false })).toBeUndefined();
    expect(rows({ a: 1 }, { form: { form: 'url', addresses: [] } })).toBeUndefined();
  });

  test('paths of file tools come first; a search pattern is not a path', () => {
    expect(rows({ limit: 5, file_path: '/w/a.ts' }, { titleCode: 'read_file', toolName: 'Read' })).toEqual([
      { name: 'file_path', value: { as: 'paths', paths: ['/w/a.ts'], glob: false } },
      { name: 'limit', value: { as: 'line', text: '5' } },
    ]);
    const as = (titleCode: Schemas['TitleCode'], toolName: string, input: object) => rows(input, { titleCode, toolName })?.map(({ value }) => value.as);
    expect(as('search_files', 'Grep', { pattern: '/etc/.*', path: 'src' })).toEqual(['paths', 'line']);
    expect(as('search_files', 'Glob', { pattern: '**/*.ts' })).toEqual(['paths']);
    expect(as('run_tool', 'read', { path: '/etc/passwd' })).toEqual(['line']);
    expect(as('read_file', 'read_many_files', { paths: ['a', 'b'] })).toEqual(['paths']);
    expect(as('read_file', 'read_many_files', { paths: ['a', 1] })).toEqual(['line']);
  });
});

test('a long path shows both ends and the number of omitted characters', () => {
  expect(clippedPath('/w/shop')).toEqual({ head: '/w/shop', left: 0 });
  const { head, tail, left } = clippedPath(`/tmp/${'𠮷/'.repeat(500)}end`);
  expect([head.startsWith('/tmp/𠮷/'), tail?.endsWith('𠮷/end'), [...head].length + [...(tail ?? '')].length + left]).toEqual([true, true, 1008]);
  expect(left).toBe(808);
});

describe('a path relative to the working directory', () => {
  const at = (path: string, homes = ['/w/shop'], glob = false) => pathText(path, homes, glob);

  test('splits the base, directories and name', () => {
    expect(at('/w/shop/src/a.ts')).toEqual({ base: '/w/shop/', directories: 'src/', name: 'a.ts', lies: undefined });
    expect(at('src/a.ts')).toEqual({ base: '', directories: 'src/', name: 'a.ts', lies: undefined });
    expect(at('/w/shop/src/')).toEqual({ base: '/w/shop/', directories: '', name: 'src/', lies: undefined });
    expect(at('/w/shop/src/**/x/*.ts', ['/w/shop'], true)).toEqual({ base: '/w/shop/', directories: 'src/', name: '**/x/*.ts', lies: undefined });
    expect(at('/')).toEqual({ base: '', directories: '', name: '/', lies: 'outside' });
  });

  test.each(['/etc/passwd', '/w/shopping/a', '../x', '/w/shop/../.ssh/id', 'src/../../x', '/w', '*/../../etc'])('%s is outside', (path) => {
    expect(at(path, ['/w/shop'], true)).toMatchObject({ base: '', lies: 'outside' });
  });

  test.each(['~/x', '~root/x', 'src/../x', '/w/shop/link/../x', ' /w/shop/a', 'file:///etc/passwd', 'a\u0000b', '', '{a,../../etc}/x'])('%j is unknown', (path) => {
    expect(at(path, ['/w/shop'], true)).toMatchObject({ base: '', lies: 'unknown' });
  });

  test('the workspace and the directory are both inside; without either nothing is reported', () => {
    expect(at('/w/lib/a', ['/w/shop', '/w'])).toMatchObject({ base: '/w/', lies: undefined });
    expect(at('/etc/passwd', [])).toMatchObject({ lies: undefined });
    expect(at('/etc/passwd', ['/'])).toMatchObject({ lies: undefined });
    expect(at('/etc/passwd', ['elsewhere'])).toMatchObject({ lies: undefined });
  });
});
