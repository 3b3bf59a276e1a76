// Runs of agents: start, watch, answer in place, abort, and read afterwards.
import { axe } from '../lib/axe.js';
import { framesText, watchFrames } from '../lib/frames.js';
import { approved } from '../lib/reading.js';
import { StreamedModel, agentWith, gate, runReaches, scriptedAgent, startRun } from '../lib/scriptedRuns.js';
import { type Send, StreamedRun } from '../lib/streamedRun.js';
import { Harness } from '../lib/harness.js';
import { type Locator, type Page, expect, test } from '../lib/test.js';

test.use({ serverOptions: { project: 'shop' } });

const TOOLS = ['shell_exec', 'file_write', 'read', 'edit'];
const story = (page: Page) => page.getByRole('region', { name: 'What happened' });
const card = (page: Page, tool: string) => story(page).getByRole('region', { name: new RegExp(`^${tool}:`) });
const status = (page: Page) => page.locator('h1').getByRole('status');

/** Presses a button until it is gone: the first presses may show what was not read yet. */
async function pressUntilGone(button: Locator): Promise<void> {
  await expect(async () => {
    if ((await button.count()) > 0) await button.click({ timeout: 1500 });
    await expect(button).toHaveCount(0, { timeout: 1500 });
  }).toPass();
}

/** Presses approve as often as reading needs. */
async function approve(page: Page, harness: Harness): Promise<void> {
  const id = (await harness.as('admin').approvals.list({ state: 'pending' } as never)).approvals[0]?.id ?? '';
  // A press during the pause before an answer counts for nothing, and on a slow machine that pause is long: only the time limit of the test ends this.
  await approved(page, harness, { id, permission: new Promise(() => undefined) }, [], Infinity);
}

test('in the inbox, a question of a run says what the run was asked to do, but only if the run asks it', async ({ page, harness }) => {
  const agent = await scriptedAgent(harness, 'writer', [{ text: 'I note the prices.', calls: [{ name: 'file_write', input: { path: 'doc/notes.md', content: '# Notes\n' } }] }, { text: 'Done.' }], TOOLS);
  const run = await startRun(harness, agent, 'Note the prices of both sources.');
  await runReaches(harness, run, 'suspended');
  const [own] = (await harness.as('admin').runs.show(run)).pending;
  const borrowed = await harness.bash('rm -rf build', { agentId: 'codex', runId: run });
  await harness.signIn(page);
  await page.goto(`${harness.address}/approvals/${own!.approvalId}`);
  const task = page.getByRole('region', { name: 'Selected question' }).getByRole('heading', { name: /^Task of this run/ });
  await expect(task).toBeVisible();
  await expect(page.locator('blockquote')).toHaveText(['Note the prices of both sources.', 'I note the prices.']);
  await expect(page.getByRole('link', { name: 'Open the run' })).toHaveAttribute('href', `/runs/${run}`);
  // A caller may name any run.
  const looked = page.waitForResponse(`**/api/runs/${run}`);
  await page.goto(`${harness.address}/approvals/${borrowed.id}`);
  await looked;
  await expect(page.getByRole('heading', { level: 2, name: /Delete build/ })).toBeVisible();
  await expect(task).toHaveCount(0);
});

