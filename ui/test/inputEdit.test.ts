import { describe, expect, test } from 'vitest';
import { asWritten, split } from '../src/question/address';
import { editableFields, hiddenCount, withLineEnds } from '../src/question/editableFields';
import { editDiffs } from '../src/question/editDiffs';
import { inexact, isEqual, jsonText } from '../src/question/inputJson';
import { between, changedRuns, firstLines, openAtFirst, runsOf, within } from '../src/question/diffFolding';
import { readJson } from '../src/question/jsonErrors';
import { lineDiff } from '../src/question/lineDiff';
import { DiffBudget, WordDiffs, diffWords } from '../src/question/wordDiff';

describe('JSON error positions', () => {
  test.each([
    ['', 'value', 1, 1],
    ['{', 'key', 1, 2],
    ['{"a" 1}', 'colon', 1, 6],
    ['{"a": }', 'value', 1, 7],
    ['{"a": 1,}', 'key', 1, 9],
    ['{"a": 1\n "b": 2}', 'comma', 2, 2],
    ['{"a": [1 2]}', 'comma', 1, 10],
    ['{"a": "b\n}', 'string', 1, 7],
    ['{"a": "b', 'string', 1, 7],
    ['{"a": "\\x"}', 'escape', 1, 8],
    ['{"a": "\t"}', 'control', 1, 8],
    ['{} x', 'end', 1, 4],
    ["{'a': 1}", 'key', 1, 2],
    ['{"a": 01}', 'value', 1, 7],
    ['{"語": "😀", b}', 'key', 1, 12],
    ['{"a": trueish}', 'value', 1, 7],
  ])('%j', (text, what, line, column) => {
    expect(readJson(text)).toMatchObject({ ok: false, wrong: { what, line, column } });
  });

  test('valid JSON is parsed', () => {
    expect(readJson(' {"a": [1, -2.5e3, "\\u00e9", null, true]} ')).toEqual({ ok: true, value: { a: [1, -2500, 'é', null, true] } });
  });

  test('truncated JSON has an error position', () => {
    const text = JSON.stringify({ a: [1, { b: 'x"\\' }, null], c: -1.5, d: {} }, null, 1);
    for (let at = 0; at < text.length; at += 1) expect(readJson(text.slice(0, at)).ok).toBe(false);
  });

  test('deep nesting does not overflow the stack', () => {
    expect(readJson('['.repeat(100_000)).ok).toBe(false);
  });
});

describe('text fields of an input', () => {
  test('finds the command, the new text and the URL', () => {
    expect(editableFields('command', { command: 'ls', timeout: 1 })).toEqual([{ name: 'command', text: 'ls' }]);
    expect(editableFields('command', { command: ['bash', '-lc', 'ls'] })).toEqual([]);
    expect(editableFields('diff', { file_path: '/a', old_string: 'a', new_string: 'b' }).map((field) => field.name)).toEqual(['new_string']);
    expect(editableFields('json', { command: 'ls' })).toEqual([]);
    expect(editableFields('command', 'ls')).toEqual([]);
  });

  test('line endings that a text area would change are kept or edited as JSON', () => {
    expect(editableFields('diff', { content: 'a\r\nb' })).toHaveLength(1);
    expect(withLineEnds('a\r\nb', 'a\nc')).toBe('a\r\nc');
    expect(withLineEnds('a\nb', 'a\nc')).toBe('a\nc');
    expect(editableFields('diff', { content: 'a\rb' })).toEqual([]);
    expect(editableFields('diff', { content: 'a\r\nb\nc' })).toEqual([]);
  });

  test('hidden characters are counted, and escaped in equivalent JSON', () => {
    expect(hiddenCount('a\u202eb\u200b\n\tc')).toBe(2);
    for (const text of ['a\u202eb', '\u{e0041}x', 'x\\u{202e}', 'é語\n', '\u2028', '\ud800', 'a' + '\u0301'.repeat(7)]) {
      const json = jsonText({ text });
      expect(JSON.parse(json)).toEqual({ text });
      expect(hiddenCount(json)).toBe(0);
    }
  });

  test('key order does not matter', () => {
    expect(isEqual({ a: 1, b: { c: 2, d: [1] } }, { b: { d: [1], c: 2 }, a: 1 })).toBe(true);
    expect(isEqual({ a: 1 }, { a: '1' })).toBe(false);
  });

  test('numbers that JavaScript cannot represent', () => {
    expect(inexact({ a: [12345678901234567890] })).toBe(true);
    expect(inexact({ a: [1, 1.5, 'x', null] })).toBe(false);
  });
});

