import { expect, test } from 'vitest';
import { briefName } from '../src/lib/untrustedName';
import { agentWords, isDemo, originOf } from '../src/question/questionOrigin';
import { question } from './questions';

test.each([
  ['token:019a8c7e-1111-7222-8333-000064656d6f', true],
  ['token:019a8c7e-1111-7222-8333-0123456789ab', false],
  // What an agent can make up.
  ['demo', false],
  ['socket:-000064656d6f', false],
  ['token:x token:019a8c7e-1111-7222-8333-000064656d6f', false],
])('%s', (askedBy, demo) => expect(isDemo({ askedBy })).toBe(demo));

test('each name of the caller has a label', () => {
  expect(originOf({ serverId: 'crm', agentId: 'bot', workspaceId: null })).toEqual([{ what: 'server', name: 'crm' }, { what: 'agent', name: 'bot' }]);
  // The same name twice is two claims.
  expect(originOf({ agentId: 'x', workspaceId: 'x' }).map(({ what }) => what)).toEqual(['agent', 'workspace']);
});

test('what an agent says about its command is found only where it does nothing', () => {
  const words = (input: unknown, more: Parameters<typeof question>[1] = {}) => agentWords(question('a', { form: { form: 'command', text: 'ls', parts: [] }, ...more, input }));
  expect(words({ command: 'ls', description: 'Lists the files' })).toBe('Lists the files');
  for (const input of [{ command: 'ls' }, { command: 'ls', description: '  ' }, { command: 'ls', description: { text: 'x' } }, 'ls', null]) expect(words(input)).toBeUndefined();
  // A field that the server lists may do something.
  expect(words({ command: 'ls', description: 'x' }, { besides: [{ name: 'description', value: 'x' }] })).toBeUndefined();
  expect(words({ description: 'x' }, { form: { form: 'json' } })).toBeUndefined();
});

test('a long name is cut, but not inside an escape', () => {
  const brief = (text: string, most: number) => {
    const { pieces, whole } = briefName(text, most);
    return [pieces.map((piece) => piece.text).join(''), whole];
  };
  expect(brief('claude-code', 40)).toEqual(['claude-code', true]);
  expect(brief('abcdef', 5)).toEqual(['abcde', false]);
  expect(brief('ab\u202ecd', 6)).toEqual(['ab', false]);
  expect(brief('ab\u202e', 10)).toEqual(['ab\\u{202e}', true]);
  expect(brief('😀😀😀', 3)).toEqual(['😀😀😀', true]);
  expect(brief('😀😀😀😀', 3)).toEqual(['😀😀😀', false]);
});