test('a run is started, answered in place and read as a story', async ({ page, harness }) => {
  // Many steps, each of which waits for a server, a sandbox or a person's pause.
  test.slow();
  await scriptedAgent(harness, 'writer', [
    { text: 'I look first.', calls: [{ name: 'shell_exec', input: { command: 'printf "\\033[31mred\\033[0m\\n"; mkdir -p doc; echo x > /opt/x' } }] },
    { text: 'I write the notes.', calls: [{ name: 'file_write', input: { path: 'doc/notes.md', content: '# Notes\n' } }] },
    { text: 'One more.', calls: [{ name: 'file_write', input: { path: 'doc/more.md', content: 'more\n' } }] },
    { text: 'All done.' },
    { text: 'Still here.' },
  ], TOOLS);
  await harness.signIn(page);
  await page.getByRole('navigation').getByRole('link', { name: 'Runs' }).click();
  await expect(page.getByRole('heading', { name: 'No runs yet' })).toBeVisible();

  await page.getByRole('button', { name: 'Start a run' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(dialog.getByText('Describe the task.')).toBeVisible();
  await dialog.getByRole('checkbox', { name: 'edit' }).uncheck();
  await dialog.getByLabel('Task').fill('Take notes.');
  expect(await axe(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page).toHaveURL(/\/runs\/[0-9a-f-]{36}$/);
  await expect(story(page).getByText('Take notes.')).toBeVisible();

  // Approve a command: its card has the output in colour, the sandbox, and what the sandbox stopped.
  const question = page.getByRole('region', { name: 'This run is waiting for your answer' });
  await expect(question).toBeVisible();
  await expect(status(page)).toHaveText('Waiting for you');
  await expect(card(page, 'shell_exec')).toContainText('Waiting for you');
  expect(await axe(page)).toEqual([]);
  await approve(page, harness);
  const shell = card(page, 'shell_exec');
  await expect(shell).toContainText(/Failed, exit \d/);
  // How it ended is said once.
  await expect(shell).not.toContainText('exit code');
  await expect(shell.getByText('red', { exact: true })).toHaveClass(/c1/);
  await expect(shell).toContainText('Sandbox: ');
  await expect(shell).toContainText('Probably blocked by the sandbox, not by a rule');
  await expect(shell).toContainText('Read-only file system');

  // Edit in place: the card shows what was written, not what was asked.
  await expect(question.getByText('doc/notes.md').first()).toBeVisible();
  await expect(question.locator('.answers .allow')).toHaveAttribute('aria-disabled', 'false');
  await page.keyboard.press('e');
  const field = question.getByLabel('content').first();
  await field.fill('# Changed\n');
  await pressUntilGone(question.getByRole('button', { name: 'Approve with changes' }));
  await expect(card(page, 'file_write').first()).toContainText('Changed');

  // Decline with a reason.
  await expect(question.getByText('doc/more.md').first()).toBeVisible();
  await expect(question.locator('.answers .allow')).toHaveAttribute('aria-disabled', 'false');
  await page.keyboard.press('d');
  await question.getByRole('textbox').first().fill('Enough for today');
  await pressUntilGone(question.locator('.bar button[type=submit]'));
  await expect(card(page, 'file_write').last()).toContainText('Enough for today');
  await expect(story(page).locator('.finish')).toHaveText('Done');
  await expect(status(page)).toHaveText('Done');
  // The model ended well, a call did not; a call that a person denied did not fail.
  await expect(page.getByRole('heading', { level: 1 })).toContainText('1 call failed');

  // A further message continues it.
  await page.getByLabel('Message to the agent').fill('And now?');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(story(page).getByText('Still here.')).toBeVisible();
  await expect(story(page).getByText('And now?')).toBeVisible();

  // Links into the record.
  await shell.getByRole('button', { name: /shell_exec/ }).scrollIntoViewIfNeeded();
  await shell.getByRole('link', { name: 'See the decision in the audit log' }).click();
  await expect(page).toHaveURL(/\/audit\?approval=/);
  await page.goBack();
  await page.getByRole('link', { name: 'Audit log', exact: true }).click();
  await expect(page.getByRole('link', { name: /run .* started/ })).toBeVisible();
});

test('runs are found by text, agent, state and time, and are updated while they are listed', async ({ page, harness }) => {
  await harness.signIn(page);
  await page.goto(`${harness.address}/runs`);
  // There is nothing to search yet.
  await expect(page.getByRole('heading', { name: 'No runs yet' })).toBeVisible();
  await expect(page.getByRole('search')).toBeHidden();
  const fast = await scriptedAgent(harness, 'fast', [{ text: 'Done.' }], []);
  const slow = await scriptedAgent(harness, 'slow', [{ text: 'Writing.', calls: [{ name: 'file_write', input: { path: 'doc/a', content: 'a' } }] }, { text: 'Done.' }], TOOLS);
  await runReaches(harness, await startRun(harness, fast, 'Count the\n files.'), 'completed');
  const waiting = await startRun(harness, slow, 'Write it down.');
  await runReaches(harness, waiting, 'suspended');
  const rows = page.getByRole('list', { name: 'Runs' }).getByRole('listitem');
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText('Waiting for you');
  await expect(rows.first()).toContainText('file_write doc/a');
  await expect(rows.last()).toContainText('Done');
  // Runs of the same agent are told apart by what they were asked to do.
  await expect(rows.first().locator('.task')).toHaveText('Write it down.');
  await expect(rows.last().locator('.task')).toHaveText('Count the files.');
  await expect(rows.last()).toContainText('fast');
  await expect(rows.last().getByRole('link', { name: /^Answer/ })).toHaveCount(0);
  // The button opens the run at its question, without the focus on an answer.
  await rows.first().getByRole('link', { name: 'Answer: slow' }).click();
  await expect(page.locator('#run-question')).toBeFocused();
  await expect(page.locator('#run-question')).toBeInViewport();
  expect(await axe(page)).toEqual([]);
  await page.getByRole('link', { name: 'All runs' }).click();
  await expect(rows).toHaveCount(2);
  await page.getByLabel('State').selectOption('completed');
  await expect(rows).toHaveCount(1);
  await expect(page).toHaveURL(/state=completed/);
  await page.getByLabel('State').selectOption('');
  await page.getByLabel('Agent').selectOption({ label: 'slow' });
  await expect(rows).toHaveCount(1);
  await page.getByLabel('Started').selectOption('1h');
  await page.getByRole('searchbox').fill('nothing like it');
  await expect(page.getByRole('heading', { name: 'No runs match' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(rows).toHaveCount(2);
  // The search looks through the tasks, also in a list whose rows were never shown.
  await page.getByRole('searchbox').fill('count files');
  await expect(rows).toHaveCount(1);
  await expect(rows.locator('.task')).toHaveText('Count the files.');
  await page.reload();
  await expect(rows.locator('.task')).toHaveText(['Count the files.']);
  await page.getByRole('searchbox').fill('');
  await expect(rows).toHaveCount(2);

  // Somebody else aborts it.
  await harness.as('admin').runs.abort(waiting, {});
  await expect(rows.first()).toContainText('Stopped');
  await runReaches(harness, await startRun(harness, fast), 'completed');
  await expect(rows).toHaveCount(3);

  // A viewer reads, and can neither start nor answer.
  const { page: viewer, context } = await harness.open(page.context().browser()!, '/runs', { role: 'viewer', name: 'eyes' });
  await expect(viewer.getByRole('list', { name: 'Runs' })).toBeVisible();
  await expect(viewer.getByRole('button', { name: 'Start a run' })).toHaveCount(0);
  await expect(viewer.getByRole('link', { name: /^Answer/ })).toHaveCount(0);
  await context.close();
});

test('a stream is joined in the middle, in two browsers, after a reload and after a restart', async ({ browser, watch }) => {
  const [second, third] = [gate(), gate()];
  const write = (path: string) => [{ name: 'file_write', input: { path, content: 'a\n' } }];
  const model = await StreamedModel.start(async (reply, nth) => {
    if (nth === 0) reply.end(write('doc/a.md'));
    else if (nth === 1) {
      await reply.say('The first half. ');
      await second.opened;
      await reply.say('The second half.');
      reply.end(write('doc/b.md'));
    } else if (nth === 2) {
      await reply.say('After the restart. ');
      await third.opened;
      await reply.say('The end.');
      reply.end();
    } else reply.end();
  });
  const harness = await Harness.start({ project: 'shop', env: model.env });
  try {
    // The server stops on purpose.
    watch.expects(/ERR_|Failed to (load|fetch)|request: /);
    const agent = await agentWith(harness, { name: 'streamer', provider: 'openai', model: 'm' }, TOOLS);
    const run = await startRun(harness, agent, 'Stream.');
    const one = await harness.open(browser, `/runs/${run}`);
    const two = await harness.open(browser, `/runs/${run}`, { name: 'phone', viewport: { width: 360, height: 740 }, hasTouch: true });
    for (const { page } of [one, two]) await expect(page.locator('#run-question')).toBeVisible();
    // On a phone the facts come after the question, beside it they come first.
    const below = (page: Page): Promise<boolean> => page.evaluate(() => document.querySelector('#run-question')!.getBoundingClientRect().bottom <= document.querySelector('dl')!.getBoundingClientRect().top);
    await expect(two.page.locator('dl[aria-label="About this run"]')).toHaveCount(1);
    expect(await below(two.page)).toBe(true);
    expect(await below(one.page)).toBe(false);
    await approve(one.page, harness);
    for (const { page } of [one, two]) await expect(story(page)).toContainText('The first half.');
    await expect(one.page.getByText('The model is writing…')).toBeVisible();
    // On a phone, the run can be stopped from the end of a long story too.
    await expect(two.page.getByText('The model is writing…')).toBeVisible();
    await two.page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await expect(two.page.getByRole('button', { name: 'Stop run' })).toBeInViewport({ ratio: 1 });
    expect(await two.page.evaluate(() => scrollY)).toBeGreaterThan(0);
    // A page that comes in the middle of a reply gets that reply when it has ended.
    await one.page.reload();
    await expect(story(one.page)).toContainText('Stream.');
    second.open();
    for (const { page } of [one, two]) await expect(story(page)).toContainText('The first half. The second half.');

    // The server restarts while the run waits for an answer; the page comes back by itself.
    const question = one.page.locator('#run-question');
    await expect(question).toBeVisible();
    await harness.server.down('SIGKILL');
    await expect(one.page.getByText('Connection lost')).toBeVisible();
    await harness.server.up();
    await expect(one.page.getByText('Connection lost')).toBeHidden();
    await approve(one.page, harness);
    for (const { page } of [one, two]) {
      await expect(card(page, 'file_write').last()).toContainText('Done');
      await expect(story(page)).toContainText('After the restart.');
    }
    third.open();
    for (const { page } of [one, two]) {
      await expect(story(page)).toContainText('After the restart. The end.');
      await expect(status(page)).toHaveText('Done');
      // Nothing twice.
      await expect(story(page).getByText('The first half.')).toHaveCount(1);
      await expect(card(page, 'file_write')).toHaveCount(2);
    }
    await one.context.close();
    await two.context.close();
  } finally {
    for (const { open } of [second, third]) open();
    await harness.end();
    model.end();
  }
});

test('a run is started, watched, answered and aborted with the keyboard alone, and its sub-agents are shown', async ({ page, harness }) => {
  await scriptedAgent(harness, 'review', [{ text: 'I write my review.', calls: [{ name: 'file_write', input: { path: 'doc/review.md', content: 'Fine.\n' } }] }, { text: 'Reviewed.' }], TOOLS);
  const lead = await scriptedAgent(harness, 'lead', [
    { text: 'I ask for a review.', calls: [{ name: 'create_sub_agent', input: { name: 'review', system_prompt: 'Review.', enabled_tools: ['file_write'], model: 'review' } }] },
    { calls: [{ name: 'execute_sub_agent', input: { agent_id: '{{call_1_1.agent_id}}', input: 'Review the notes.' } }] },
    { calls: [{ name: 'get_sub_agent_result', input: { execution_id: '{{call_2_1.execution_id}}' } }] },
    { text: 'Now I write.', calls: [{ name: 'file_write', input: { path: 'doc/end.md', content: 'end\n' } }] },
    { text: 'The end.' },
  ], TOOLS, { mode: 'auto' });
  await harness.signIn(page);
  await page.goto(`${harness.address}/runs?start=1&agent=${lead}`);
  await page.getByRole('dialog').getByLabel('Task').focus();
  await page.keyboard.type('Review it.');
  const go = page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true });
  for (let turn = 0; turn < 20 && !(await go.evaluate((button) => button === document.activeElement)); turn += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const tree = page.getByRole('navigation', { name: 'Sub-agents' });
  await expect(tree.getByRole('link', { name: /review/ })).toBeVisible();
  await expect(page.getByText('Asked by sub-agent')).toContainText('review');
  await approve(page, harness);
  await expect(tree).toContainText('Done');
  await expect(page.locator('#run-question').getByText('doc/end.md').first()).toBeVisible();
  // Keys that are typed into a field answer nothing.
  await page.getByLabel('Message to the agent').focus();
  await page.keyboard.type('aaaa');
  await expect(status(page)).toHaveText('Waiting for you');
  await page.locator('header .acts').getByRole('button', { name: 'Stop run' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByLabel('Reason').focus();
  await page.keyboard.type('wrong task');
  await page.keyboard.press('Enter');
  await expect(status(page)).toHaveText('Stopped');
  await expect(story(page)).toContainText('Stopped by a person');
  await expect(page.locator('#run-question')).toHaveCount(0);
  await tree.getByRole('link', { name: /review/ }).focus();
  await page.keyboard.press('Enter');
  await expect(story(page)).toContainText('Reviewed.');
  await page.getByRole('link', { name: 'the run that started it' }).click();
  await expect(story(page)).toContainText('Now I write.');
});

for (const { locale, colorScheme } of [{ locale: 'en-GB', colorScheme: 'dark' }, { locale: 'ja-JP', colorScheme: 'light' }] as const) {
  test(`hostile output is shown and never run, on a phone, ${colorScheme}, ${locale}`, async ({ browser, harness }) => {
    const evil = '<img src=x onerror="document.title=\'gotcha\'"><script>document.title="gotcha"</script> \u202Etxt.exe\u202C \u001b]0;gotcha\u0007\u001b[31mred\u001b[0m [link](javascript:alert(1)) http://evil.test/x.png';
    const agent = await scriptedAgent(harness, 'evil', [
      { text: evil, calls: [{ name: 'shell_exec', input: { command: `printf '%s' '<b>bold</b>' '\u202Eevil'; printf '\\033[2J\\033[8mhidden\\033[0m\\rover\\n'` } }] },
      { text: `line ${'x'.repeat(1_000_000)} end-of-line` },
    ], TOOLS);
    const run = await startRun(harness, agent, evil);
    await runReaches(harness, run, 'suspended');
    const [call] = (await harness.as('admin').runs.show(run)).pending;
    const { page, context } = await harness.open(browser, `/runs/${run}`, { viewport: { width: 360, height: 740 }, hasTouch: true, locale, colorScheme });
    const shown = page.locator('#story');
    await expect(shown).toContainText('<script>document.title="gotcha"</script>');
    await expect(shown).toContainText('\\u{202e}txt.exe');
    await harness.as('admin').runs.approve(run, { toolCallId: call?.toolCallId ?? '' });
    await runReaches(harness, run, 'completed');
    await expect(shown).toContainText('end-of-line');
    await expect(shown).toContainText('<b>bold</b>');
    await expect(shown.getByText('hidden', { exact: false }).first()).toBeVisible();
    expect(await shown.locator('img, script, b, iframe, a[href^="javascript"], a[href*="evil"]').count()).toBe(0);
    expect(await page.title()).not.toContain('gotcha');
    // The line of a million characters is folded, and nothing is wider than the phone.
    expect(await shown.evaluate((element) => element.textContent.length)).toBeLessThan(40_000);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    expect(await axe(page)).toEqual([]);
    await page.goto(`${harness.address}/runs`);
    await page.getByRole('listitem').first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    expect(await axe(page)).toEqual([]);
    await context.close();
  });
}

test('a story stays smooth with 2000 events, large outputs and 5 MB of text @figures', async ({ browser, watch }) => {
  // It has a server and a proxy of its own.
  watch.expects(/request: /);
  const hold = gate();
  const model = await StreamedModel.start(async (reply) => {
    await hold.opened;
    reply.end();
  });
  const harness = await Harness.start({ project: 'shop', env: model.env });
  const stream = await StreamedRun.start(() => harness.address);
  try {
    const agent = await agentWith(harness, { name: 'many', provider: 'openai', model: 'm' }, ['read']);
    const run = await startRun(harness, agent, 'Much.');
    const { page, context } = await harness.open(browser, '/');
    await page.goto(harness.link('laptop').replace(harness.address, stream.address));
    await page.getByRole('navigation').waitFor();
    /** Shows a run whose events a test sends, and reports the frames until its end is on the page. */
    const show = async (name: string, entries: number, feed: (send: Send) => Promise<void>): Promise<void> => {
      const go = gate();
      stream.feed = async (send) => {
        await send('user-message', { text: 'Much.' });
        await go.opened;
        await feed(send);
        await send('text-end', { text: 'The very end.' });
      };
      await page.goto(`${stream.address}/runs/${run}`);
      await expect(page.locator('#story')).toContainText('Much.');
      const stop = await watchFrames(page);
      go.open();
      // What the test itself reads is small, so that it does not count as work of the page.
      const ended = ([entries, text]: [number, string]): boolean => {
        const story = document.getElementById('story');
        return story !== null && story.childElementCount >= entries && story.lastElementChild?.textContent.includes(text) === true;
      };
      await expect(async () => expect(await page.evaluate(ended, [entries, 'The very end.'] as [number, string])).toBe(true)).toPass({ intervals: [250], timeout: 200_000 });
      console.log(`${name}: ${framesText(await stop())}`);
    };
    /** The last calls are there, in their order, and nothing twice. */
    const lastCalls = async (count: number): Promise<void> => {
      const cards = page.locator('#story section.card');
      expect(await cards.count()).toBeLessThanOrEqual(120);
      const parts = await cards.locator('.summary').allTextContents();
      expect(parts).toEqual(parts.map((_, at) => `part-${count - parts.length + at}`));
    };
    const pause = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 10));

    await show('nothing happens', 2, async () => {
      for (let turn = 0; turn < 200; turn += 1) await pause();
    });
    await show('1000 calls in a row, 2000 events', 120, async (send) => {
      for (let at = 0; at < 1000; at += 10) {
        for (let of = at; of < at + 10; of += 1) await send('tool-call', { toolCallId: `c${of}`, toolName: 'read', args: { path: `part-${of}` } });
        await pause();
        for (let of = at; of < at + 10; of += 1) await send('tool-result', { toolCallId: `c${of}`, toolName: 'read', result: '{"content":"x"}' });
      }
    });
    await lastCalls(1000);
    await show('1000 calls at once, 2000 events', 120, async (send) => {
      for (let at = 0; at < 1000; at += 1) await send('tool-call', { toolCallId: `c${at}`, toolName: 'read', args: { path: `part-${at}` } });
      for (let at = 0; at < 1000; at += 1) await send('tool-result', { toolCallId: `c${at}`, toolName: 'read', result: '{"content":"x"}' });
    });
    await lastCalls(1000);
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(6000);
    const stdout = Array.from({ length: 500 }, (_, at) => `\u001b[3${at % 8}mline ${at}\u001b[0m some words of output here, some more`).join('\n');
    const result = JSON.stringify({ command: 'make', exit_code: 0, stdout, stderr: '', duration_ms: 12, sandbox: 'landlock+seccomp' });
    await show('200 outputs of 25 kB', 120, async (send) => {
      for (let at = 0; at < 200; at += 1) {
        await send('tool-call', { toolCallId: `s${at}`, toolName: 'shell_exec', args: { command: `part-${at}` } });
        await pause();
        await send('tool-result', { toolCallId: `s${at}`, toolName: 'shell_exec', result });
      }
    });
    await lastCalls(200);
    // Cards that are not in view are not laid out, but their text is part of the page.
    const cards = page.locator('#story section.card');
    const laidOut = (card: Locator): Promise<boolean> => card.locator('.fold').evaluate((element) => element.checkVisibility({ contentVisibilityAuto: true }));
    await expect.poll(() => laidOut(cards.first())).toBe(false);
    expect(await laidOut(cards.last())).toBe(true);
    await cards.first().scrollIntoViewIfNeeded();
    await expect.poll(() => laidOut(cards.first())).toBe(true);
    const line = `${'The quick brown fox jumps over the lazy dog. '.repeat(10)}\n`;
    await show('5 MB of text', 4, async (send) => {
      for (let half = 0; half < 2; half += 1) {
        await send('text-start', {});
        const piece = line.repeat(4);
        const pieces = Math.ceil(2_500_000 / piece.length);
        for (let sent = 0; sent < pieces; sent += 1) {
          await send('text-delta', { text: piece });
          if (sent % 8 === 0) await pause();
        }
        await send('text-end', { text: piece.repeat(pieces) });
      }
    });
    // Much of it is folded, and earlier entries are shown when somebody asks for them.
    expect(await page.locator('#story').evaluate((element) => element.textContent.length)).toBeLessThan(60_000);
    await show('1000 calls at once, again', 120, async (send) => {
      for (let at = 0; at < 1000; at += 1) await send('tool-call', { toolCallId: `c${at}`, toolName: 'read', args: { path: `part-${at}` } });
    });
    await page.getByRole('button', { name: /earlier entries/ }).click();
    await expect(page.locator('#story > :not(button)')).toHaveCount(240);
    await context.close();
  } finally {
    hold.open();
    stream.end();
    await harness.end();
    model.end();
  }
});
