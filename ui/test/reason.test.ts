import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Schemas } from '../src/lib/client';
import { i18n } from '../src/lib/i18n.svelte';
import { dangerText, fetchJapanese, noteText } from '../src/question/danger.svelte';
import { type Reason, decisive, noteOf, partOf, partText, placeOf, reasonText } from '../src/question/reason';

const rule: Schemas['CitedRule'] = { effect: 'deny', layer: 'project', source: '/p/.sekisho/config.json', line: 7, priority: 0, rule: { tool: 'bash' } };
const kept: Schemas['CitedRule'] = { effect: 'confirm', layer: 'database', source: 'database', line: 0, priority: 0, rule: { note: 'ask me' } };

const EVERY: Reason[] = [
  { code: 'rule', rule: 0 },
  { code: 'no_rule' },
  { code: 'not_evaluated', rule: 0 },
  { code: 'protected_path', path: '/w/.env', pattern: '**/.env' },
  { code: 'protected_among', path: '/w/.env', pattern: '.env*' },
  { code: 'too_many_files', path: '/w' },
  { code: 'path_unknown' },
  { code: 'field_missing', field: '/script' },
  { code: 'field_unreadable', field: '/script' },
  { code: 'work_limit' },
  { code: 'shell_unread' },
  ...['too_long', 'too_deep', 'hidden_character', 'unparsed', 'computed_name', 'expansion', 'arithmetic', 'function', 'array', 'conditional', 'construct', 'redirect'].map(
    (opaque): Reason => ({ code: 'opaque', opaque }),
  ),
  { code: 'redirect', word: '>x' },
  { code: 'assignment', name: 'PATH' },
  { code: 'expansion', word: '$x' },
  { code: 'obstacle', word: '-exec', why: 'runs a program' },
  { code: 'obstacle', word: '', why: 'runs a program' },
  { code: 'may_be_option', word: '$1' },
  { code: 'changes_shell', program: 'set' },
  { code: 'program_text', program: 'awk' },
  { code: 'walks_home', path: '/home/me' },
  { code: 'outside_workspace', path: '/etc' },
  { code: 'repository_runs', directory: '/w', what: 'core.pager' },
  ...(['setting', 'hook', 'unreadable', 'looks_bare', 'not_repository', 'redirect', 'link', 'alternates', 'index', 'user_include', 'too_much'] as const).map(
    (problem): Reason => ({ code: 'repository_unproven', directory: '/w', problem, file: '/w/.git/config', ...(problem === 'setting' && { key: 'core.fsmonitor' }) }),
  ),
  { code: 'repository_unproven', directory: '/w', problem: 'hook', file: '/w/.husky/post-index-change', key: 'core.hookspath' },
  { code: 'tracked_links', directory: '/w' },
  { code: 'repository_unknown' },
  { code: 'runs_unknown', why: 'it runs what a file says' },
  { code: 'too_much' },
  { code: 'nobody_can_confirm' },
  { code: 'config_broken', layer: 'global', error: 'line 3: expected a comma' },
];

