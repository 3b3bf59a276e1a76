// Our own side of a case: the policy, the installed hook, the server and the approver.
import fs from 'node:fs';
import path from 'node:path';
import { edit, run, start, until, write } from './place.mjs';

/// Verdicts on the cases' commands; anything else needs confirmation.
const policy = {
  version: 1,
  permissions: {
    allow: [{ tool: 'bash', command: 'touch allowed' }],
    deny: [{ tool: 'bash', command: 'touch denied', note: 'the note of the rule' }],
  },
};

const config = 'home/.config/sekisho/config.json';
const hooks = 'home/.local/state/sekisho/hooks';

export function writePolicy(place) {
  write(place, config, policy);
}

/// Sets the timeout of `touch asked`. It is much shorter than the agent's own limit, so that a slow machine
/// does not use up the difference.
export function askFor(place, seconds) {
  edit(place, config, (value) => (value.permissions.confirm = [{ tool: 'bash', command: 'touch asked', timeout_s: seconds }]));
}

/// Runs our command line; its failure fails the case.
export async function sekisho(place, ...args) {
  const ended = await run(place, path.join(place.bin, 'sekisho'), args);
  if (ended.code !== 0) throw new Error(`sekisho ${args.join(' ')} ended with ${ended.code}: ${ended.err || ended.out}`);
  return ended.out;
}

/// Installs the hook for an agent, for all projects.
export async function install(place, agent) {
  await sekisho(place, 'install', agent, '--global', '--yes');
}

/// The doctor's output and exit code.
export async function doctor(place) {
  const { code, out, err } = await run(place, path.join(place.bin, 'sekisho'), ['doctor']);
  return { code, text: out + err };
}

/// The files that describe installed hooks.
function installations(place) {
  const names = fs.readdirSync(path.join(place.root, hooks)).filter((name) => name.endsWith('.json'));
  if (names.length === 0) throw new Error('no installation file was written');
  return names.map((name) => path.join(hooks, name));
}

/// Changes an installation file.
export function changeInstallation(place, change) {
  for (const name of installations(place)) edit(place, name, change);
}

/// Removes the installation files.
export function loseInstallation(place) {
  for (const name of installations(place)) fs.rmSync(path.join(place.root, name));
}

/// Starts the server; returns an approver who can answer.
export async function serve(place) {
  const made = JSON.parse(await sekisho(place, 'token', 'create', '--name', 'human', '--role', 'approver', '--json'));
  const server = start(place, path.join(place.bin, 'sekisho'), ['serve', '--log-format', 'json'], { seconds: 1200 });
  const address = await until('the server', () => {
    if (server.child.exitCode !== null) throw new Error(`the server did not start: ${server.said.err}`);
    return /http:\/\/127\.0\.0\.1:\d+/.exec(server.said.err)?.[0];
  });
  return new Human(address, made.token, server);
}

class Human {
  constructor(address, token, server) {
    Object.assign(this, { address, token, server });
  }

  async call(method, path_, body) {
    const response = await fetch(this.address + path_, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path_}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  /// The pending approval, as soon as there is one.
  question(seconds) {
    return until('a question', async () => (await this.call('GET', '/api/approvals?state=pending&limit=10')).approvals[0], seconds);
  }

  answer(question, body) {
    return this.call('POST', `/api/approvals/${question.id}/answer`, { digest: question.digest, ...body });
  }
}
