import { describe, expect, test } from 'vitest';
import { cautions, fieldErrors, unusedReason, fieldOfError, isPrimary } from '../src/rules/draftChecks';
import { type RuleDraft, type Effect, type Fields, draftOf, editableFields, instantOf, localOf } from '../src/rules/draft';
import { canBe, covers } from '../src/rules/toolKinds';
import { changes, trialOf } from '../src/rules/trial';

const draft = (rule: Fields, more: Partial<RuleDraft> = {}): RuleDraft => ({ ...draftOf(rule), ...more });
const back = (rule: Fields, effect: Effect = 'confirm'): Fields => editableFields(draftOf(rule), effect);

describe('round trip of a rule through the form', () => {
  test.each<Fields>([
    { priority: 0, tool: 'bash', command: 'git push' },
    { priority: -5, toolPattern: 'delete_*', server: 'files', agent: 'coder' },
    { priority: 7, tool: 'bash', commandGlob: 'npm run *', timeoutS: 30, onTimeout: 'park', note: 'why' },
    { priority: 0, tool: 'read', path: '/work/** ', expiresAt: '2031-02-03T04:05:06Z' },
    { priority: 0, tool: 'web_fetch', host: '*.example.com' },
    { priority: 0, tool: 'skill_load', skillName: 'deploy' },
    { priority: 0, tool: 'bash', examples: { match: ['ls', '{"a":1}', 'a\nb', { tool: 'bash', input: { command: 'ls' } }], notMatch: ['rm'] } },
  ])('%j is unchanged', (rule) => expect(back(rule)).toEqual(rule));

  test('field names are normalised, and a priority is always set', () => {
    expect(back({ toolName: 'bash', serverId: 's' })).toEqual({ tool: 'bash', server: 's', priority: 0 });
  });

  test('blanks around names are trimmed, but not in globs', () => {
    const typed = draft({}, { tool: ' bash ', command: ' git  push ', commandGlob: 'git push ', host: '  ' });
    expect(editableFields(typed, 'allow')).toEqual({ priority: 0, tool: 'bash', command: 'git  push', commandGlob: 'git push ' });
  });

  test('fields without meaning for the effect are omitted and restored with the effect', () => {
    const waiting = draft({ tool: 'bash', timeoutS: 9, onTimeout: 'park' });
    expect(editableFields(waiting, 'deny')).toEqual({ priority: 0, tool: 'bash' });
    expect(editableFields(waiting, 'confirm')).toMatchObject({ timeoutS: 9, onTimeout: 'park' });
    const wide = draft({ tool: 'bash', unrestricted: true });
    expect(editableFields(wide, 'allow').unrestricted).toBe(true);
    expect(editableFields(wide, 'confirm').unrestricted).toBeUndefined();
    expect(editableFields({ ...wide, command: 'ls' }, 'allow').unrestricted).toBeUndefined();
  });

  test('a narrowing field is never omitted, even if it is invalid', () => {
    expect(editableFields(draft({ tool: 'read', command: 'ls' }), 'allow')).toMatchObject({ tool: 'read', command: 'ls' });
  });

  test("times are in the device's time zone, to the second", () => {
    for (const at of ['2031-02-03T04:05:00Z', '2031-07-03T23:05:59Z']) expect(instantOf(localOf(at))).toBe(at);
    expect(instantOf('tomorrow')).toBeUndefined();
  });
});

describe('which fields apply', () => {
  test.each([
    ['bash', '', 'command', undefined],
    ['run_shell_command', '', 'commandGlob', undefined],
    ['read', '', 'command', 'shell'],
    ['', '', 'command', 'shell'],
    ['', 'BASH*', 'command', undefined],
    ['', '*', 'path', undefined],
    ['web_search', '', 'host', 'web'],
    ['WebFetch', '', 'host', undefined],
    ['skill_load', '', 'skillName', undefined],
    ['bash', '', 'skillName', 'skill'],
  ] as const)('tool %j, pattern %j: %s → %s', (tool, toolPattern, field, reason) => {
    expect(unusedReason(field, draft({ tool, toolPattern }), 'allow')).toBe(reason);
  });

  test('timeouts apply to confirm rules, unrestricted to allow rules of a whole shell tool', () => {
    expect(unusedReason('timeoutS', draft({ tool: 'bash' }), 'allow')).toBe('confirm');
    expect(unusedReason('timeoutS', draft({ tool: 'bash' }), 'confirm')).toBeUndefined();
    expect(unusedReason('unrestricted', draft({ tool: 'bash' }), 'allow')).toBeUndefined();
    expect(unusedReason('unrestricted', draft({ tool: 'bash', command: 'ls' }), 'allow')).toBe('whole');
    expect(unusedReason('unrestricted', draft({ tool: 'read' }), 'allow')).toBe('whole');
  });

  test('the main field of a tool is shown first', () => {
    expect(isPrimary('command', draft({ tool: 'bash' }), 'allow')).toBe(true);
    expect(isPrimary('path', draft({ tool: 'bash' }), 'allow')).toBe(false);
    expect(isPrimary('path', draft({ tool: 'read' }), 'allow')).toBe(true);
    expect(isPrimary('agent', draft({ agent: 'x' }), 'allow')).toBe(true);
  });

  test('patterns match whole names, ignoring case', () => {
    for (const [pattern, name, yes] of [
      ['git_*', 'git_status', true], ['*', '', true], ['a*b*c', 'AxxBxxC', true], ['a*a', 'a', false],
      ['ab', 'abc', false], ['*b', 'abc', false], ['*fetch*', 'web_fetch', true],
    ] as const) expect(covers(pattern, name), pattern).toBe(yes);
    expect(canBe('shell', 'Shell', '')).toBe(true);
    expect(canBe('shell', 'BASH', '')).toBe(false);
  });
});

