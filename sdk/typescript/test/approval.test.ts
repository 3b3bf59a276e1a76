// The helpers with a server whose responses are written down: what they send, and that every failure is a denial.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerApprovalRequests, toolApproval } from '../src/ai.js';
import { createApprover } from '../src/approval.js';
import { createToolApprovalHandler, withApproval } from '../src/claude.js';
import { Sekisho } from '../src/index.js';
import { createInterruptHandler } from '../src/langgraph.js';
import { streamWithApproval } from '../src/mastra.js';
import { createInterruptionHandler } from '../src/openai-agents.js';

type Sent = Record<string, unknown>;

/** A client whose questions are answered by a function, without waiting. */
function client(answer: (call: Sent) => Response | Promise<Response>) {
  const sent: Sent[] = [];
  const fetch = (async (_: string, init: RequestInit) => {
    const call = JSON.parse(String(init.body ?? '{}')) as Sent;
    sent.push(call);
    return answer(call);
  }) as typeof globalThis.fetch;
  return { sent, sekisho: new Sekisho({ baseUrl: 'http://server', token: 'sks_x', fetch, timeoutMs: 100 }) };
}

const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });
const allow = (updatedInput?: unknown) => json({ behavior: 'allow', executionId: 'e', ...(updatedInput !== undefined && { updatedInput }) });
const deny = (more: object = {}) => json({ behavior: 'deny', message: 'not today', code: 'denied', ...more });
const call = { toolName: 'bash', input: { command: 'ls' }, toolUseId: '1' };

test('settings are sent with the call, and unset ones are not', async () => {
  const { sent, sekisho } = client(() => allow());
  const decision = await createApprover({ sekisho, workspaceId: 'w', conversationId: 'c', timeoutMs: 5 }).decide(call);
  assert.deepEqual(decision, { behavior: 'allow', input: { command: 'ls' }, edited: false, executionId: 'e' });
  assert.deepEqual(sent, [{ ...call, workspaceId: 'w', conversationId: 'c', timeoutMs: 5 }]);
});

for (const [name, answer, code, message] of [
  ['a server that is down', () => Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })), 'Unreachable', /sekisho cannot be reached: ECONNREFUSED/],
  ['a wrong token', () => json({ error: { code: 'Unauthenticated', message: 'unknown token', hint: 'create one' } }, 401), 'Unauthenticated', /does not accept the token: unknown token \(create one\)/],
  ['a wrong role', () => json({ error: { code: 'Forbidden', message: 'not for viewers' } }, 403), 'Forbidden', /could not be checked: not for viewers/],
  ['a proxy that fails', () => new Response('<html>', { status: 502 }), 'Http502', /could not be checked/],
  ['a response that is not JSON', () => new Response('{', { headers: { 'content-type': 'application/json' } }), 'Unreachable', /could not be checked/],
  ['an edit that is not an object', () => allow([1]), 'InvalidResponse', /not an object/],
  ['a slow network', () => new Promise<Response>((_, reject) => setTimeout(() => reject(new Error('late')), 300)), 'TimedOut', /did not respond: no answer within 100 ms/],
] as [string, () => Response | Promise<Response>, string, RegExp][]) {
  test(`${name} denies and says why`, async () => {
    const decision = await createApprover({ sekisho: client(answer).sekisho, unreachableMs: 0 }).decide(call);
    assert.ok(decision.behavior === 'deny');
    assert.equal(decision.code, code);
    assert.match(decision.message, message);
  });
}

test('without a token nothing is sent and the call is denied', async () => {
  const decision = await createApprover({ baseUrl: 'http://127.0.0.1:9', token: '' }).decide(call);
  assert.ok(decision.behavior === 'deny' && /SEKISHO_TOKEN/.test(decision.message));
});

test('a request that failed is repeated with the same id', async () => {
  const replies = [json({ error: { code: 'Closing', message: 'stopping' } }, 503), allow()];
  const { sent, sekisho } = client(() => replies.shift()!);
  const decision = await createApprover({ sekisho }).decide(call);
  assert.equal(decision.behavior, 'allow');
  assert.deepEqual(sent.map(({ toolUseId }) => toolUseId), ['1', '1']);
});

test('a question that expired is a denial, not a new question', async () => {
  const replies = [json({ id: 'q', state: 'pending' }, 202), json({ id: 'q', state: 'expired', outcome: { message: 'no answer in time', code: 'expired' } })];
  const { sent, sekisho } = client(() => replies.shift() ?? json({}, 500));
  const decision = await createApprover({ sekisho }).decide(call);
  assert.deepEqual(decision, { behavior: 'deny', message: 'no answer in time', code: 'expired', interrupt: false });
  assert.equal(sent.length, 2);
});