describe.each(['en', 'ja'] as const)('every reason is a sentence in %s', (locale) => {
  beforeEach(() => i18n.choose(locale));
  test.each(EVERY)('$code', (reason) => {
    const text = reasonText(reason, [rule]);
    expect(text.length).toBeGreaterThan(3);
    expect(text).not.toMatch(/undefined|\[object/);
    // It says what the reason says.
    const said = reason.code === 'repository_unproven' ? [reason.code, reason.file, reason.key ?? ''] : Object.values(reason);
    for (const value of said.filter((value) => typeof value === 'string' && value !== '').slice(1)) {
      if (reason.code !== 'opaque' && reason.code !== 'config_broken') expect(text.toLowerCase()).toContain(String(value).toLowerCase());
    }
    if (locale === 'ja' && !['obstacle', 'runs_unknown'].includes(reason.code)) expect(text).toMatch(/[ぁ-ん]/);
  });
});

describe('in English', () => {
  beforeEach(() => i18n.choose('en'));

  test('a rule in a file is named by its place, one with a note by that too', () => {
    expect(reasonText({ code: 'rule', rule: 0 }, [rule])).toBe('Denied by the project rule at `/p/.sekisho/config.json:7`.');
    expect(reasonText({ code: 'rule', rule: 1 }, [rule, kept])).toBe('ask me — Asked because of a database rule.');
    expect(reasonText({ code: 'rule', rule: 5 }, [])).toBe('Asked because of a rule.');
    expect(placeOf(kept)).toBeUndefined();
    expect(noteOf(rule)).toBeUndefined();
  });

  test('a reason this page does not know is named', () => {
    expect(reasonText({ code: 'of_tomorrow' } as unknown as Reason, [])).toBe('`of_tomorrow`');
  });

  test('a part cites its own rule, and is found by its mark', () => {
    const inner: Schemas['Part'] = { kind: 'command', text: 'id', decision: 'deny', reason: 'denied by it', code: 'rule', rule: 0, cited: rule };
    const part: Schemas['Part'] = { kind: 'command', text: 'sh', decision: 'confirm', reason: 'a\u202eb', code: 'no_rule', parts: [inner] };
    expect(partText(inner, [kept])).toContain('Denied by the project rule');
    expect(partOf({ kind: 'command', text: 'id', decision: 'deny', why: '' }, [part])).toBe(inner);
    expect(partOf({ kind: 'command', text: 'id', decision: 'allow', why: '' }, [part])).toBeUndefined();
    const twice = [0, 5].map((at): Schemas['Part'] => ({ ...inner, text: 'a\u202eb', span: [at, at + 1] }));
    expect(partOf({ kind: 'command', text: 'a\\u{202e}b', decision: 'deny', why: '', range: [5, 6] }, twice)).toBe(twice[1]);
  });

  test('of several parts, the one a verdict is about', () => {
    const fine: Schemas['Part'] = { kind: 'command', text: 'ls', decision: 'allow', reason: '', code: 'no_rule' };
    const asked: Schemas['Part'] = { ...fine, text: 'cd x', decision: 'confirm', code: 'path_unknown' };
    const verdict = { decision: 'confirm' as const, reasons: [{ code: 'path_unknown' } as Reason], rules: [], parts: [fine, { ...fine, parts: [asked] }] };
    expect(decisive(verdict)).toBe(asked);
    expect(decisive({ ...verdict, parts: [fine] })).toBeUndefined();
  });
});

test('what is known of programs is known in Japanese, but for what is quite new', async () => {
  await fetchJapanese();
  i18n.choose('ja');
  const folder = fileURLToPath(new URL('../../crates/sekisho-shell/programs/', import.meta.url));
  const tables = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.toml'));
  const whys = new Set(tables.flatMap((name) => [...readFileSync(folder + name, 'utf8').matchAll(/\bwhy\s*=\s*"([^"]+)"/g)].map((found) => found[1]!)));
  expect(whys.size).toBeGreaterThan(100);
  const unsaid = [...whys].filter((why) => dangerText(why).lang === 'en');
  expect(unsaid.length, unsaid.join('\n')).toBeLessThan(whys.size * 0.05);
});

test('so is what keeps a command from being harmless, and what is unsafe about a server', async () => {
  await fetchJapanese();
  i18n.choose('ja');
  expect(reasonText({ code: 'obstacle', word: 'frob', why: 'frob is not a known program' }, [])).toBe('`frob`: frob は既知のプログラムではありません。');
  expect(reasonText({ code: 'obstacle', word: 'x', why: 'something new' }, [])).toBe('`x`: Something new.');
  expect(noteText('it runs as root: whoever breaks it has the machine; start it as a user of its own').lang).toBeUndefined();
  expect(noteText('others may write in /s: they could replace what lies there; `chmod 700 /s`').text).toBe('ほかのユーザーが /s に書き込めます。中身を差し替えられるおそれがあります。「chmod 700 /s」を実行してください。');
});

test('danger is said in the language of the page where that is known', async () => {
  i18n.choose('en');
  expect(dangerText('deletes files')).toEqual({ text: 'Deletes files.', lang: undefined });
  i18n.choose('ja');
  await fetchJapanese();
  expect(dangerText('deletes files')).toEqual({ text: 'ファイルを削除します。', lang: undefined });
  expect(dangerText('deletes files; something new')).toEqual({ text: 'Deletes files; something new.', lang: 'en' });
  expect(noteText('port 8443')).toEqual({ text: 'ポート 8443。', lang: undefined });
  expect(noteText('something $1 new')).toEqual({ text: 'Something $1 new.', lang: 'en' });
});
