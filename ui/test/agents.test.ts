import { describe, expect, test } from 'vitest';
import { type AgentDraft, EMPTY, bodyOf, copyName, draftOf, fieldErrors, isSame } from '../src/agents/draft';
import { grantsOf, limitsOf } from '../src/agents/grants';
import { type ToolConfig, configDraft, configErrors, typedConfig } from '../src/agents/toolSettings';

const typed = (more: Partial<AgentDraft> = {}): AgentDraft => ({ ...EMPTY, name: 'writer', ...more });

describe('the form of an agent', () => {
  test('settings are unchanged by a round trip', () => {
    const body = bodyOf(typed({ systemPrompt: 'You write.\n', tokenBudget: '5000', costBudgetUsd: '0.50', mode: 'approval', requireToolApproval: true, workspace: '/work' }));
    expect(body).toEqual({
      name: 'writer', provider: 'anthropic', model: 'claude-sonnet-4-5', systemPrompt: 'You write.\n', temperature: 0.7, maxTokens: 4096, contextTokens: 128000,
      maxIterations: 5, tokenBudget: 5000, costBudgetUsd: '0.50', mode: 'approval', requireToolApproval: true, workspace: '/work',
    });
    expect(bodyOf(draftOf(body))).toEqual(body);
    expect(isSame(draftOf(body), draftOf(body))).toBe(true);
  });

  test.each<[Partial<AgentDraft>, object]>([
    [{}, {}],
    [{ name: ' ' }, { name: 'needed' }],
    [{ name: 'a/b' }, { name: 'slash' }],
    [{ name: 'a\u202eb' }, { name: 'hidden' }],
    [{ name: 'x'.repeat(101) }, { name: 'long' }],
    [{ model: '' }, { model: 'needed' }],
    [{ temperature: '2' }, {}],
    [{ temperature: '2.1' }, { temperature: 'temperature' }],
    [{ temperature: '1e0' }, { temperature: 'temperature' }],
    [{ maxTokens: '0' }, { maxTokens: 'maxTokens' }],
    [{ maxTokens: '1000000' }, {}],
    [{ contextTokens: '999' }, { contextTokens: 'contextTokens' }],
    [{ maxIterations: '1.5' }, { maxIterations: 'maxIterations' }],
    [{ tokenBudget: '0', timeBudgetSeconds: '-1' }, { tokenBudget: 'whole', timeBudgetSeconds: 'whole' }],
    [{ costBudgetUsd: '0.00' }, { costBudgetUsd: 'money' }],
    [{ costBudgetUsd: '.5' }, { costBudgetUsd: 'money' }],
  ])('%j: %j', (more, errors) => expect(fieldErrors(typed(more))).toEqual(errors));

  test('a copy gets a free name of at most 100 characters', () => {
    expect(copyName('writer', new Set())).toBe('writer copy');
    expect(copyName('writer', new Set(['writer copy']))).toBe('writer copy 2');
    expect(copyName('x'.repeat(100), new Set())).toHaveLength(100);
  });
});

describe('settings of tools', () => {
  test.each<[string, ToolConfig]>([
    ['shell_exec', { allowed_dirs: ['doc', '/work/target'], allowed_commands: ['ls'], allowed_hosts: [], shell_timeout_ms: 1500 }],
    ['git_ops', { git_permission: 'ReadWrite', shell_timeout_ms: 60000 }],
    ['web_fetch', { allowed_hosts: ['example.org:8443'], http_timeout_secs: 5, respect_robots: true }],
    ['self_eval', { checks: { test: 'make test' } }],
    ['skill_load', { skills: ['/srv/skills'] }],
    ['read', {}],
  ])('%s %j is unchanged by a round trip', (tool, config) => {
    const draft = configDraft(config);
    expect(configErrors(tool, draft)).toEqual({});
    expect(typedConfig(tool, draft)).toEqual(config);
  });

  test.each<[string, ToolConfig, object]>([
    ['file_write', { allowed_dirs: ['doc', '../x'] }, { allowed_dirs: { error: 'climbs', line: '../x' } }],
    ['file_write', { allowed_dirs: ['~/x'] }, { allowed_dirs: { error: 'home', line: '~/x' } }],
    ['file_write', { allowed_dirs: ['/'] }, { allowed_dirs: { error: 'system', line: '/' } }],
    ['file_write', { allowed_dirs: ['/ETC/x'] }, { allowed_dirs: { error: 'system', line: '/ETC/x' } }],
    ['file_write', { allowed_dirs: ['/private/etc'] }, { allowed_dirs: { error: 'system', line: '/private/etc' } }],
    ['file_write', { allowed_dirs: ['/lib64'] }, { allowed_dirs: { error: 'system', line: '/lib64' } }],
    ['shell_exec', { allowed_commands: ['ls -la'] }, { allowed_commands: { error: 'arguments', line: 'ls -la' } }],
    ['shell_exec', { allowed_hosts: ['https://example.org'] }, { allowed_hosts: { error: 'host', line: 'https://example.org' } }],
    ['shell_exec', { allowed_hosts: ['example.org:0'] }, { allowed_hosts: { error: 'host', line: 'example.org:0' } }],
    ['shell_exec', { shell_timeout_ms: 0 }, { shell_timeout_ms: { error: 'shellSeconds' } }],
    ['web_search', { http_timeout_secs: 3601 }, { http_timeout_secs: { error: 'httpSeconds' } }],
    ['skill_load', { skills: ['skills'] }, { skills: { error: 'absolute', line: 'skills' } }],
  ])('%s %j is wrong', (tool, config, errors) => expect(configErrors(tool, configDraft(config))).toEqual(errors));

  test('settings that a tool does not have are not sent', () => {
    expect(typedConfig('read', configDraft({ allowed_dirs: ['x'], git_permission: 'ReadWrite' }))).toEqual({});
  });

  test('an empty list grants nothing, a missing one the default', () => {
    expect(grantsOf('file_write', {})).toEqual([{ code: 'writes', names: ['doc'] }]);
    expect(grantsOf('file_write', { allowed_dirs: [] })).toEqual([{ code: 'writesNowhere' }]);
    expect(grantsOf('web_fetch', {})[0]).toEqual({ code: 'anyHost' });
    expect(grantsOf('web_fetch', { allowed_hosts: [] })[0]).toEqual({ code: 'noHost' });
    expect(grantsOf('shell_exec', {}).map((grant) => grant.code)).toEqual(['runsRules', 'writes', 'offline', 'time']);
    expect(grantsOf('git_ops', { git_permission: 'Disabled' })).toEqual([{ code: 'gitDisabled' }]);
    expect(grantsOf('self_eval', { shell_timeout_ms: 1 }).at(-1)).toEqual({ code: 'time', seconds: 120 });
    expect(grantsOf('new_tool', {})).toEqual([{ code: 'unknown' }]);
    expect(limitsOf('shell_exec')).toEqual(['commands']);
  });
});
