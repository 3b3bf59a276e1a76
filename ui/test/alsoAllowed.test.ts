import { afterEach, describe, expect, test } from 'vitest';
import type { Schemas } from '../src/lib/client';
import { alsoAllowedTexts, listed } from '../src/question/alsoAllowed';
import { i18n } from '../src/lib/i18n.svelte';
import { randomSentence } from './randomSentence';

type Code = Schemas['AlsoAllowed'];
const told = (...alsoCodes: Code[]): { also: string; alsoCodes: Code[] } => ({ also: randomSentence(), alsoCodes });
const said = (...codes: Code[]): string[] =>
  alsoAllowedTexts(told(...codes)).map(({ bits, list }) => [...bits.map(({ text, as }) => (as === 'code' ? `<${text}>` : text)), ...list.map((text) => ` <${text}>`)].join(''));
const begins = (command: string): Code => ({ code: 'commands_beginning', command });

afterEach(() => i18n.choose(undefined));

describe('what a proposed rule also allows', () => {
  test('untrusted parts are marked', () => {
    i18n.choose('en');
    expect(said(begins('git push'))).toEqual(['Every command that starts with <git push>, with any options, in any directory.']);
    expect(said({ code: 'path', access: 'edit', path: '/a; b/' })).toEqual(['Editing </a; b/>, and everything in it if it is a directory.']);
  });

  test('several rules give several sentences', () => {
    i18n.choose('en');
    expect(said({ code: 'command_alone', command: 'ls | wc' }, begins('rm'))).toEqual([
      'Only <ls | wc>, in any directory, even if files it uses have changed.',
      'Every command that starts with <rm>, with any options, in any directory.',
    ]);
  });

  test('items of one kind form one list', () => {
    i18n.choose('en');
    expect(said(begins('git fetch'), begins('npm ci'))).toEqual(['Every command that starts with one of these, with any options, in any directory: <git fetch> <npm ci>']);
  });

  test('length of the longest list', () => {
    i18n.choose('en');
    expect(listed(told(begins('git fetch')))).toBe(0);
    expect(listed(told(...Array.from({ length: 60 }, (_, at) => begins(`npm run t${at}`))))).toBe(60);
    expect(listed({ also: randomSentence() })).toBe(0);
  });

  test('Japanese sentences use their own word order', () => {
    i18n.choose('ja');
    expect(said({ code: 'server_tool', tool: 'drop', server: 'crm' })).toEqual(['サーバー <crm> の <drop> のすべての呼び出し（入力は問いません）']);
  });

  test("an unknown code shows the server's sentence", () => {
    i18n.choose('en');
    const also = randomSentence();
    for (const alsoCodes of [[], [begins('rm'), { code: 'of_tomorrow' } as unknown as Code]]) {
      expect(alsoAllowedTexts({ also, alsoCodes })).toEqual([{ bits: [{ text: also, as: 'english' }], list: [] }]);
    }
  });
});
