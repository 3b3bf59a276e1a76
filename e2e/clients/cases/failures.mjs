// Every failure on our side is a block, although each of these agents would let the call run by default.
import { kill, write } from '../lib/place.mjs';
import { askFor, changeInstallation, loseInstallation } from '../lib/sekisho.mjs';

/// A short wait for an answer that never comes.
const short = (place) => {
  askFor(place, 5);
  changeInstallation(place, (installation) => (installation.unattended = 'deny'));
};

export const failures = {
  async 'no server: a question is blocked'(harness) {
    await harness.set('touch asked');
    harness.expectBlocked('asked', await harness.play(), /no sekisho server/);
  },

  async 'the server dies during a question: blocked'(harness) {
    await harness.set('touch asked', { server: true });
    short(harness.place);
    const client = harness.launch();
    await harness.human.question();
    kill(harness.human.server.child);
    harness.expectBlocked('asked', harness.ended(await client.ended), /needs a human's approval/);
  },

  async 'nobody answers in time: blocked'(harness) {
    await harness.set('touch asked', { server: true });
    short(harness.place);
    harness.expectBlocked('asked', await harness.play(), /nobody answered/);
  },

  async 'the hook is missing: blocked, and the doctor reports it'(harness) {
    await harness.set('touch allowed');
    harness.removeHook();
    harness.expectBlocked('allowed', await harness.play(), /sekisho/);
    await harness.expectDoctor(/sekisho-hook/);
  },

  async 'the hook is killed: blocked'(harness) {
    await harness.set('touch allowed');
    harness.replaceHook('#!/bin/sh\nkill -9 $$\n');
    harness.expectBlocked('allowed', await harness.play(), /sekisho/);
  },

  async 'a panic in our code: blocked'(harness) {
    await harness.set('touch allowed');
    harness.expectBlocked('allowed', await harness.play({ env: { SEKISHO_HOOK_TEST_PANIC: '1' } }), /as the test wanted/);
  },

  async 'a config that does not load: blocked, and the doctor reports it'(harness) {
    await harness.set('touch allowed');
    write(harness.place, 'home/.config/sekisho/config.json', '{ "version": 1, "permissions": ');
    harness.expectBlocked('allowed', await harness.play(), /does not load/);
    await harness.expectDoctor(/config\.json/);
  },

  async 'the installation is lost: blocked, and the doctor reports it'(harness) {
    await harness.set('touch allowed');
    loseInstallation(harness.place);
    harness.expectBlocked('allowed', await harness.play(), /installation file is missing/);
    await harness.expectDoctor(/installation file is gone/);
  },
};
