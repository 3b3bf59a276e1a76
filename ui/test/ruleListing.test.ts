import { describe, expect, test } from 'vitest';
import { callOf, citedFields, itemOf, ranked, toggleQuick } from '../src/rules/callTest';
import { remoteChange, nowOf } from '../src/rules/conflict';
import { EMPTY_CALL_FORM, parseDraftParam, parseCallParams, callParams } from '../src/rules/linkParams';
import { type Item, visibleRules, sortParam, sorted, listQuery } from '../src/rules/listing';

function item(id: string, more: Partial<Item> = {}): Item {
  const rule = more.rule ?? { tool: 'bash', priority: more.priority ?? 0 };
  return {
    id, source: 'database', editable: true, effect: 'allow', rule, serverId: null, toolName: rule.tool ?? null, toolPattern: null,
    autoApprove: true, priority: rule.priority ?? 0, hits: 0, standing: 'counts', ...more,
  };
}
const ids = (items: readonly Item[]): string => items.map(({ id }) => id).join(' ');
const wanted = (query: string) => listQuery(new URLSearchParams(query));

describe('the list', () => {
  const items = [
    item('builtin', { source: 'built-in', rule: { tool: 'read', priority: 0 } }),
    item('low', { priority: -1, hits: 5, lastHit: '2030-01-02T00:00:00Z' }),
    item('allow', { hits: 2, lastHit: '2030-01-03T00:00:00Z' }),
    item('deny', { effect: 'deny', rule: { tool: 'zip', server: 's', note: 'Never Zip' } }),
    item('high', { priority: 9, effect: 'confirm', source: 'project', file: '/w/shop/.sekisho/config.json' }),
  ];

  test.each([
    ['priority', false, 'high deny allow low builtin'],
    ['priority', true, 'builtin low allow deny high'],
    ['effect', false, 'deny high allow low builtin'],
    ['tool', false, 'high allow low builtin deny'],
    ['server', false, 'deny high allow low builtin'],
    ['source', false, 'high deny allow low builtin'],
    ['hits', false, 'low allow high deny builtin'],
    ['lastHit', false, 'allow low high deny builtin'],
  ] as const)('by %s (reversed: %s)', (key, way, order) => expect(ids(sorted(items, key, way))).toBe(order));

  test.each([
    ['', 'high deny allow low', 1],
    ['builtin=1', 'high deny allow low builtin', 0],
    ['source=built-in', 'builtin', 0],
    ['effect=deny', 'deny', 0],
    ['text=never+ZIP', 'deny', 0],
    ['text=shop', 'high', 0],
    ['text=read', '', 1],
    ['effect=nonsense&source=nowhere&sort=luck', 'high deny allow low', 1],
  ])('?%s', (query, order, folded) => {
    const shown = visibleRules(items, wanted(query));
    expect([ids(shown.items), shown.folded]).toEqual([order, folded]);
  });

  test('the order survives a round trip through the URL', () => {
    expect(sortParam('priority', false)).toBeUndefined();
    expect(wanted(`sort=${sortParam('hits', true)}`)).toMatchObject({ key: 'hits', reversed: true });
  });
});

describe('URL parameters', () => {
  test('a rule with only known fields', () => {
    const text = JSON.stringify({ effect: 'deny', rule: { tool: 'bash', command_glob: 'rm *', priority: 3, evil: 1, host: 7, unrestricted: 'yes' } });
    expect(parseDraftParam(text)).toEqual({ effect: 'deny', rule: { tool: 'bash', commandGlob: 'rm *', priority: 3 } });
    for (const wrong of [null, '', '{', '[]', '"x"', '{"effect":"maybe","rule":{}}', '{"effect":"allow"}']) expect(parseDraftParam(wrong)).toBeUndefined();
  });

  test.each([
    ['command=ls+-la', { quick: true, command: 'ls -la' }],
    ['tool=bash&command=ls', { quick: true, command: 'ls' }],
    ['tool=read&input=%7B%7D&cwd=/w', { quick: false, tool: 'read', input: '{}', cwd: '/w' }],
    [`call=${encodeURIComponent('{"toolName":"Bash","input":{"command":"ls"}}')}`, { quick: true, command: 'ls' }],
    [`call=${encodeURIComponent('{"toolName":"x","input":{"a":1},"serverId":"s"}')}`, { quick: false, tool: 'x', server: 's', input: '{\n  "a": 1\n}' }],
  ])('?%s', (query, typed) => expect(parseCallParams(new URLSearchParams(query))).toMatchObject(typed));

  test('short typed texts are put into the URL', () => {
    expect(callParams({ ...EMPTY_CALL_FORM, command: 'ls' })).toMatchObject({ command: 'ls', call: undefined, tool: undefined });
    expect(callParams({ ...EMPTY_CALL_FORM, quick: false, tool: 'x', input: 'y'.repeat(5000) })).toMatchObject({ tool: 'x', input: undefined });
    expect(parseCallParams(new URLSearchParams('text=a'))).toBeUndefined();
  });
});

