// Cases for Codex only: trust in a hook, its own ways to switch hooks off, and the app server.
import fs from 'node:fs';
import path from 'node:path';
import { write } from '../lib/place.mjs';
import { converse } from '../lib/app-server.mjs';
import { off } from './off.mjs';

const config = 'home/.codex/config.toml';

function change(place, from, to) {
  const file = path.join(place.root, config);
  const text = fs.readFileSync(file, 'utf8');
  if (!from.test(text)) throw new Error(`${config} has no ${from}: ${text}`);
  fs.writeFileSync(file, text.replace(from, to));
}

/// Input to a running program fires no hook, so the program must not start unseen.
const typed = (command) => [
  [{ tool: 'exec_command', id: 'call_shell', input: { cmd: command, tty: true, yield_time_ms: 300 } }],
  [{ tool: 'write_stdin', id: 'call_typed', input: { session_id: '$session', chars: 'touch typed\n' } }],
];

export const codex = {
  async 'an interactive shell is not allowed automatically'(harness) {
    await harness.set('', { script: typed('bash') });
    harness.expectBlocked('typed', await harness.play(), /needs a human's approval/);
  },

  'hooks off in the user\'s config: the doctor reports it': off(
    (place) => change(place, /\[features\]/, '[features]\nhooks = false'),
    /features/,
  ),

  'hooks off in the project: the doctor reports it': off(
    (place) => write(place, 'ws/.codex/config.toml', 'features.hooks = false\n'),
    /features/,
  ),

  'the hook is not trusted any more: the doctor reports it': off(
    (place) => change(place, /trusted_hash = "sha256:[0-9a-f]{4}/g, 'trusted_hash = "sha256:0000'),
    /trust/,
  ),

  async 'app server: allow runs'(harness) {
    await harness.set('touch allowed');
    const seen = await converse(harness);
    harness.expectRan('allowed', seen);
  },

  async 'app server: deny blocks, and the model gets the reason'(harness) {
    await harness.set('touch denied');
    harness.expectBlocked('denied', await converse(harness), /the note of the rule/);
  },

  async 'app server: confirm waits; an approval runs the call'(harness) {
    await harness.set('touch asked', { server: true });
    const talk = converse(harness);
    const question = await harness.human.question();
    harness.expectNotRan('asked');
    await harness.human.answer(question, { behavior: 'allow' });
    harness.expectRan('asked', await talk);
  },
};
