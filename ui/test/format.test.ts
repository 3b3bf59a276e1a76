// Times and errors, as people read them in both languages.
import { SekishoError } from '@sekisho/client';
import { afterEach, describe, expect, test } from 'vitest';
import { t as inbox } from '../src/inbox/text';
import { age, countdown, duration } from '../src/lib/format';
import { i18n } from '../src/lib/i18n.svelte';
import { knownName } from '../src/lib/personNames';
import { errorText } from '../src/lib/errors';

const MIN = 60_000;
const HOUR = 60 * MIN;

afterEach(() => i18n.choose(undefined));

describe('durations', () => {
  test.each([
    ['en', 118_000, '1:58'], ['ja', 118_000, '1:58'], ['en', 125 * MIN, '2 h 5 min'], ['ja', 125 * MIN, '2 時間 5 分'], ['en', 24 * HOUR, '24 h'], ['ja', 24 * HOUR, '24 時間'],
  ] as const)('countdown in %s of %d ms: %s', (locale, ms, said) => {
    i18n.choose(locale);
    expect(countdown(ms)).toBe(said);
  });

  test.each([
    ['en', 250, '250 ms'], ['ja', 250, '250 ミリ秒'], ['en', 30_000, '30 s'], ['ja', 30_000, '30 秒'], ['ja', 4200, '4.2 秒'], ['ja', 3 * MIN, '3 分'], ['ja', 2 * HOUR, '2 時間'],
  ] as const)('duration in %s of %d ms: %s', (locale, ms, said) => {
    i18n.choose(locale);
    expect(duration(ms)).toBe(said);
  });

  test.each([
    ['en', 1200, 'now'], ['ja', 1200, '今'], ['en', 59_999, '59 s'], ['en', 61_000, '1 min'], ['ja', 61_000, '1 分'], ['en', 5 * HOUR, '5 h'], ['en', 49 * HOUR, '2 d'], ['ja', 49 * HOUR, '2 日'],
  ] as const)('age in %s of %d ms: %s', (locale, ms, said) => {
    i18n.choose(locale);
    expect(age(ms)).toBe(said);
  });

  test('an expiring question is not described as denied', () => {
    i18n.choose('en');
    expect(inbox.leftThen('1:58')).toBe('1:58 left, then it expires and does not run');
    i18n.choose('ja');
    expect(inbox.leftThen('1:58')).toBe('残り 1:58。過ぎると期限切れになり、実行されません');
  });
});

describe('a server that does not answer', () => {
  const unreachable = new SekishoError({ code: 'Unreachable', message: 'the server cannot be reached: Failed to fetch', status: 0 });

  test('is described by the page, with a hint', () => {
    i18n.choose('en');
    expect(errorText(unreachable)).toMatchObject({ message: 'The server cannot be reached', transient: true, status: 0 });
    expect(errorText(unreachable).hint).toContain('sekisho serve');
    i18n.choose('ja');
    expect(errorText(unreachable).message).toBe('サーバーに接続できません');
    const slow = new SekishoError({ code: 'TimedOut', message: 'no answer within 9 ms', status: 0 });
    expect(errorText(slow).message).toBe('サーバーから時間内に応答がありませんでした');
    const proxied = new SekishoError({ code: 'Unknown', message: 'HTTP 502', status: 502 });
    expect(errorText(proxied)).toMatchObject({ message: 'サーバーに接続できません', status: 502 });
  });

  test('differs from an error response', () => {
    const told = new SekishoError({ code: 'NotFound', message: 'there is no rule `x`', hint: 'look again', status: 404 });
    expect(errorText(told)).toMatchObject({ message: 'There is no rule `x`', hint: 'look again', status: 404 });
  });
});

test('an unknown user has no name', () => {
  expect(knownName('mai')).toBe('mai');
  for (const nobody of ['', ' ', 'unknown', 'Unknown']) expect(knownName(nobody)).toBeUndefined();
});