describe('the call test', () => {
  test('a call, or why it is not valid', () => {
    expect(callOf(EMPTY_CALL_FORM)).toBeUndefined();
    expect(callOf({ ...EMPTY_CALL_FORM, command: 'ls' })).toEqual({ call: { toolName: 'bash', input: { command: 'ls' } } });
    const full = { ...EMPTY_CALL_FORM, quick: false, tool: 'read' };
    expect(callOf({ ...full, input: '{"path":"/a"}', server: ' s ', cwd: '/w' })).toEqual({
      call: { toolName: 'read', input: { path: '/a' }, serverId: 's', cwd: '/w' },
    });
    expect(callOf({ ...full, agent: 'a', proven: true })).toMatchObject({ call: { agentId: 'a', namesProven: true } });
    expect(callOf({ ...full, proven: true })).toEqual({ call: { toolName: 'read', input: {} } });
    expect(callOf({ ...full, input: '{' })).toEqual({ fault: 'json' });
    expect(callOf({ ...full, input: '[1]' })).toEqual({ fault: 'object' });
    expect(callOf({ ...full, cwd: 'w' })).toEqual({ fault: 'cwd' });
    expect(callOf({ ...full, tool: '', input: '{}' })).toEqual({ fault: 'tool' });
  });

  test('switches between one line and all fields', () => {
    const full = toggleQuick({ ...EMPTY_CALL_FORM, command: 'ls' });
    expect(full).toMatchObject({ quick: false, tool: 'bash', input: '{\n  "command": "ls"\n}' });
    expect(toggleQuick({ ...full, input: '{"command":"pwd"}' })).toMatchObject({ quick: true, command: 'pwd' });
  });

  const cited = (more: object) => ({ effect: 'allow' as const, layer: 'database' as const, line: 1, priority: 0, source: 'database', rule: {}, ...more });

  test('cited rules are found in the list', () => {
    const items = [
      item('a'),
      item('b', { source: 'built-in', rule: { tool: 'bash', command: 'ls', priority: 0 } }),
      item('c', { source: 'project', file: '/p', line: 7, rule: { toolPattern: 'x*', priority: 0 } }),
    ];
    expect(itemOf(cited({ id: 'a' }), items)?.id).toBe('a');
    expect(itemOf(cited({ layer: 'built_in', source: 'built-in', line: 40, rule: { tool: 'bash', command: 'ls' } }), items)?.id).toBe('b');
    expect(itemOf(cited({ layer: 'project', source: '/p', line: 7, rule: { tool_pattern: 'x*' } }), items)?.id).toBe('c');
    expect(itemOf(cited({ id: 'gone', rule: { tool: 'other' } }), items)).toBeUndefined();
    expect(citedFields(cited({ rule: { command_glob: 'a*', skill_name: 's' } }))).toEqual({ commandGlob: 'a*', skillName: 's' });
  });

  test('deciding rules come first', () => {
    const list = [{ rule: cited({}), outcome: 'expired' as const }, { rule: cited({}), outcome: 'outranked' as const }, { rule: cited({}), outcome: 'decided' as const }];
    expect(ranked(list).map(({ outcome }) => outcome)).toEqual(['decided', 'outranked', 'expired']);
  });
});

test('a concurrent change of a rule is detected', () => {
  const began = item('a', { rule: { tool: 'bash', priority: 0 } });
  expect(remoteChange(began, [item('a', { hits: 9 })])).toBeUndefined();
  expect(remoteChange(began, [item('a', { effect: 'deny' })])).toBe('changed');
  expect(remoteChange(began, [item('a', { rule: { tool: 'bash', note: 'x' } })])).toBe('changed');
  expect(remoteChange(began, [item('b')])).toBe('removed');
});

test('a file rule is the same if only its line changed', () => {
  const began = item('at-7', { source: 'global', file: '/home/mai/.config/sekisho/config.json', line: 7 });
  const moved = { ...began, id: 'at-8', line: 8 };
  expect(nowOf(began, [moved])).toBe(moved);
  expect(remoteChange(began, [moved])).toBeUndefined();
  expect(remoteChange(began, [{ ...moved, rule: { tool: 'read', priority: 0 } }])).toBe('removed');
  expect(remoteChange(began, [{ ...moved, file: '/elsewhere.json' }])).toBe('removed');
  expect(remoteChange(item('kept'), [item('other')])).toBe('removed');
});
