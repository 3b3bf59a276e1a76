// The acceptance list of the Claude Agent SDK's integration, with the real SDK.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { join } from 'node:path';
import type { CanUseTool, Options } from '@anthropic-ai/claude-agent-sdk';
import { type ClaudeApprovalSettings, createToolApprovalHandler, withApproval } from '@sekisho/client/claude';
import type { TestServer } from '../../../sdk/typescript/test/test-server.js';
import { ClaudeHome, bash } from '../lib/claude.js';
import { answerNext, answerTo, asked, questions, settingsOf, startServer } from '../lib/inbox.js';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.end());

/** The options under test, with a conversation of its own. */
const gated = (conversation: string, more: Partial<Options> = {}, settings: ClaudeApprovalSettings = {}) => (options: Options): Options =>
  withApproval({ ...options, ...more }, { ...settingsOf(server, conversation), ...settings });

/** Only `canUseTool`, without the hook. */
const handlerOnly = (conversation: string) => (options: Options): Options => ({
  ...options,
  canUseTool: createToolApprovalHandler(settingsOf(server, conversation)) satisfies CanUseTool,
});

const ofConversation = async (name: string, of = server) => (await asked(of)).filter(({ conversationId }) => conversationId === name);

test('read-only tools pass without a question', async () => {
  const home = new ClaudeHome();
  const read = { tool: 'Read', id: 'toolu_r', input: { file_path: join(home.ws, 'hello.txt') } };
  const { results } = await home.run([[read], [bash('ls', 'toolu_l')]], gated('reads'));
  assert.match(results[0]!.text, /hello from a file/);
  assert.match(results[1]!.text, /hello\.txt/);
  assert.deepEqual(await ofConversation('reads'), []);
});

for (const [kind, change] of [['withApproval', gated], ['createToolApprovalHandler', handlerOnly]] as const) {
  test(`${kind}: Write and Bash ask and run when allowed`, async () => {
    const home = new ClaudeHome();
    const write = { tool: 'Write', id: 'toolu_w', input: { file_path: join(home.ws, 'new.txt'), content: 'new' } };
    const running = home.run([[write], [bash('touch asked', 'toolu_b')]], change(kind));
    assert.equal((await answerNext(server, { behavior: 'allow' })).toolName, 'Write');
    const question = await answerNext(server, { behavior: 'allow' });
    assert.deepEqual([question.toolName, question.workspaceId, question.conversationId], ['Bash', 'tests', kind]);
    await running;
    assert.equal(home.read('new.txt'), 'new');
    assert.ok(home.ran('asked'));
    assert.equal((await ofConversation(kind)).length, 2);
  });

  test(`${kind}: a denial reaches the model with its message`, async () => {
    const home = new ClaudeHome();
    const running = home.run([[bash('touch asked')]], change(`${kind} deny`));
    await answerNext(server, { behavior: 'deny', message: 'use another name' });
    const { results } = await running;
    assert.match(results[0]!.text, /use another name/);
    assert.equal(results[0]!.error, true);
    assert.ok(!home.ran('asked'));
  });

  test(`${kind}: an edited input replaces the input`, async () => {
    const home = new ClaudeHome();
    const running = home.run([[bash('touch asked')]], change(`${kind} edit`));
    await answerNext(server, { behavior: 'allow', updatedInput: { command: 'touch edited', description: 'a test' } });
    await running;
    assert.deepEqual([home.ran('asked'), home.ran('edited')], [false, true]);
    assert.equal((await ofConversation(`${kind} edit`)).length, 1);
  });

  test(`${kind}: an abort withdraws the question`, async () => {
    const home = new ClaudeHome();
    const abortController = new AbortController();
    const running = home.run([[bash('touch asked')]], (options) => change(`${kind} abort`)({ ...options, abortController }));
    const [question] = await questions(server, 1);
    abortController.abort();
    await running;
    const ended = await server.as('viewer').approvals.wait(question!.id, { timeoutMs: 30_000 });
    assert.equal(ended.state, 'aborted');
    assert.ok(!home.ran('asked'));
  });
}

test('a denial with interrupt ends the run', async () => {
  const home = new ClaudeHome();
  const running = home.run([[bash('touch asked')], [bash('touch second', 'toolu_02')]], gated('interrupt'));
  await answerNext(server, { behavior: 'deny', message: 'stop it all', interrupt: true });
  await running;
  assert.deepEqual([home.ran('asked'), home.ran('second')], [false, false]);
  assert.equal((await ofConversation('interrupt')).length, 1);
});

test('a question that nobody answers expires and denies', async () => {
  const home = new ClaudeHome();
  const { results } = await home.run([[bash('touch asked')]], gated('timeout', {}, { timeoutMs: 1000 }));
  assert.equal((await ofConversation('timeout'))[0]!.state, 'expired');
  assert.match(results[0]!.text, /in time|no answer|nobody/i);
  assert.ok(!home.ran('asked'));
});

test('a rule denies with its note', async () => {
  const home = new ClaudeHome();
  const { results } = await home.run([[bash('touch denied')]], gated('rule'));
  assert.match(results[0]!.text, /the note of the rule/);
  assert.ok(!home.ran('denied'));
});