describe('faults', () => {
  test.each<[Partial<RuleDraft>, Effect, object]>([
    [{ tool: 'bash', command: 'git push' }, 'allow', {}],
    [{ tool: 'bash', command: 'git *' }, 'allow', { command: 'wildcard' }],
    [{ tool: 'bash', command: 'ls; rm' }, 'allow', { command: 'plain' }],
    [{ tool: 'read', command: 'git *' }, 'allow', { command: 'shell' }],
    [{ tool: 'web_fetch', host: 'https://x.y/' }, 'allow', { host: 'url' }],
    [{ tool: 'web_fetch', host: 'a.*.b' }, 'allow', { host: 'star' }],
    [{ tool: 'web_fetch', host: 'x.y:443' }, 'allow', {}],
    [{ tool: 'web_fetch', host: '[::1]:8080' }, 'allow', {}],
    [{ tool: 'web_fetch', host: '[::1]' }, 'allow', {}],
    [{ tool: 'web_fetch', host: 'x.y:0' }, 'allow', { host: 'port' }],
    [{ tool: 'web_fetch', host: 'x.y:' }, 'allow', { host: 'port' }],
    [{ tool: 'web_fetch', host: 'x.y:65536' }, 'allow', { host: 'port' }],
    [{ priority: 'high' }, 'allow', { priority: 'number' }],
    [{ priority: '1.5' }, 'allow', { priority: 'number' }],
    [{ priority: '3000000000' }, 'allow', { priority: 'number' }],
    [{ timeoutS: '0' }, 'confirm', { timeoutS: 'positive' }],
    [{ timeoutS: '0' }, 'deny', {}],
    [{ expiresAt: 'soon' }, 'allow', { expiresAt: 'moment' }],
    [{ match: '{"tool":' }, 'allow', { match: 'example' }],
    [{ notMatch: 'ls\n{"input":{}}' }, 'allow', { notMatch: 'example' }],
  ])('%j %s', (typed, effect, found) => expect(fieldErrors(draft({}, typed), effect)).toEqual(found));

  test('a broad allow rule is reported', () => {
    const say = (rule: Fields, effect: Effect = 'allow') => cautions(draft(rule), effect, Date.parse('2030-01-01T00:00:00Z'));
    expect(say({})).toEqual(['everything']);
    expect(say({ toolPattern: '*' })).toEqual(['everything']);
    expect(say({ server: 's' })).toEqual(['server']);
    expect(say({ tool: 'bash' })).toEqual(['shell']);
    expect(say({ tool: 'bash', unrestricted: true })).toEqual(['unrestricted']);
    expect(say({ tool: 'bash', command: 'python3' })).toEqual(['runsAnything']);
    expect(say({ tool: 'bash', command: 'git status' })).toEqual([]);
    expect(say({ tool: 'bash', command: 'ls', expiresAt: '2029-01-01T00:00:00Z' })).toEqual(['over']);
    expect(say({}, 'deny')).toEqual([]);
  });

  test('a server error is assigned to its field', () => {
    expect(fieldOfError('commandGlob')).toBe('commandGlob');
    expect(fieldOfError('examples')).toBe('match');
    expect(fieldOfError('toolName')).toBe('tool');
    expect(fieldOfError('frobnicate')).toBeUndefined();
    expect(fieldOfError('toString')).toBeUndefined();
    expect(fieldOfError(undefined)).toBeUndefined();
  });
});

describe('trials', () => {
  test('only a single rule can replace another', () => {
    expect(trialOf({ effect: 'allow', rules: [{ tool: 'bash' }], replaces: 'x' })).toEqual({ effect: 'allow', rule: { tool: 'bash' }, replaces: 'x' });
    expect(trialOf({ effect: 'deny', rules: [{ tool: 'a' }, { tool: 'b' }], replaces: 'x', since: 's' })).toEqual({
      effect: 'deny', rules: [{ tool: 'a' }, { tool: 'b' }], since: 's',
    });
  });

  test('looser decisions come first', () => {
    const count = (before: 'allow' | 'confirm' | 'deny', after: typeof before, count: number) => ({ before, after, count });
    const counts = [count('allow', 'allow', 9), count('allow', 'deny', 2), count('confirm', 'allow', 1), count('deny', 'allow', 3)];
    expect(changes({ counts }).map(({ before }) => before)).toEqual(['deny', 'confirm', 'allow']);
  });
});
