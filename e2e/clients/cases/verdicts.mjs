// Allowed calls run, denied calls do not, and calls that need confirmation wait for a human.

export const verdicts = {
  async 'the client is the pinned one, and the doctor finds nothing wrong'(harness) {
    await harness.set('touch allowed', { server: true });
    await harness.expectVersion();
    await harness.expectHealthy();
  },

  async 'allow runs, without a server'(harness) {
    await harness.set('touch allowed');
    harness.expectRan('allowed', await harness.play({ careful: true }));
  },

  async 'deny blocks, and the model gets the reason'(harness) {
    await harness.set('touch denied');
    harness.expectBlocked('denied', await harness.play(), /the note of the rule/);
  },

  async 'confirm waits; an approval runs the call'(harness) {
    await harness.set('touch asked', { server: true });
    const client = harness.launch({ careful: true });
    const question = await harness.human.question();
    harness.expectNotRan('asked');
    await harness.human.answer(question, { behavior: 'allow' });
    harness.expectRan('asked', harness.ended(await client.ended));
  },

  async 'confirm waits; a denial blocks, and the model gets the reason'(harness) {
    await harness.set('touch asked', { server: true });
    const client = harness.launch();
    const question = await harness.human.question();
    harness.expectNotRan('asked');
    await harness.human.answer(question, { behavior: 'deny', message: 'not on a Sunday' });
    harness.expectBlocked('asked', harness.ended(await client.ended), /not on a Sunday/);
  },

  async 'an edited input runs as edited'(harness) {
    await harness.set('touch asked', { server: true });
    const client = harness.launch({ careful: true });
    const question = await harness.human.question();
    await harness.human.answer(question, { behavior: 'allow', updatedInput: harness.agent.edited('touch edited') });
    const seen = harness.ended(await client.ended);
    harness.expectNotRan('asked', seen);
    harness.expectRan('edited', seen);
  },
};
