import { expect, test } from 'vitest';
import { otherFieldRows } from '../src/question/inputRows';

test('each field outside the form is a row, and long or blank values have a box', () => {
  const value = (text: string) => otherFieldRows({ besides: [{ name: 'env', value: text }] })[0]?.value;
  expect(otherFieldRows({})).toEqual([]);
  expect(value('{"LD_PRELOAD":"/tmp/x.so"}')).toEqual({ as: 'line', text: '{"LD_PRELOAD":"/tmp/x.so"}' });
  for (const text of ['', ' ', 'a ', 'a\nb', 'x'.repeat(201)]) expect(value(text)).toEqual({ as: 'box', text });
  const long = { name: 'n'.repeat(300), value: 'x' };
  expect(otherFieldRows({ besides: [long, long] }).map(({ name }) => name)).toEqual([long.name, long.name]);
});
