import { afterEach, describe, expect, test } from 'vitest';
import { alsoOf, listed } from '../src/question/also';
import { i18n } from '../src/lib/i18n.svelte';

const said = (also: string): string[] => alsoOf(also).map(({ bits, list }) => [...bits.map(({ text, as }) => (as === 'code' ? `<${text}>` : text)), ...list.map((text) => ` <${text}>`)].join(''));

afterEach(() => i18n.choose(undefined));

describe('what a proposed rule also lets through', () => {
  test('what others wrote is set off', () => {
    i18n.choose('en');
    expect(said('every command that begins with `git push`, with any options and operands, in any directory')).toEqual([
      'Every command that begins with <git push>, with any options, in any directory.',
    ]);
    expect(said('any edit of `/a; b/`, and what is below it if it is a directory')).toEqual(['Any edit of </a; b/>, and what is below it if it is a directory.']);
  });

  test('several rules are several sentences', () => {
    i18n.choose('en');
    const both = '`ls | wc` and nothing else, in any directory, whatever the files it uses then hold; every command that begins with `rm`, with any options and operands, in any directory';
    expect(said(both)).toEqual([
      'Only <ls | wc>, in any directory, even when files it uses have changed.',
      'Every command that begins with <rm>, with any options, in any directory.',
    ]);
  });

  test('what is of one kind is one list', () => {
    i18n.choose('en');
    const begins = (words: string): string => `every command that begins with \`${words}\`, with any options and operands, in any directory`;
    expect(said([begins('git fetch'), begins('npm ci')].join('; '))).toEqual(['Every command that begins with one of these, with any options, in any directory: <git fetch> <npm ci>']);
  });

  test('how long a list is', () => {
    const begins = (words: string): string => `every command that begins with \`${words}\`, with any options and operands, in any directory`;
    i18n.choose('en');
    expect(listed(begins('git fetch'))).toBe(0);
    expect(listed(Array.from({ length: 60 }, (_, at) => begins(`npm run t${at}`)).join('; '))).toBe(60);
    expect(listed('something else')).toBe(0);
  });

  test('in Japanese, in its own order', () => {
    i18n.choose('ja');
    expect(said('every call of `drop` of the server `crm`, with any input')).toEqual(['サーバー <crm> の <drop> のすべての呼び出し（入力は問いません）']);
  });

  test('what is not known is shown as it came, whole', () => {
    i18n.choose('en');
    for (const also of ['something else of `x`', '`a` and nothing else, in any directory, whatever the files it uses then hold; and more']) {
      expect(alsoOf(also)).toEqual([{ bits: [{ text: also, as: 'english' }], list: [] }]);
    }
  });
});
