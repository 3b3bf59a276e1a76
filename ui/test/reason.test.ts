import { beforeEach, describe, expect, test } from 'vitest';
import type { Schemas } from '../src/lib/client';
import { i18n } from '../src/lib/i18n.svelte';
import { codeText, dangerText, fetchSentences } from '../src/codes/codeText.svelte';
import { type Reason, decisivePart, graveParts, noteOf, reasonsBesides, partOf, partText, ruleLocation, reasonText } from '../src/question/reason';
import { randomSentence } from './randomSentence';

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
  { code: 'no_workspace', path: '/etc' },
  { code: 'repository_runs', directory: '/w', what: 'core.pager' },
  ...(['setting', 'hook', 'unreadable', 'looks_bare', 'not_repository', 'redirect', 'link', 'alternates', 'index', 'user_include', 'credential', 'absent', 'too_much'] as const).map(
    (problem): Reason => ({ code: 'repository_unproven', directory: '/w', problem, file: '/w/.git/config', ...((problem === 'setting' || problem === 'credential') && { key: 'core.fsmonitor' }) }),
  ),
  { code: 'repository_unproven', directory: '/w', problem: 'hook', file: '/w/.husky/post-index-change', key: 'core.hookspath' },
  { code: 'tracked_links', directory: '/w' },
  { code: 'repository_unknown' },
  { code: 'runs_unknown', why: 'it runs what a file says' },
  { code: 'too_much' },
  { code: 'approval_required' },
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

  test('a rule in a file is named by its location, and by its note', () => {
    expect(reasonText({ code: 'rule', rule: 0 }, [rule])).toBe('Denied by the project rule at `/p/.sekisho/config.json:7`.');
    expect(reasonText({ code: 'rule', rule: 1 }, [rule, kept])).toBe('“ask me” — Asked because of one of your rules.');
    expect(reasonText({ code: 'rule', rule: 5 }, [])).toBe('Asked because of a rule.');
    expect(ruleLocation(kept)).toBeUndefined();
    expect(noteOf(rule)).toBeUndefined();
  });

  test('an unknown reason shows its code', () => {
    expect(reasonText({ code: 'of_tomorrow' } as unknown as Reason, [])).toBe('`of_tomorrow`');
  });

  test('a part cites its own rule and is found by its position', () => {
    const inner: Schemas['Part'] = { kind: 'command', text: 'id', decision: 'deny', reason: 'denied by it', code: 'rule', rule: 0, cited: rule };
    const part: Schemas['Part'] = { kind: 'command', text: 'sh', decision: 'confirm', reason: 'a\u202eb', code: 'no_rule', parts: [inner] };
    expect(partText(inner, [kept])).toContain('Denied by the project rule');
    expect(partOf({ kind: 'command', text: 'id', decision: 'deny', why: '' }, [part])).toBe(inner);
    expect(partOf({ kind: 'command', text: 'id', decision: 'allow', why: '' }, [part])).toBeUndefined();
    const twice = [0, 5].map((at): Schemas['Part'] => ({ ...inner, text: 'a\u202eb', span: [at, at + 1] }));
    expect(partOf({ kind: 'command', text: 'a\\u{202e}b', decision: 'deny', why: '', range: [5, 6] }, twice)).toBe(twice[1]);
  });

  test('finds the part that a verdict is about', () => {
    const fine: Schemas['Part'] = { kind: 'command', text: 'ls', decision: 'allow', reason: '', code: 'no_rule' };
    const asked: Schemas['Part'] = { ...fine, text: 'cd x', decision: 'confirm', code: 'path_unknown' };
    const verdict = { decision: 'confirm' as const, reasons: [{ code: 'path_unknown' } as Reason], rules: [], parts: [fine, { ...fine, parts: [asked] }] };
    expect(decisivePart(verdict)).toBe(asked);
    expect(decisivePart({ ...verdict, parts: [fine] })).toBeUndefined();
  });
});

