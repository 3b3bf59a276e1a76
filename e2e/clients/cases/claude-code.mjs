// Cases for Claude Code only: deferring a call, its own time limit, and its own ways to switch hooks off.
import { edit, write } from '../lib/place.mjs';
import { askFor, changeInstallation } from '../lib/sekisho.mjs';
import { off } from './off.mjs';

const settings = 'home/.claude/settings.json';

async function putOff(stage) {
  await stage.set('touch asked', { server: true });
  askFor(stage.place, 5);
  changeInstallation(stage.place, (installation) => (installation.unattended = 'defer'));
  const seen = await stage.launch().ended;
  const result = stage.agent.result(seen.out);
  stage.expectNotRan('asked', seen);
  if (result.terminal_reason !== 'tool_deferred') throw new Error(`the call was not put off: ${JSON.stringify(result).slice(0, 400)}`);
  return result.session_id;
}

export const claudeCode = {
  async 'nobody answers: put off; a late yes resumes'(stage) {
    const session = await putOff(stage);
    await stage.human.answer(await stage.human.question(), { behavior: 'allow' });
    stage.expectRan('asked', await stage.play({ resume: session, careful: true }));
  },

  async 'nobody answers: put off; a late no blocks'(stage) {
    const session = await putOff(stage);
    await stage.human.answer(await stage.human.question(), { behavior: 'deny', message: 'too late' });
    stage.expectBlocked('asked', await stage.play({ resume: session }), /too late/);
  },

  async 'the hook hangs: the time limit of Claude Code blocks'(stage) {
    await stage.set('touch allowed');
    edit(stage.place, settings, (value) => {
      for (const group of value.hooks.PreToolUse) for (const hook of group.hooks) hook.timeout = 2;
    });
    stage.replaceHook('#!/bin/sh\nexec sleep 600\n');
    stage.expectBlocked('allowed', await stage.play(), /timed out/);
  },

  'hooks off in the user\'s settings: the doctor says so': off(
    (place) => edit(place, settings, (value) => (value.disableAllHooks = true)),
    /disableAllHooks/,
  ),

  'hooks off in the project: the doctor says so': off(
    (place) => write(place, 'ws/.claude/settings.local.json', { disableAllHooks: true }),
    /disableAllHooks/,
  ),

  'another tool\'s broken hook takes ours along: the doctor says so': off(
    (place) => edit(place, settings, (value) => value.hooks.PreToolUse.push({ hooks: [{ type: 'command' }] })),
    /settings\.json/,
  ),

  'a setting of the wrong type drops the file: the doctor says so': off(
    (place) => edit(place, settings, (value) => (value.model = 7)),
    /settings\.json/,
  ),
};
