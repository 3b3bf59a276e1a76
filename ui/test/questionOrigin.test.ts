import { expect, test } from 'vitest';
import { briefName } from '../src/lib/untrustedName';
import { isDemo, originOf } from '../src/question/questionOrigin';

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
