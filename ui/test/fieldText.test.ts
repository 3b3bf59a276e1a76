import { expect, test } from 'vitest';
import { lineText } from '../src/inbox/questionSummary';
import { fieldName, textValue } from '../src/lib/fieldText';

test('a text keeps its quotes if it looks like something else', () => {
  const quoted = ['', ' ', 'C-1 · dry_run true', 'C-1 • dry_run true', '(1 field)', '（1 件）', 'a, b', '[a]', '{}', '-1.5e+3', '01', 'a\tb', '\u007f', 'true', 'true ', ' a', '"a', 'cut…', '(a\nb)'];
  for (const text of quoted) expect(textValue(text)).toBe(JSON.stringify(text));
  const plain = ['C-1', 'a b', '2026-11-18', '1.2.3', 'it (the old one)', 'a"b', 'Ōta', '関', 'x.y', '+1'];
  for (const text of plain) expect(textValue(text)).toBe(text);
});

test('a name is one word', () => {
  for (const name of ['a b', 'a.b', '', '1', 'customer · dry_run true']) expect(fieldName(name)).toBe(JSON.stringify(name));
  expect(fieldName('customer_id')).toBe('customer_id');
});

test('different inputs give different lines', () => {
  const line = (input: unknown): string => lineText({ input, toolName: 'erase', serverId: 'crm', shown: { form: { form: 'json' }, titleCode: 'run_tool', message: '', danger: { level: 'danger', why: '' } } } as never);
  const texts = [
    '', ' ', 'a', 'b', 'a b', 'a 1', '1', '1.0', '01', '1e5', 'true', 'null', 'a.b', '.', 'a · b 1', '·', ', ', 'a, b', '"', '"a"', '\\', '\\n',
    'a\nb', 'a\tb', '[', '[a]', '["a"]', '{}', '(1 item)', 'a…', '\u200b', '\\u{200b}', ' a', 'a ', '関', '1 · b "a"', 'b" · "a',
  ];
  const values: unknown[] = [...texts, null, true, 1, -1, [], {}, ...texts.flatMap((text) => [[text], [text, 'a'], { [text]: 1 }, { a: text }, { a: { [text]: 1 } }])];
  const seen = new Map<string, string>();
  const same: string[][] = [];
  const check = (input: Record<string, unknown>): void => {
    const [shown, json] = [line(input), JSON.stringify(input)];
    if (seen.has(shown) && seen.get(shown) !== json) same.push([shown, json, seen.get(shown)!]);
    seen.set(shown, json);
  };
  for (const name of texts) {
    for (const value of values) {
      check({ [name]: value });
      // Names that come after every other one, so that the order of fields is the same.
      for (const [other, second] of [['zz', 1], ['zz z', 'a'], ['zz.z', '']] as const) check({ [name]: value, [other]: second });
    }
  }
  expect(same).toEqual([]);
  expect(seen.size).toBeGreaterThan(10_000);
});