describe('what an edit changes', () => {
  test('texts are compared by line, other values as JSON', () => {
    const diffs = editDiffs({ command: 'ls\npwd', timeout: 1, same: 'x' }, { command: 'ls\nid', timeout: 2, same: 'x' });
    expect(diffs.map(({ name, added, removed }) => [name, added, removed])).toEqual([['command', 1, 1], ['', 1, 1]]);
    expect(diffs[0]?.hunks[0]?.lines).toEqual([
      { sign: ' ', old: 1, new: 1, text: 'ls' },
      { sign: '-', old: 2, text: 'pwd' },
      { sign: '+', new: 2, text: 'id' },
    ]);
    expect(editDiffs({ a: 'x' }, { a: 'x' })).toEqual([]);
    expect(editDiffs({ a: 'x' }, { b: 'x' })[0]).toMatchObject({ added: 1, removed: 1 });
    expect(editDiffs('x', { a: 1 })).toHaveLength(1);
    // Names that every object has already are names like any other.
    for (const name of ['__proto__', 'constructor', 'toString']) {
      const [before, after] = [JSON.parse(`{"${name}": {"a": 1}}`), JSON.parse(`{"${name}": {"a": 2}}`)] as object[];
      expect(editDiffs(before, after)).toHaveLength(1);
      expect(editDiffs({}, after)[0]?.hunks.flatMap(({ lines }) => lines).map(({ text }) => text).join('')).toContain(`"${name}"`);
      expect(editDiffs(after, after)).toEqual([]);
    }
  });

  test('hidden characters are escaped', () => {
    expect(lineDiff('a', 'a\u202e').hunks[0]?.lines.at(-1)?.text).toBe('a\\u{202e}');
  });

  test('two large unrelated texts are replaced as a whole', () => {
    const lines = (word: string): string => Array.from({ length: 100_000 }, (_, at) => `${word} ${at}`).join('\n');
    expect(lineDiff(lines('a'), lines('b'))).toMatchObject({ added: 100_000, removed: 100_000 });
  });
});

describe('word diff', () => {
  test('marks differing words of a pair', () => {
    expect(diffWords('const retries = 3;', 'const retries = 5;')).toEqual([
      [{ text: 'const retries = ', changed: false }, { text: '3', changed: true }, { text: ';', changed: false }],
      [{ text: 'const retries = ', changed: false }, { text: '5', changed: true }, { text: ';', changed: false }],
    ]);
  });

  test('dissimilar or long lines and lines with escapes are not paired', () => {
    expect(diffWords('alpha beta gamma', 'one two three')).toBeUndefined();
    expect(diffWords('a\\u{202e}b', 'a\\u{202d}b')).toBeUndefined();
    expect(diffWords('a'.repeat(700), 'a')).toBeUndefined();
  });

  test('lines are paired in order', () => {
    const lines = [
      { sign: ' ', text: 'x' },
      { sign: '-', text: 'let a = 1;' },
      { sign: '-', text: 'let b = 1;' },
      { sign: '+', text: 'let a = 2;' },
      { sign: ' ', text: 'y' },
    ] as const;
    const words = new WordDiffs(lines, new DiffBudget());
    expect(lines.map((_, at) => words.of(at) !== undefined)).toEqual([false, true, false, true, false]);
  });

  test('lines that are slow to compare have a time limit, each and in total', () => {
    const unlike = (set: string, seed: number) => Array.from({ length: 590 }, (_, at) => set[(at * at * seed + at) % set.length]).join('');
    const lines = [
      ...Array.from({ length: 150 }, (_, at) => ({ sign: '-' as const, text: unlike('!#%&*+', at + 1) })),
      ...Array.from({ length: 150 }, (_, at) => ({ sign: '+' as const, text: unlike('?@^~=|', at + 1) })),
    ];
    expect(diffWords(lines[0]?.text ?? '', lines[150]?.text ?? '')).toBeUndefined();
    // Each look at this clock is 10 ms after the last: a pair that is compared takes 10 ms, whatever the machine.
    let looks = 0;
    const words = new WordDiffs(lines, new DiffBudget(undefined, () => (looks += 1) * 10));
    for (const at of lines.keys()) expect(words.of(at)).toBeUndefined();
    expect(looks / 2).toBe(15);
  });

  test('no comparison runs after the time limit, and results are cached', () => {
    let now = 0;
    let asked = 0;
    const budget = new DiffBudget(30, () => (asked += 1, now += 10));
    const pair = [{ sign: '-' as const, text: 'let a = 1;' }, { sign: '+' as const, text: 'let a = 2;' }];
    const several = Array.from({ length: 5 }, () => new WordDiffs(pair, budget));
    expect(several.map((words) => words.of(0) !== undefined)).toEqual([true, true, true, false, false]);
    expect(several.map((words) => words.of(1) !== undefined)).toEqual([true, true, true, false, false]);
    expect(asked).toBe(6);
  });
});