test('without withApproval, bypassPermissions runs the call: the control', async () => {
  const home = new ClaudeHome();
  await home.run([[bash('touch asked')]], (options) => ({ ...options, permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true }));
  assert.ok(home.ran('asked'));
});

for (const [name, more] of [
  ['the option', { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true }],
  ['flags', { extraArgs: { 'dangerously-skip-permissions': null } }],
  ['allowedTools', { allowedTools: ['Bash'] }],
] as [string, Partial<Options>][]) {
  test(`bypassing by ${name} does not skip the question`, async () => {
    const home = new ClaudeHome();
    const running = home.run([[bash('touch asked')]], gated(`bypass ${name}`, more));
    await answerNext(server, { behavior: 'deny', message: 'seen' });
    const { results } = await running;
    assert.match(results[0]!.text, /seen/);
    assert.ok(!home.ran('asked'));
  });
}

test('settings of the project can neither bypass nor switch the hook off', async () => {
  const home = new ClaudeHome();
  home.write('.claude/settings.json', { disableAllHooks: true, permissions: { defaultMode: 'bypassPermissions', allow: ['Bash'] } });
  const running = home.run([[bash('touch asked')]], gated('settings', { settingSources: ['user', 'project', 'local'] }));
  await answerNext(server, { behavior: 'deny', message: 'seen' });
  assert.match((await running).results[0]!.text, /seen/);
  assert.ok(!home.ran('asked'));
});

test('either of two devices answers, and the other is told that it is too late', async () => {
  const home = new ClaudeHome();
  for (const first of [0, 1]) {
    const running = home.run([[bash(`touch device${first}`)]], gated(`devices ${first}`));
    const [question] = await questions(server, 1);
    const devices = [server.as('approver'), server.as('admin')] as unknown as Parameters<typeof answerTo>[0][];
    await answerTo(devices[first]!, question!, { behavior: 'allow' });
    await assert.rejects(answerTo(devices[1 - first]!, question!, { behavior: 'deny', message: 'no' }), { code: 'Conflict' });
    await running;
    assert.ok(home.ran(`device${first}`));
  }
});

test('a follow-up message of the conversation is gated as the first one', async () => {
  const home = new ClaudeHome();
  const first = home.run([[bash('touch first')]], gated('feedback'));
  await answerNext(server, { behavior: 'allow' });
  const { session } = await first;
  // The script goes on after the two messages of the first query.
  const script = [[], 'done', [bash('touch second', 'toolu_02')]];
  const feedback = home.run(script, gated('feedback', { resume: session! }), 'the feedback of a user');
  await answerNext(server, { behavior: 'deny', message: 'not this one' });
  const { results } = await feedback;
  assert.match(results.at(-1)!.text, /not this one/);
  assert.deepEqual([home.ran('first'), home.ran('second')], [true, false]);
});

test('calls of one turn are asked about, and each gets its own answer', async () => {
  const home = new ClaudeHome();
  const running = home.run([[bash('touch one', 'toolu_1'), bash('touch two', 'toolu_2')]], gated('parallel'));
  for (let answered = 0; answered < 2; answered += 1) {
    const [question] = await questions(server, 1);
    const { command } = question!.input as { command: string };
    await answerTo(server.as('approver') as never, question!, command === 'touch one' ? { behavior: 'allow' } : { behavior: 'deny', message: 'only one' });
  }
  const { results } = await running;
  assert.deepEqual([home.ran('one'), home.ran('two')], [true, false]);
  assert.match(results.find(({ id }) => id === 'toolu_2')!.text, /only one/);
});

test('TOOL_APPROVAL_ENABLED=false: nobody is asked, and a deny still denies', async () => {
  const off = await startServer({ env: { TOOL_APPROVAL_ENABLED: 'false' } });
  try {
    const home = new ClaudeHome();
    const change = (options: Options): Options => withApproval(options, settingsOf(off, 'off'));
    const { results } = await home.run([[bash('touch asked')], [bash('touch denied', 'toolu_02')]], change);
    assert.deepEqual([home.ran('asked'), home.ran('denied')], [true, false]);
    assert.match(results[1]!.text, /the note of the rule/);
    assert.deepEqual(await asked(off), []);
  } finally {
    await off.end();
  }
});

test('a server that is down denies, and says so', async () => {
  const home = new ClaudeHome();
  const settings = { ...settingsOf(server, 'down'), baseUrl: 'http://127.0.0.1:9', unreachableMs: 0 };
  const { results } = await home.run([[bash('touch asked')]], (options) => withApproval({ ...options, permissionMode: 'bypassPermissions' }, settings));
  assert.match(results[0]!.text, /sekisho cannot be reached/);
  assert.ok(!home.ran('asked'));
});

test('a wrong token denies, and says so', async () => {
  const home = new ClaudeHome();
  const settings = { ...settingsOf(server, 'token'), token: 'sks_wrong' };
  const { results } = await home.run([[bash('touch asked')]], (options) => withApproval(options, settings));
  assert.match(results[0]!.text, /does not accept the token/);
  assert.ok(!home.ran('asked'));
});
