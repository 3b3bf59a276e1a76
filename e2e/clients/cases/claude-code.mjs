// Cases for Claude Code only: deferring a call, its own time limit, and its own ways to switch hooks off.
import { edit, write } from '../lib/place.mjs';
import { askFor, changeInstallation } from '../lib/sekisho.mjs';
import { off } from './off.mjs';

const settings = 'home/.claude/settings.json';

async function putOff(harness) {
  await harness.set('touch asked', { server: true });
  askFor(harness.place, 5);
  changeInstallation(harness.place, (installation) => (installation.unattended = 'defer'));
  const seen = await harness.launch().ended;
  const result = harness.agent.result(seen.out);
  harness.expectNotRan('asked', seen);
  if (result.terminal_reason !== 'tool_deferred') throw new Error(`the call was not put off: ${JSON.stringify(result).slice(0, 400)}`);
  return result.session_id;
}

export const claudeCode = {
  async 'nobody answers: deferred; a late approval resumes'(harness) {
    const session = await putOff(harness);
    await harness.human.answer(await harness.human.question(), { behavior: 'allow' });
    harness.expectRan('asked', await harness.play({ resume: session, careful: true }));
  },

  async 'nobody answers: deferred; a late denial blocks'(harness) {
    const session = await putOff(harness);
    await harness.human.answer(await harness.human.question(), { behavior: 'deny', message: 'too late' });
    harness.expectBlocked('asked', await harness.play({ resume: session }), /too late/);
  },

  async 'the hook hangs: the time limit of Claude Code blocks'(harness) {
    await harness.set('touch allowed');
    edit(harness.place, settings, (value) => {
      for (const group of value.hooks.PreToolUse) for (const hook of group.hooks) hook.timeout = 2;
    });
    harness.replaceHook('#!/bin/sh\nexec sleep 600\n');
    harness.expectBlocked('allowed', await harness.play(), /timed out/);
  },

  'hooks off in the user\'s settings: the doctor reports it': off(
    (place) => edit(place, settings, (value) => (value.disableAllHooks = true)),
    /disableAllHooks/,
  ),

  'hooks off in the project: the doctor reports it': off(
    (place) => write(place, 'ws/.claude/settings.local.json', { disableAllHooks: true }),
    /disableAllHooks/,
  ),

  'another tool\'s broken hook disables ours: the doctor reports it': off(
    (place) => edit(place, settings, (value) => value.hooks.PreToolUse.push({ hooks: [{ type: 'command' }] })),
    /settings\.json/,
  ),

  'a setting of the wrong type drops the file: the doctor reports it': off(
    (place) => edit(place, settings, (value) => (value.model = 7)),
    /settings\.json/,
  ),
};
