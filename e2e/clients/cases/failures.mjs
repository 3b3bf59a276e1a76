// Every failure on our side is a block, although each of these agents would let the call run by default.
import { kill, write } from '../lib/place.mjs';
import { askFor, changeInstallation, loseInstallation } from '../lib/sekisho.mjs';

/// A short wait for an answer that never comes.
const short = (place) => {
  askFor(place, 5);
  changeInstallation(place, (installation) => (installation.unattended = 'deny'));
};

export const failures = {
  async 'no server: a question is a block'(stage) {
    await stage.set('touch asked');
    stage.expectBlocked('asked', await stage.play(), /no sekisho server/);
  },

  async 'the server dies while it is asked: a block'(stage) {
    await stage.set('touch asked', { server: true });
    short(stage.place);
    const client = stage.launch();
    await stage.human.question();
    kill(stage.human.server.child);
    stage.expectBlocked('asked', stage.ended(await client.ended), /needs a human's approval/);
  },

  async 'nobody answers in time: a block'(stage) {
    await stage.set('touch asked', { server: true });
    short(stage.place);
    stage.expectBlocked('asked', await stage.play(), /nobody answered/);
  },

  async 'the hook is missing: a block, and the doctor says so'(stage) {
    await stage.set('touch allowed');
    stage.removeHook();
    stage.expectBlocked('allowed', await stage.play(), /sekisho/);
    await stage.expectDoctor(/sekisho-hook/);
  },

  async 'the hook is killed: a block'(stage) {
    await stage.set('touch allowed');
    stage.replaceHook('#!/bin/sh\nkill -9 $$\n');
    stage.expectBlocked('allowed', await stage.play(), /sekisho/);
  },

  async 'a panic in our code: a block'(stage) {
    await stage.set('touch allowed');
    stage.expectBlocked('allowed', await stage.play({ env: { SEKISHO_HOOK_TEST_PANIC: '1' } }), /as the test wanted/);
  },

  async 'a config that does not load: a block, and the doctor says so'(stage) {
    await stage.set('touch allowed');
    write(stage.place, 'home/.config/sekisho/config.json', '{ "version": 1, "permissions": ');
    stage.expectBlocked('allowed', await stage.play(), /does not load/);
    await stage.expectDoctor(/config\.json/);
  },

  async 'the installation is lost: a block, and the doctor says so'(stage) {
    await stage.set('touch allowed');
    loseInstallation(stage.place);
    stage.expectBlocked('allowed', await stage.play(), /installation file is missing/);
    await stage.expectDoctor(/installation file is gone/);
  },
};