test('canUseTool takes the id as a string or in options', async () => {
  const { sent, sekisho } = client(() => allow({ command: 'pwd' }));
  const handler = createToolApprovalHandler({ sekisho, conversationId: 'c' });
  assert.deepEqual(await handler('Bash', { command: 'ls' }, 'one'), { behavior: 'allow', updatedInput: { command: 'pwd' }, toolUseID: 'one' });
  await handler('mcp__files__read', {}, { toolUseID: 'two', agentID: 'sub', signal: new AbortController().signal });
  assert.deepEqual(sent.map(({ toolName, serverId, toolUseId }) => [toolName, serverId, toolUseId]), [['Bash', undefined, 'one'], ['read', 'files', 'sub/two']]);
  const ambiguous = await handler('mcp__a__b__c', {}, 'three');
  assert.ok(ambiguous.behavior === 'deny' && /several tools/.test(ambiguous.message));
  assert.equal(sent.length, 2);
});

test('an aborted canUseTool denies', async () => {
  const { sekisho } = client(() => json({ id: 'q', state: 'pending' }, 202));
  const answer = await createToolApprovalHandler({ sekisho })('Bash', {}, { toolUseID: '1', signal: AbortSignal.abort() });
  assert.ok(answer.behavior === 'deny' && /cancelled/.test(answer.message));
});

test('suggested permissions are passed on only if they are chosen, and never a bypass', async () => {
  interface Update { type: string; mode?: string }
  const { sekisho } = client(() => allow());
  const suggestions: Update[] = [{ type: 'setMode', mode: 'bypassPermissions' }, { type: 'addRules' }];
  const options = { toolUseID: '1', suggestions };
  const silent = await createToolApprovalHandler<Update>({ sekisho })('Bash', {}, options);
  assert.ok(silent.behavior === 'allow' && silent.updatedPermissions === undefined);
  const chosen = await createToolApprovalHandler<Update>({ sekisho, updatedPermissions: (asked) => asked.suggestions })('Bash', {}, options);
  assert.ok(chosen.behavior === 'allow');
  assert.deepEqual(chosen.updatedPermissions, [{ type: 'addRules' }]);
});

interface Hook { hooks: ((input: object, id: string | undefined, options: object) => Promise<{ hookSpecificOutput: Sent }>)[] }

test('withApproval takes out every bypass, keeps other options and hooks, and its hook decides', async () => {
  const { sent, sekisho } = client((asked) => ((asked['input'] as Sent)['command'] === 'ls' ? allow({ command: 'pwd' }) : deny()));
  const other = { hooks: [] };
  const extraArgs = { 'dangerously-skip-permissions': null, '--permission-mode': 'bypassPermissions', debug: null };
  const options = { model: 'm', cwd: '/w', permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true, permissionPromptToolName: 'x', extraArgs, hooks: { PreToolUse: [other], Stop: [] }, settings: { disableAllHooks: true, a: 1 } };
  const gated: Record<string, unknown> = withApproval(options, { sekisho });
  assert.deepEqual([gated['model'], gated['permissionMode'], gated['extraArgs'], gated['settings']], ['m', 'default', { debug: null }, { disableAllHooks: false, a: 1 }]);
  assert.ok(!('allowDangerouslySkipPermissions' in gated) && !('permissionPromptToolName' in gated));
  const { PreToolUse, Stop } = gated['hooks'] as { PreToolUse: Hook[]; Stop: unknown };
  assert.deepEqual([PreToolUse[1], Stop], [other, []]);
  const hook = PreToolUse[0]!.hooks[0]!;
  const allowed = await hook({ tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: '1' }, '1', {});
  assert.deepEqual(allowed.hookSpecificOutput, { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput: { command: 'pwd' } });
  // Claude may ask again about the edited input: the answer covers exactly it, once.
  const canUseTool = gated['canUseTool'] as ReturnType<typeof createToolApprovalHandler>;
  assert.equal((await canUseTool('Bash', { command: 'pwd' }, '1')).behavior, 'allow');
  assert.equal(sent.length, 1);
  assert.equal((await canUseTool('Bash', { command: 'pwd' }, '1')).behavior, 'deny');
  const refused = await hook({ tool_name: 'Bash', tool_input: { command: 'rm' }, tool_use_id: '2' }, '2', {});
  assert.deepEqual(refused.hookSpecificOutput, { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'not today' });
  assert.equal(sent[0]?.['cwd'], '/w');
  assert.throws(() => withApproval({ canUseTool: () => undefined }), TypeError);
  assert.equal((withApproval({ permissionMode: 'plan' }, { sekisho }) as { permissionMode: string }).permissionMode, 'plan');
});

