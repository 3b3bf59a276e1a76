// Runs a TypeScript example with a local server and a scripted model, all in a temporary directory.
//   node examples/start.mjs NAME [--answer allow|deny]
// Answer the question in the browser by the link that is shown, or let `--answer` do it.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { anthropic } from '../e2e/clients/models/anthropic.mjs';
import { chat } from '../e2e/clients/models/chat.mjs';

const here = import.meta.dirname;
const { values, positionals } = parseArgs({ allowPositionals: true, options: { answer: { type: 'string' } } });
const main = join(here, positionals[0] ?? '', 'main.ts');
const bin = process.env.SEKISHO_BIN ?? join(here, '../target/debug/sekisho');
if (!existsSync(main) || !existsSync(bin)) {
  console.error(existsSync(main) ? `${bin} does not exist: build it, or set SEKISHO_BIN` : 'usage: node examples/start.mjs NAME [--answer allow|deny]');
  process.exit(64);
}
// The frameworks are installed once, for the tests and for all examples.
if (!existsSync(join(here, 'node_modules'))) symlinkSync('../e2e/sdk/node_modules', join(here, 'node_modules'));

const home = mkdtempSync(join(tmpdir(), 'sekisho-example-'));
const ws = join(home, 'ws');
mkdirSync(ws);
const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state'), XDG_DATA_HOME: join(home, 'data'), LANG: 'C.UTF-8' };
const token = (role) => JSON.parse(execFileSync(bin, ['token', 'create', '--name', role, '--role', role, '--json'], { env, encoding: 'utf8' })).token;
const [agent, approver] = [token('agent'), token('approver')];
const server = spawn(bin, ['serve', '--listen', '127.0.0.1:0', '--socket', 'none', '--log-format', 'json'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
const url = await new Promise((resolve, reject) => {
  let said = '';
  server.on('exit', () => reject(new Error(`the server did not start: ${said}`)));
  server.stderr.on('data', (piece) => {
    const found = /https?:\/\/127\.0\.0\.1:[0-9]+/.exec((said += piece))?.[0];
    if (found) resolve(found);
  });
});
if (!values.answer) console.log('answer here:', JSON.parse(execFileSync(bin, ['token', 'link', '--name', 'you', '--role', 'approver', '--url', url, '--json'], { env, encoding: 'utf8' })).link);

const claude = await anthropic([[{ tool: 'Write', id: 'toolu_1', input: { file_path: join(ws, 'note.txt'), content: 'hello' } }]]);
const openai = await chat([[{ tool: 'write_note', id: 'call_1', input: { text: 'hello' } }]]);
const models = { ANTHROPIC_BASE_URL: claude.address, ANTHROPIC_API_KEY: 'sk-ant-dummy', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', CLAUDE_CODE_TMPDIR: home, OPENAI_BASE_URL: `${openai.address}/v1`, OPENAI_API_KEY: 'dummy' };
const tsx = import.meta.resolve('tsx', new URL('../e2e/sdk/package.json', import.meta.url));
const program = spawn(process.execPath, ['--import', tsx, main], { cwd: ws, env: { ...env, ...models, SEKISHO_URL: url, SEKISHO_TOKEN: agent }, stdio: ['ignore', 'inherit', 'inherit'] });
const ended = new Promise((resolve) => program.on('exit', resolve));

async function call(path, init = {}) {
  const response = await fetch(url + path, { ...init, headers: { authorization: `Bearer ${approver}`, 'content-type': 'application/json' } });
  return response.json();
}
let over = false;
void ended.then(() => (over = true));
while (values.answer && !over) {
  for (const { id, digest } of (await call('/api/approvals?state=pending')).approvals) {
    await call(`/api/approvals/${id}/answer`, { method: 'POST', body: JSON.stringify({ behavior: values.answer, message: 'the example says so', digest }) });
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
}
const code = await ended;
const note = join(ws, 'note.txt');
console.log('note.txt:', existsSync(note) ? readFileSync(note, 'utf8') : 'not written');
server.removeAllListeners('exit');
server.kill();
for (const model of [claude, openai]) model.close();
rmSync(home, { recursive: true, force: true, maxRetries: 5 });
process.exit(code ?? 1);