describe('folding', () => {
  const file = (lines: number) => ({ path: '', change: 'changed' as const, added: 0, removed: 0, hunks: [{ lines: Array.from({ length: lines }, (_, at) => ({ sign: ' ' as const, old: at + 1, new: at + 1, text: '' })) }] });

  test('files that fit are unfolded, and always the first', () => {
    expect(openAtFirst([file(5000), file(10), file(10)])).toEqual([true, true, true]);
    expect(openAtFirst(Array.from({ length: 5 }, () => file(240)))).toEqual([true, true, true, false, false]);
  });

  test('removed lines fold separately, so that added lines stay visible', () => {
    const lines = [...Array.from({ length: 100 }, () => ({ sign: '-' as const, text: '' })), ...Array.from({ length: 10 }, () => ({ sign: '+' as const, text: '' }))];
    expect(runsOf(lines)).toEqual([{ from: 0, to: 100, shown: 40 }, { from: 100, to: 110, shown: 10 }]);
    expect(runsOf([])).toEqual([]);
  });

  test('each removed or added run must be seen, unchanged ones need not', () => {
    const signed = (signs: string) => ({ lines: [...signs].map((sign, at) => ({ sign: sign as '+' | '-' | ' ', text: String(at) })) });
    expect(changedRuns([signed('  --++ +'), signed('   '), signed('+')]).map(({ sign, text }) => sign + text)).toEqual(['-2', '+4', '+7', '+0']);
  });

  test('first lines and gaps between hunks', () => {
    expect(firstLines(file(10).hunks, 3)[0]?.lines).toHaveLength(3);
    expect(firstLines([...file(2).hunks, ...file(2).hunks], 2)).toHaveLength(1);
    const [first] = file(3).hunks;
    expect(between(first, { lines: [{ sign: ' ', old: 9, new: 9, text: '' }] })).toBe(5);
    expect(between(undefined, { lines: [{ sign: '+', new: 1, text: '' }] })).toBeUndefined();
    expect(between(undefined, { lines: [{ sign: ' ', old: 1, new: 1, text: '' }] })).toBeUndefined();
  });
});

test.each([
  ['/w/src/a.ts', '/w', 'src/a.ts'],
  ['/w/../etc/passwd', '/w', '/w/../etc/passwd'],
  ['/work/a', '/w', '/work/a'],
  ['/w//a', '/w', '/w//a'],
  ['/a', '/', '/a'],
  ['a.ts', undefined, 'a.ts'],
])('%s as seen from %s', (path, base, seen) => expect(within(path, base)).toBe(seen));

describe('host of a URL', () => {
  test.each([
    ['https://docs.example.com/a?b#c', 'docs.example.com'],
    ['https://user@evil.example:8443/', 'evil.example'],
    ['https://good.example@evil.example', 'evil.example'],
    ['https://[::1]:80/x', '[::1]'],
    ['https://a\\b', 'a'],
    ['mailto:a@b', ''],
    ['no address', ''],
  ])('%s', (url, host) => {
    const found = split(url);
    expect(found.host).toBe(host);
    expect(found.before + found.host + found.after).toBe(url);
  });

  test('whether the host is spelled as it is looked up', () => {
    expect(asWritten('https://Example.COM./x', 'example.com')).toBe(true);
    expect(asWritten('https://exämple.com/', 'xn--exmple-cua.com')).toBe(false);
  });
});
