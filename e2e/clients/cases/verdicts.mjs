// Allowed calls run, denied calls do not, and calls that need confirmation wait for a human.

export const verdicts = {
  async 'the client is the pinned one, and the doctor finds nothing wrong'(stage) {
    await stage.set('touch allowed', { server: true });
    await stage.expectVersion();
    await stage.expectHealthy();
  },

  async 'allow runs, without a server'(stage) {
    await stage.set('touch allowed');
    stage.expectRan('allowed', await stage.play({ careful: true }));
  },

  async 'deny blocks, and the model gets the reason'(stage) {
    await stage.set('touch denied');
    stage.expectBlocked('denied', await stage.play(), /the note of the rule/);
  },

  async 'confirm waits; yes runs'(stage) {
    await stage.set('touch asked', { server: true });
    const client = stage.launch({ careful: true });
    const question = await stage.human.question();
    stage.expectNotRan('asked');
    await stage.human.answer(question, { behavior: 'allow' });
    stage.expectRan('asked', stage.ended(await client.ended));
  },

  async 'confirm waits; no blocks, and the model gets the reason'(stage) {
    await stage.set('touch asked', { server: true });
    const client = stage.launch();
    const question = await stage.human.question();
    stage.expectNotRan('asked');
    await stage.human.answer(question, { behavior: 'deny', message: 'not on a Sunday' });
    stage.expectBlocked('asked', stage.ended(await client.ended), /not on a Sunday/);
  },

  async 'what a human edited runs as edited'(stage) {
    await stage.set('touch asked', { server: true });
    const client = stage.launch({ careful: true });
    const question = await stage.human.question();
    await stage.human.answer(question, { behavior: 'allow', updatedInput: stage.agent.edited('touch edited') });
    const seen = stage.ended(await client.ended);
    stage.expectNotRan('asked', seen);
    stage.expectRan('edited', seen);
  },
};
