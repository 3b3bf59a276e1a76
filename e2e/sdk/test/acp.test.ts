// Editors and agents with `sekisho acp` between them: made with the SDK of the Agent Client Protocol, and the adapter of
// Claude Code with a scripted model.
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { TestServer } from '../../../sdk/typescript/test/test-server.js';
import { Editor } from '../lib/acp-editor.js';
import { ClaudeHome, bash } from '../lib/claude.js';
import { answerNext, asked, questions, startServer, until } from '../lib/inbox.js';
import { type Script, anthropic } from '../lib/models.js';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server.end());

const run = (toolCallId: string, command: string) => ({ toolCallId, kind: 'execute', title: 'Run a command', rawInput: { command } });

const settings = () => ({ SEKISHO_URL: server.address, SEKISHO_TOKEN: server.token('agent')! });

/** An editor with the scripted agent. */
function connect(variables: Record<string, string> = {}): Promise<Editor> {
  const agent = [process.execPath, '--import', 'tsx', join(import.meta.dirname, '../lib/acp-agent.ts')];
  return new Editor(agent, { ...process.env, ...settings(), ...variables }).open(tmpdir());
}

test('rules allow and deny without a question, and a human answers the rest', async () => {
  const editor = await connect();
  const before = (await asked(server)).length;
  assert.equal(await editor.prompt(JSON.stringify([run('reads', 'ls'), run('denied', 'touch denied')])), 'end_turn');
  assert.equal((await asked(server)).length, before);
  const running = editor.prompt(JSON.stringify([run('asked', 'echo hi > x')]));
  const question = await answerNext(server, { behavior: 'allow' });
  assert.deepEqual([question.toolName, question.input, question.conversationId], ['bash', { command: 'echo hi > x' }, 'the session']);
  await running;
  const refusing = editor.prompt(JSON.stringify([run('refused', 'echo hi > y')]));
  await answerNext(server, { behavior: 'deny', message: 'not today' });
  await refusing;
  assert.deepEqual(Object.fromEntries(editor.outcomes), { reads: 'the allow_once', denied: 'the reject_once', asked: 'the allow_once', refused: 'the reject_once' });
  assert.equal(editor.text, 'read the notes ✓'.repeat(3));
  const said = await editor.end();
  assert.match(said, /rejected `bash`: .*\n.*rejected `bash`: not today/);
});

test('two questions are open at once, and each gets its own answer', async () => {
  const editor = await connect();
  const running = editor.prompt(JSON.stringify([run('one', 'echo 1 > x'), run('two', 'echo 2 > x')]));
  for (const question of await questions(server, 2)) {
    const one = JSON.stringify(question.input).includes('echo 1');
    await server.as('approver').approvals.answer(question.id, { digest: question.digest, ...(one ? { behavior: 'deny', message: 'no' } : { behavior: 'allow' }) });
  }
  await running;
  assert.deepEqual(Object.fromEntries(editor.outcomes), { one: 'the reject_once', two: 'the allow_once' });
  await editor.end();
});

test('cancelling withdraws the question', async () => {
  const editor = await connect();
  const running = editor.prompt(JSON.stringify([run('cancelled', 'echo hi > x')]));
  const [question] = await questions(server, 1);
  await editor.cancel();
  assert.equal(await running, 'cancelled');
  assert.equal(editor.outcomes.get('cancelled'), 'cancelled');
  await until('the question is withdrawn', async () => {
    const { state } = await server.as('viewer').approvals.show(question!.id);
    return state === 'aborted' ? state : undefined;
  });
  await editor.end();
});

test('a server that is down rejects, and says why on standard error', async () => {
  const editor = await connect({ SEKISHO_URL: 'http://127.0.0.1:9' });
  await editor.prompt(JSON.stringify([run('down', 'ls')]));
  assert.equal(editor.outcomes.get('down'), 'the reject_once');
  assert.match(await editor.end(), /rejected `bash`: it could not be judged: no server at http:\/\/127\.0\.0\.1:9/);
});

test('the adapter of Claude Code: an allowed call runs, a denied one does not', async () => {
  const home = new ClaudeHome();
  const script: Script = [[bash('echo hi > allowed', 'toolu_allowed')], [bash('echo hi > refused', 'toolu_refused')], 'done'];
  const model = await anthropic(script);
  const adapter = join(import.meta.dirname, '../node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js');
  const editor = await new Editor([process.execPath, adapter], { ...home.options(model.address).env, ...settings() }).open(home.ws);
  const running = editor.prompt('do the thing');
  const question = await answerNext(server, { behavior: 'allow' });
  assert.deepEqual([question.toolName, (question.input as { command: string }).command], ['bash', 'echo hi > allowed']);
  await until('the second question', async () => (await questions(server, 1)).find(({ id }) => id !== question.id));
  await answerNext(server, { behavior: 'deny', message: 'not today' });
  assert.equal(await running, 'end_turn');
  assert.deepEqual([home.ran('allowed'), home.ran('refused')], [true, false]);
  await editor.end();
  model.close();
});