test('AI SDK: an allow, a denial, an edit and an input that is no object', async () => {
  const { sekisho } = client(({ toolName }) => (toolName === 'edit' ? allow({ a: 1 }) : toolName === 'no' ? deny() : allow()));
  const status = (toolName: string, input: unknown = {}) => toolApproval({ sekisho })({ toolCall: { toolCallId: '1', toolName, input } });
  assert.deepEqual(await status('yes'), { type: 'approved' });
  assert.deepEqual(await status('no'), { type: 'denied', reason: 'not today' });
  assert.match(((await status('edit')) as { reason: string }).reason, /exactly this input: \{"a":1\}/);
  assert.equal((await status('yes', 'text')).type, 'denied');
  const request = (toolName: string) => ({ type: 'tool-approval-request', approvalId: toolName, toolCall: { toolCallId: toolName, toolName, input: {} } });
  const answers = await answerApprovalRequests([{ type: 'text' }, request('yes'), request('no'), { ...request('auto'), isAutomatic: true } as { type: string }], { sekisho });
  assert.deepEqual(answers?.content.map(({ approvalId, approved }) => [approvalId, approved]), [['yes', true], ['no', false]]);
  assert.equal(await answerApprovalRequests([], { sekisho }), undefined);
});

test('OpenAI Agents SDK: each interruption gets its answer', async () => {
  const { sekisho } = client(({ toolName }) => (toolName === 'no' ? deny() : toolName === 'edit' ? allow({ a: 1 }) : allow()));
  const told: unknown[] = [];
  const state = { approve: (one: object) => void told.push(one), reject: (_: object, options?: { message?: string }) => void told.push(options?.message) };
  const item = (name: string, args = '{}') => ({ name, rawItem: { type: 'function_call', callId: name, arguments: args } });
  const interruptions = [item('yes'), item('no'), item('edit'), item('yes', '{'), item('yes', '[]'), { name: 'yes', rawItem: {} }];
  const decide = createInterruptionHandler({ sekisho });
  assert.equal(await decide({ interruptions, state }), true);
  assert.equal(told[0], interruptions[0]);
  assert.equal(told[1], 'not today');
  assert.match(String(told[2]), /exactly this input/);
  assert.deepEqual(told.slice(3).map((one) => /could not be checked/.test(String(one))), [true, true, true]);
  assert.equal(await decide({ interruptions: [], state }), false);
});

test('LangGraph: decisions have the order of the actions, and an unknown interrupt is an error', async () => {
  const { sent, sekisho } = client(({ toolName }) => (toolName === 'no' ? deny() : toolName === 'edit' ? allow({ a: 1 }) : allow()));
  const decide = createInterruptHandler({ sekisho });
  const action = (name: string) => ({ name, args: {} });
  const value = { actionRequests: ['yes', 'no', 'edit'].map(action), reviewConfigs: [] };
  const edited = { type: 'edit', editedAction: { name: 'edit', args: { a: 1 } } };
  assert.deepEqual(await decide([{ id: 'i', value }, { id: 'j', value: action('no') }]), {
    i: { decisions: [{ type: 'approve' }, { type: 'reject', message: 'not today' }, edited] },
    j: { type: 'reject', message: 'not today' },
  });
  assert.deepEqual(sent.map(({ toolUseId }) => toolUseId), ['i/0', 'i/1', 'i/2', 'j']);
  await assert.rejects(decide([{ id: 'k', value: 'What is your name?' }]), TypeError);
});

test('Mastra: pending calls are asked about at once and resumed in the order of their answers', async () => {
  const { sent, sekisho } = client(async ({ toolName }) => {
    if (toolName === 'slow') await new Promise((resolve) => setTimeout(resolve, 30));
    return toolName === 'slow' ? allow() : deny();
  });
  const chunk = (toolName: string) => ({ type: 'tool-call-approval', runId: 'r', payload: { toolCallId: toolName, toolName, args: {} } });
  async function* chunks(list: object[]) {
    yield* list as { type: string }[];
  }
  const told: string[] = [];
  const agent = {
    // The other call that still waits is announced again.
    approveToolCall: ({ toolCallId }: { toolCallId: string }) => (told.push(`yes ${toolCallId}`), Promise.resolve({ fullStream: chunks([{ type: 'finish' }]) })),
    declineToolCall: ({ toolCallId, reason }: { toolCallId: string; reason: string }) => (told.push(`${reason} ${toolCallId}`), Promise.resolve({ fullStream: chunks([chunk('slow')]) })),
  };
  const types: string[] = [];
  for await (const { type } of streamWithApproval(agent, { fullStream: chunks([chunk('slow'), chunk('quick')]) }, { sekisho })) types.push(type);
  assert.deepEqual(told, ['not today quick', 'yes slow']);
  assert.equal(types.at(-1), 'finish');
  assert.deepEqual(sent.map(({ toolUseId }) => toolUseId), ['r/slow', 'r/quick']);
});