test('of the parts that are asked about, the dangerous ones are found first', () => {
  const cd: Schemas['Part'] = { kind: 'command', text: 'cd x', decision: 'confirm', reason: '', code: 'path_unknown', span: [0, 4], danger: { level: 'none', why: '' } };
  const remove: Schemas['Part'] = { ...cd, text: 'rm -rf y', code: 'no_rule', span: [8, 16], danger: { level: 'danger', why: '' } };
  const shell: Schemas['Part'] = { ...cd, text: 'sh', code: 'no_rule', span: [27, 29], danger: { level: 'caution', why: '' } };
  const verdict = { decision: 'confirm' as const, reasons: [{ code: 'path_unknown' } as Reason], rules: [], parts: [cd, remove, shell] };
  const whole: Schemas['Danger'] = { level: 'danger', why: '', spans: [{ start: 25, end: 29 }] };
  expect(graveParts(verdict, undefined).map(({ part }) => part)).toEqual([remove]);
  // By itself `sh` is a caution; behind a pipe it is what makes the command dangerous.
  expect(graveParts(verdict, whole).map(({ part }) => part)).toEqual([remove, shell]);
  // Parts that are allowed are not asked about.
  expect(graveParts({ ...verdict, parts: [cd, { ...remove, decision: 'allow' }] }, undefined)).toEqual([]);
  // The first reason is already about the dangerous part.
  expect(graveParts({ ...verdict, reasons: [{ code: 'no_rule' }] }, undefined)).toEqual([]);
});

test('reasons that a part says are not said twice', () => {
  const inner: Schemas['Part'] = { kind: 'command', text: 'rm y', decision: 'confirm', reason: '', code: 'path_unknown', span: [9, 13] };
  const shell: Schemas['Part'] = { kind: 'command', text: "sh -c 'rm y'", decision: 'confirm', reason: '', code: 'no_rule', span: [0, 14], parts: [inner] };
  const reasons: Reason[] = [{ code: 'no_rule' }, { code: 'path_unknown' }, { code: 'approval_required' }];
  // Parts do not say that no rule allows them.
  expect(reasonsBesides({ reasons, rules: [], parts: [shell] })).toEqual([{ code: 'no_rule' }, { code: 'approval_required' }]);
  expect(reasonsBesides({ reasons, rules: [], parts: [] })).toEqual(reasons);
});

test('a part is matched by its rule, not by its wording', () => {
  const parts = [kept, rule].map((cited): Schemas['Part'] => ({ kind: 'command', text: 'id', decision: 'deny', reason: randomSentence(), code: 'rule', rule: 0, cited }));
  const verdict = { decision: 'deny' as const, reasons: [{ code: 'rule', rule: 0 } as Reason], rules: [rule], parts };
  expect(decisivePart(verdict)).toBe(parts[1]);
  const asked = parts.map((part, at): Schemas['Part'] => ({ ...part, code: 'obstacle', word: '-x', why: randomSentence(), detail: 'unknown_option', name: `-${at}` }));
  expect(decisivePart({ ...verdict, reasons: [{ code: 'obstacle', word: '-x', why: randomSentence(), detail: 'unknown_option', name: '-1' }], parts: asked })).toBe(asked[1]);
});

test('an obstacle is translated by its code', async () => {
  await Promise.all([fetchSentences('en'), fetchSentences('ja')]);
  const reason: Reason = { code: 'obstacle', word: 'frob', why: randomSentence(), detail: 'unknown_program', name: 'frob' };
  i18n.choose('en');
  expect(reasonText(reason, [])).toBe('`frob`: Frob is not a known program.');
  i18n.choose('ja');
  expect(reasonText(reason, [])).toBe('`frob`: frob は既知のプログラムではありません。');
  expect(reasonText({ code: 'obstacle', word: 'x', why: 'something new' }, [])).toBe('`x`: Something new.');
});

test('danger is translated', async () => {
  await Promise.all([fetchSentences('en'), fetchSentences('ja')]);
  const danger: Schemas['Danger'] = { level: 'danger', why: randomSentence(), code: 'impossible_host', further: ['deletes_files'] };
  i18n.choose('en');
  expect(dangerText({ ...danger, code: 'deletes_files', further: [] })).toEqual({ text: 'Deletes files.', lang: undefined });
  i18n.choose('ja');
  expect(dangerText(danger)).toEqual({ text: 'アドレスのホスト名は存在し得ません。ファイルを削除します。', lang: undefined });
  expect(codeText('address', { code: 'port', port: 8443 }, randomSentence())).toEqual({ text: 'ポート 8443。', lang: undefined });
  expect(codeText('leftOut', { code: 'file_now', path: '$1', because: { code: 'other_machine' } }, randomSentence())).toEqual({ text: '現在の「$1」: 別のマシンにあります。', lang: undefined });
  expect(codeText('address', undefined, 'something $1 new')).toEqual({ text: 'Something $1 new.', lang: 'en' });
});
