// Every way to answer an approval, and every way not to by accident.
import { axe } from '../lib/axe.js';
import { byFrames, stopClock, withClock } from '../lib/clock.js';
import type { Locator } from '@playwright/test';
import { type Page, type Harness, expect, test } from '../lib/test.js';

const CLAUDE = { agentId: 'claude-code', conversationId: 'c0ffee' };
const DANGEROUS = 'rm -rf build';

const focus = (page: Page) => page.getByRole('region', { name: 'Selected question' });
const rows = (page: Page) => page.getByRole('list', { name: 'Open questions' }).getByRole('listitem');
const approve = (page: Page) => focus(page).getByRole('button', { name: /^(Approve|Read on)/ });
const deny = (page: Page) => focus(page).getByRole('button', { name: /^Deny/ }).first();
/** Waits until the half second is over. */
const ready = (page: Page) => expect(focus(page).getByRole('button', { name: /^(Approve|Deny)/ }).first()).toHaveAttribute('aria-disabled', 'false');

async function pending(harness: Harness): Promise<number> {
  return (await harness.as('admin').approvals.list({ state: 'pending' })).approvals.length;
}

test('approve: the caller gets the permission, and the next question gets the focus', async ({ page, harness }) => {
  const first = await harness.bash('git push origin one', CLAUDE);
  const second = await harness.bash('git push origin two', CLAUDE);
  await harness.signIn(page);
  await expect(rows(page)).toHaveCount(2);
  await expect(focus(page)).toContainText('git push origin one');
  await expect(page).toHaveURL(`${harness.address}/`);
  await approve(page).click();
  expect(await first.permission).toMatchObject({ behavior: 'allow' });
  await expect(focus(page)).toContainText('git push origin two');
  await expect(rows(page)).toHaveCount(1);
  await expect(page.getByRole('region', { name: 'Recently answered' })).toContainText('Approved');
  await expect(page.getByRole('region', { name: 'Recently answered' })).toContainText('by you');
  await approve(page).click();
  expect(await second.permission).toMatchObject({ behavior: 'allow' });
  await expect(page.getByText('No open questions')).toBeVisible();
});

test('deny: with one tap, with a reason, without a reason', async ({ page, harness }) => {
  const asked = [];
  for (const name of ['one', 'two', 'three']) asked.push(await harness.bash(`git push origin ${name}`, CLAUDE));
  await harness.signIn(page);
  await deny(page).click();
  await page.getByRole('button', { name: 'Too risky' }).click();
  expect(await asked[0]!.permission).toMatchObject({ behavior: 'deny', message: 'Too risky' });
  await expect(focus(page)).toContainText('origin two');
  await deny(page).click();
  const reason = page.getByRole('textbox', { name: /Your own reason/ });
  await expect(reason).toBeFocused();
  await expect(page.getByText('Permission denied: User denied tool execution')).toBeVisible();
  await reason.fill('Use the release script');
  await expect(page.getByText('Permission denied: Use the release script')).toBeVisible();
  await reason.press('Enter');
  expect(await asked[1]!.permission).toMatchObject({ behavior: 'deny', message: 'Use the release script' });
  await expect(focus(page)).toContainText('origin three');
  await deny(page).click();
  await focus(page).getByRole('button', { name: 'Deny', exact: true }).click();
  expect(await asked[2]!.permission).toMatchObject({ behavior: 'deny', message: 'User denied tool execution' });
});

test('deny: a number chooses a reason, Enter sends it, and own words may contain numbers', async ({ page, harness }) => {
  const asked = [];
  for (const name of ['one', 'two']) asked.push(await harness.bash(`git push origin ${name}`, CLAUDE));
  await harness.signIn(page);
  await ready(page);
  await page.keyboard.press('d');
  const reason = page.getByRole('textbox', { name: /Your own reason/ });
  await expect(reason).toBeFocused();
  await expect(page.getByRole('button', { name: 'Wrong directory' }).locator('kbd')).toHaveText('3');
  await page.keyboard.press('2');
  await expect(reason).toHaveValue('Too risky');
  await page.keyboard.press('3');
  await expect(reason).toHaveValue('Wrong directory');
  expect(await pending(harness)).toBe(2);
  await page.keyboard.press('Enter');
  expect(await asked[0]!.permission).toMatchObject({ behavior: 'deny', message: 'Wrong directory' });
  await expect(focus(page)).toContainText('origin two');
  await ready(page);
  await page.keyboard.press('d');
  await expect(reason).toBeFocused();
  await page.keyboard.type('use port 5');
  await expect(reason).toHaveValue('use port 5');
  await page.keyboard.press('Enter');
  expect(await asked[1]!.permission).toMatchObject({ behavior: 'deny', message: 'use port 5' });
});

test('the key e focuses the field, and the next keys edit it', async ({ page, harness }) => {
  const asked = await harness.bash('git push origin one', CLAUDE);
  await harness.bash('git push origin two', CLAUDE);
  await harness.signIn(page);
  await ready(page);
  await page.keyboard.press('e');
  const field = focus(page).getByRole('textbox', { name: 'Command' });
  await expect(field).toBeFocused();
  // Each of these letters would do something outside of a field.
  await page.keyboard.type(' --dry-run jkxad');
  await expect(field).toHaveValue('git push origin one --dry-run jkxad');
  await expect(page).toHaveURL(`${harness.address}/approvals/${asked.id}`);
  expect(await pending(harness)).toBe(2);
});

/** Whether two things on the screen have a point in common. */
async function meet(one: Locator, other: Locator): Promise<boolean> {
  const [a, b] = [(await one.boundingBox())!, (await other.boundingBox())!];
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

for (const [name, viewport] of Object.entries({ desk: { width: 1280, height: 800 }, tablet: { width: 800, height: 700 }, phone: { width: 390, height: 844 } })) {
  test(`nothing covers the next question after an answer: ${name}`, async ({ page, harness }) => {
    await page.setViewportSize(viewport);
    for (const name of ['one', 'two', 'three']) await harness.bash(`git push origin ${name}`, CLAUDE);
    await harness.signIn(page);
    if (viewport.width < 900) await rows(page).first().getByRole('link').click();
    await ready(page);
    await approve(page).click();
    await expect(focus(page)).toContainText('origin two');
    const note = page.getByRole('region', { name: 'Just answered' });
    await expect(note).toContainText('Approved:');
    await expect(page.getByRole('region', { name: 'Messages' }).locator('.callout')).toHaveCount(0);
    const read = [focus(page).getByRole('heading', { level: 2 }), focus(page).getByText('git push origin two').first(), approve(page), deny(page)];
    for (const what of read) expect(await meet(note, what)).toBe(false);
    // It is about the answer before this question, and does not follow to others where there is little room.
    await ready(page);
    await page.keyboard.press('j');
    await expect(focus(page)).toContainText('origin three');
    await expect(note).toHaveCount(viewport.width < 900 ? 0 : 1);
  });
}

test('edit: the edited input runs', async ({ page, harness }) => {
  const asked = await harness.bash('git push origin main', CLAUDE);
  await harness.signIn(page);
  await ready(page);
  await page.keyboard.press('e');
  const field = focus(page).getByRole('textbox').first();
  await field.fill('git push --dry-run origin main');
  await focus(page).getByRole('button', { name: /approve with changes/i }).click();
  expect(await asked.permission).toMatchObject({ behavior: 'allow', updatedInput: { command: 'git push --dry-run origin main' } });
});

test('remember: the rule is stored, and the same call is not asked about again', async ({ page, harness }) => {
  const asked = await harness.bash('git push origin main', CLAUDE);
  await harness.signIn(page);
  await focus(page).getByRole('button', { name: /^Remember/ }).click();
  await expect(page.getByRole('heading', { name: 'Answer and don’t ask again' })).toBeVisible();
  await expect(page.getByRole('radio', { name: /^Only this conversation/ })).toBeChecked();
  await page.getByRole('button', { name: 'Approve and remember' }).click();
  expect(await asked.permission).toMatchObject({ behavior: 'allow' });
  await expect(page.getByRole('region', { name: 'Just answered' })).toContainText('Remembered for this conversation');
  const call = { toolName: 'Bash', input: { command: 'git push origin main' }, toolUseId: 'again', ...CLAUDE };
  const again = await harness.as('agent').canUseTool(call, { wait: false });
  expect(again).toMatchObject({ behavior: 'allow' });
});

test('remember: an approver cannot widen the rule, and the typed text is kept', async ({ browser, harness, watch }) => {
  watch.expects(/403/);
  const asked = await harness.bash('git push origin main', CLAUDE);
  const { page } = await harness.open(browser, '/', { name: 'anna', role: 'approver' });
  await focus(page).getByRole('button', { name: /^Remember/ }).click();
  await page.getByRole('button', { name: 'Edit the rules' }).click();
  const command = page.getByRole('textbox', { name: /^Command pattern/ });
  await command.fill('git *');
  await page.getByRole('button', { name: 'Approve and remember' }).click();
  await expect(page.getByText(/wider than the proposed rules/).first()).toBeVisible();
  await expect(command).toHaveValue('git *');
  expect(await pending(harness)).toBe(1);
  await page.getByRole('button', { name: 'Back to the proposal' }).click();
  await page.getByRole('radio', { name: 'Deny' }).check();
  await page.getByRole('button', { name: 'Deny and remember' }).click();
  expect(await asked.permission).toMatchObject({ behavior: 'deny' });
  const call = { toolName: 'Bash', input: { command: 'git push origin main' }, toolUseId: 'again', ...CLAUDE };
  const again = await harness.as('agent').canUseTool(call, { wait: false });
  expect(again).toMatchObject({ behavior: 'deny' });
});

test('stop: after a confirmation the call is denied and the run ends', async ({ page, harness }) => {
  const asked = await harness.bash('git push origin main', CLAUDE);
  await harness.signIn(page);
  await focus(page).getByRole('button', { name: /^Stop run/ }).click();
  await expect(page.getByRole('heading', { name: 'Deny and stop the run?' })).toBeVisible();
  expect(await pending(harness)).toBe(1);
  await page.getByRole('button', { name: 'Deny and stop' }).click();
  expect(await asked.permission).toMatchObject({ behavior: 'deny', interrupt: true });
});

test('stop: what is typed after the key is the reason', async ({ page, harness }) => {
  const asked = await harness.bash('git push origin main', CLAUDE);
  await harness.signIn(page);
  await ready(page);
  await page.keyboard.press('s');
  await expect(page.getByLabel('Your own reason')).toBeFocused();
  await page.keyboard.type('wrong branch');
  await page.getByRole('button', { name: 'Deny and stop' }).click();
  expect(await asked.permission).toMatchObject({ behavior: 'deny', interrupt: true, message: expect.stringContaining('wrong branch') });
});

for (const locale of ['en', 'ja']) {
  test(`the list shows the names of agent and workspace completely (${locale})`, async ({ browser, harness }) => {
    await harness.ask('delete_customer', { id: 1 }, { ...CLAUDE, serverId: 'crm', agentId: 'support-bot', workspaceId: 'support' });
    const { page } = await harness.open(browser, '/', { viewport: { width: 1280, height: 800 }, locale });
    const names = page.locator('.origin code');
    await expect(names).toHaveText(['support-bot', 'support', 'crm']);
    const link = (await page.locator('li', { has: names }).getByRole('link').boundingBox())!;
    for (const name of await names.all()) {
      const box = (await name.boundingBox())!;
      expect(box.x + box.width).toBeLessThanOrEqual(link.x + link.width);
    }
  });
}

test('keyboard only', async ({ page, harness }) => {
  const asked = [];
  for (const name of ['one', 'two', 'three']) asked.push(await harness.bash(`git push origin ${name}`, CLAUDE));
  await harness.signIn(page);
  await ready(page);
  await page.keyboard.press('j');
  await expect(focus(page)).toContainText('origin two');
  await expect(page).toHaveURL(`${harness.address}/approvals/${asked[1]!.id}`);
  await ready(page);
  await page.keyboard.press('a');
  expect(await asked[1]!.permission).toMatchObject({ behavior: 'allow' });
  await expect(focus(page)).toContainText('origin three');
  await page.keyboard.press('k');
  await expect(focus(page)).toContainText('origin one');
  await ready(page);
  await page.keyboard.press('d');
  await page.keyboard.type('no a, no d');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('textbox')).toHaveCount(0);
  await ready(page);
  await page.keyboard.press('d');
  await expect(page.getByRole('textbox')).toHaveValue('no a, no d');
  await page.keyboard.press('Enter');
  expect(await asked[0]!.permission).toMatchObject({ behavior: 'deny', message: 'no a, no d' });
  await expect(focus(page)).toContainText('origin three');
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await page.keyboard.press('a');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(await pending(harness)).toBe(1);
  await page.keyboard.press('v');
  await expect(focus(page)).toContainText('"command": "git push origin three"');
  await ready(page);
  await page.keyboard.press('s');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await asked[2]!.permission).toMatchObject({ behavior: 'deny', interrupt: true });
});

test('danger: no single key or double click approves, and no approve button has the focus', async ({ page, harness }) => {
  const asked = await harness.bash(DANGEROUS, CLAUDE);
  await harness.signIn(page);
  await ready(page);
  for (let press = 0; press < 3; press += 1) await page.keyboard.press('a');
  await page.keyboard.press('Enter');
  await page.keyboard.press(' ');
  const anyway = page.getByRole('button', { name: 'Approve anyway' });
  await expect(anyway).toBeVisible();
  await expect(anyway).not.toBeFocused();
  expect(await pending(harness)).toBe(1);
  await page.keyboard.press('Escape');
  await expect(anyway).toHaveCount(0);
  await ready(page);
  // A double click does not hit the second approve button, which is elsewhere.
  const first = (await approve(page).boundingBox())!;
  await approve(page).dblclick();
  const second = (await anyway.boundingBox())!;
  const apart = second.x > first.x + first.width || second.y > first.y + first.height || second.y + second.height < first.y;
  expect(apart).toBe(true);
  expect(await pending(harness)).toBe(1);
  await expect(anyway).toHaveAttribute('aria-disabled', 'false');
  await page.keyboard.press('Tab');
  await expect(anyway).toBeFocused();
  await page.keyboard.press('Enter');
  expect(await asked.permission).toMatchObject({ behavior: 'allow' });
});

test('nothing answers for half a second, not even after an answer', async ({ page, harness }) => {
  const first = await harness.bash('git push origin one', CLAUDE);
  const second = await harness.bash('git push origin two', CLAUDE);
  await withClock(page);
  await harness.signIn(page);
  await ready(page);
  await stopClock(page);
  await page.clock.runFor(1000);
  // Two quick presses, as fast as the page can take them.
  const spot = (await approve(page).boundingBox())!;
  const [x, y] = [spot.x + spot.width / 2, spot.y + spot.height / 2];
  await page.mouse.click(x, y);
  await byFrames(page, () => expect(focus(page)).toContainText('origin two', { timeout: 100 }));
  await page.clock.runFor(300);
  await page.mouse.click(x, y);
  await page.keyboard.press('a');
  await expect(approve(page)).toHaveAttribute('aria-disabled', 'true');
  expect(await first.permission).toMatchObject({ behavior: 'allow' });
  expect(await pending(harness)).toBe(1);
  await page.clock.runFor(1000);
  await ready(page);
  await page.mouse.click(x, y);
  expect(await second.permission).toMatchObject({ behavior: 'allow' });
});

test('a press from before the question was painted does not answer it, even if handled late', async ({ page, harness, watch }) => {
  // The page is blocked by a synchronous request.
  watch.expects(/Synchronous XMLHttpRequest/);
  const [first, second] = [await harness.bash('git push origin first'), await harness.bash('git push origin second')];
  await harness.signIn(page);
  await page.goto(`${harness.address}/approvals/${first.id}`);
  const approve = page.getByRole('button', { name: /^Approve/ });
  await expect(approve).toBeEnabled();
  await expect(approve).not.toHaveAttribute('aria-disabled', 'true');
  const box = (await approve.boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  // As if the next approval took long to draw: the page receives nothing until the user has pressed.
  await page.evaluate(() => {
    const busy = new MutationObserver(() => {
      if (!document.getElementById('in-focus')!.textContent!.includes('origin second')) return;
      busy.disconnect();
      const busyWith = new XMLHttpRequest();
      busyWith.open('GET', '/busy', false);
      busyWith.send();
    });
    busy.observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  const hand = await page.context().newCDPSession(page);
  const press = (): void => {
    for (const type of ['mousePressed', 'mouseReleased'] as const) {
      hand.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 }).catch(() => undefined);
    }
  };
  await page.route('**/busy', async (route) => {
    press();
    // The browser has the event, with its timestamp, before the page continues.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await route.fulfill({ body: '' });
  });
  const held = page.waitForResponse('**/busy');
  await page.mouse.move(x, y);
  press();
  expect(await first.permission).toMatchObject({ behavior: 'allow' });
  await held;
  await expect(page).toHaveURL(new RegExp(second.id));
  await ready(page);
  expect(await harness.as('admin').approvals.show(second.id)).toMatchObject({ state: 'pending' });
  // Later it can be answered.
  press();
  expect(await second.permission).toMatchObject({ behavior: 'allow' });
});

test('a press that focuses the window does not answer', async ({ page, harness }) => {
  await harness.bash('git push origin one', CLAUDE);
  await harness.signIn(page);
  await ready(page);
  await approve(page).evaluate((button: HTMLElement) => {
    dispatchEvent(new Event('focus'));
    for (const type of ['pointerdown', 'pointerup', 'click']) button.dispatchEvent(new MouseEvent(type, { bubbles: true, detail: 1 }));
  });
  await page.waitForTimeout(800);
  expect(await pending(harness)).toBe(1);
  await approve(page).click();
  await expect(page.getByText('No open questions')).toBeVisible();
});

test('bulk answer: dangerous questions must be ticked by hand', async ({ page, harness }) => {
  const plain = [];
  for (const name of ['one', 'two', 'three']) plain.push(await harness.bash(`git push origin ${name}`, CLAUDE));
  const danger = await harness.bash(DANGEROUS, CLAUDE);
  await harness.signIn(page);
  await rows(page).nth(0).getByRole('checkbox').click();
  await rows(page).nth(3).getByRole('checkbox').click({ modifiers: ['Shift'] });
  await expect(page.getByText('4 selected')).toBeVisible();
  await expect(rows(page).nth(3).getByRole('checkbox')).toBeChecked();
  await expect(page.getByRole('checkbox', { name: 'Select all shown' })).toBeChecked();
  await page.getByRole('button', { name: 'Approve…', exact: true }).first().click();
  const dialog = page.getByRole('dialog', { name: /^Approve \d questions\?$/ });
  await expect(dialog.getByRole('heading', { name: 'Approve 3 questions?' })).toBeVisible();
  // What will be approved comes first, what will not below it.
  await expect(dialog.getByRole('rowheader')).toHaveText(['Will be approved (3)', 'Left out unless ticked (1)']);
  const listed = dialog.getByRole('row').filter({ has: page.getByRole('checkbox') });
  await expect(listed.last()).toContainText('rm -rf');
  // Each is named as in the list.
  await expect(listed.last().locator('.head')).toHaveText('Danger: Delete build and everything inside');
  await expect(listed.nth(2).locator('.head')).toHaveText('Caution: Push three to origin');
  await expect(dialog.getByRole('checkbox').last()).not.toBeChecked();
  // The title and the numbers follow the ticks, and the rows stay where they are.
  await dialog.getByRole('checkbox').first().click();
  await expect(dialog.getByRole('heading', { name: 'Approve 2 questions?' })).toBeVisible();
  await expect(dialog.getByRole('rowheader')).toHaveText(['Will be approved (2)', 'Left out unless ticked (1)']);
  await dialog.getByRole('checkbox').first().click();
  await expect(listed.last()).toContainText('rm -rf');
  await expect(dialog.getByRole('button', { name: 'Approve 3 of 4' })).not.toBeFocused();
  // Another approver answers one of them first.
  await harness.as('approver').approvals.answer(plain[1]!.id, { behavior: 'deny', message: 'no' });
  await dialog.getByRole('button', { name: 'Approve 2' }).click();
  await expect(dialog).toContainText('2 answered');
  await expect(dialog.locator('tbody tr').filter({ hasText: 'origin two' })).toContainText('ended in the meantime');
  expect(await plain[0]!.permission).toMatchObject({ behavior: 'allow' });
  expect(await plain[2]!.permission).toMatchObject({ behavior: 'allow' });
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  expect(await pending(harness)).toBe(1);
  await page.getByRole('button', { name: 'Deny…' }).click();
  const no = page.getByRole('dialog', { name: 'Deny 1 question?' });
  await no.getByRole('textbox').fill('Not like this');
  await no.getByRole('button', { name: 'Deny 1' }).click();
  expect(await danger.permission).toMatchObject({ behavior: 'deny', message: 'Not like this' });
});

test('an expired question cannot be answered, and open ones show their time limit', async ({ page, harness }) => {
  await harness.signIn(page);
  await expect(page.getByText('No open questions')).toBeVisible();
  const id = await harness.question('git push origin main', { ...CLAUDE, timeoutMs: 8000, onTimeout: 'deny' });
  await harness.question('git push origin later', { ...CLAUDE, timeoutMs: 3_600_000, onTimeout: 'deny' });
  const forever = await harness.question('git push origin forever');
  await expect(focus(page).getByText('Expired').first()).toBeVisible();
  await expect(approve(page)).toHaveCount(0);
  expect(await harness.as('admin').approvals.show(id)).toMatchObject({ state: 'expired' });
  await page.getByRole('button', { name: 'Next question' }).click();
  await expect(focus(page).getByText(/left, then it expires and does not run/)).toBeVisible();
  await page.goto(`${harness.address}/approvals/${forever}`);
  await expect(focus(page)).toContainText('No time limit.');
});

test('two browsers: the first answer wins, and the other shows who answered', async ({ browser, harness }) => {
  const asked = await harness.bash('git push origin one', CLAUDE);
  await harness.bash('git push origin two', CLAUDE);
  const anna = await harness.open(browser, '/', { name: 'anna', role: 'approver' });
  const ben = await harness.open(browser, '/', { name: 'ben', role: 'approver' });
  await expect(focus(ben.page)).toContainText('origin one');
  await approve(anna.page).click();
  expect(await asked.permission).toMatchObject({ behavior: 'allow' });
  await expect(focus(ben.page).getByRole('status').filter({ hasText: 'Approved' })).toContainText(/by anna/);
  await expect(focus(ben.page)).toContainText('origin one');
  await expect(approve(ben.page)).toHaveCount(0);
  await expect(rows(ben.page)).toHaveCount(1);
  await ben.page.getByRole('button', { name: 'Next question' }).click();
  await expect(focus(ben.page)).toContainText('origin two');
});

test('an answer that fails to send keeps the question and the typed text', async ({ page, harness, watch }) => {
  watch.expects(/ERR_FAILED|Failed to load/);
  const asked = await harness.bash('git push origin main', CLAUDE);
  await harness.signIn(page);
  await page.route('**/answer', (route) => route.abort());
  await deny(page).click();
  await page.getByRole('textbox').fill('Because');
  await page.keyboard.press('Enter');
  await expect(focus(page).getByRole('alert')).toBeVisible();
  await expect(page.getByRole('textbox')).toHaveValue('Because');
  await page.unroute('**/answer');
  // It replaced something else, so it is inert for half a second.
  const again = focus(page).getByRole('button', { name: 'Try again' });
  await expect(async () => {
    // An earlier click may have succeeded after all.
    if ((await again.count()) > 0) await again.click({ timeout: 1000 });
    await expect(again).toHaveCount(0, { timeout: 2000 });
  }).toPass();
  expect(await asked.permission).toMatchObject({ behavior: 'deny', message: 'Because' });
});

test('the URL of a question works if it is open, ended or unknown', async ({ page, harness, watch }) => {
  watch.expects(/404/);
  await harness.bash('git push origin one', CLAUDE);
  const asked = await harness.bash('git push origin two', CLAUDE);
  await harness.signIn(page);
  await page.goto(`${harness.address}/approvals/${asked.id}`);
  await expect(focus(page)).toContainText('origin two');
  await expect(page.getByRole('link', { name: /Push two to origin/ })).toHaveAttribute('aria-current', 'true');
  await harness.as('approver').approvals.answer(asked.id, { behavior: 'deny', message: 'Not today' });
  await asked.permission;
  await page.reload();
  await expect(focus(page)).toContainText('Denied');
  await expect(focus(page)).toContainText('Not today');
  await expect(approve(page)).toHaveCount(0);
  await page.goto(`${harness.address}/approvals/01a1dfbe-a4d5-7c93-a14a-b145acede7e7`);
  await expect(page.getByText('Question not found')).toBeVisible();
});

test('a viewer cannot answer', async ({ browser, harness }) => {
  await harness.bash('git push origin one', CLAUDE);
  await harness.bash('git push origin two', CLAUDE);
  const { page } = await harness.open(browser, '/', { name: 'guest', role: 'viewer' });
  await expect(focus(page)).toContainText('You can see questions but not answer them');
  await expect(approve(page)).toHaveCount(0);
  await expect(page.getByRole('checkbox')).toHaveCount(0);
  await page.waitForTimeout(600);
  await page.keyboard.press('a');
  await page.keyboard.press('x');
  expect(await pending(harness)).toBe(2);
});

test('a long list can be searched and sorted', async ({ page, harness }) => {
  for (let at = 0; at < 9; at += 1) await harness.question(`git push origin branch-${at}`);
  const last = await harness.question(DANGEROUS);
  await harness.signIn(page);
  await expect(rows(page)).toHaveCount(10);
  await page.getByRole('combobox', { name: 'Order' }).selectOption('danger');
  await expect(rows(page).first()).toContainText('Delete build');
  // What the user is looking at stays.
  await expect(focus(page)).toContainText('branch-0');
  await page.getByRole('searchbox').fill('branch-7');
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole('searchbox').fill('nothing of the kind');
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect(rows(page)).toHaveCount(10);
  // Opened by its address, the approval is marked in the list and shown from its beginning.
  await page.goto(`${harness.address}/approvals/${last}`);
  await expect(rows(page).nth(9)).toBeInViewport({ ratio: 0.9 });
  expect(await page.evaluate(() => scrollY)).toBe(0);
});

test('a new question is announced and does not move the current one', async ({ page, harness }) => {
  await harness.bash('git push origin one', CLAUDE);
  await harness.signIn(page);
  await expect(focus(page)).toContainText('origin one');
  await harness.bash('git push origin two', CLAUDE);
  await expect(page.getByRole('status').filter({ hasText: 'New question' })).toHaveText(/Caution: Bash: git push origin two/);
  await expect(focus(page)).toContainText('origin one');
});

test('a hidden page sends a notification that opens the question', async ({ browser, harness }) => {
  const { page, context } = await harness.open(browser);
  await context.addInitScript(() => {
    localStorage.setItem('sekisho.prefs', JSON.stringify({ desktop: true }));
    Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
    const notices: unknown[] = [];
    class Notice {
      static permission = 'granted';
      onclick: (() => void) | undefined;
      constructor(readonly title: string, readonly more: { body?: string }) {
        notices.push(this);
      }
      close(): void {}
    }
    Object.assign(window, { Notification: Notice, notices });
  });
  await page.reload();
  await expect(page.getByText('No open questions')).toBeVisible();
  await harness.bash('git push origin one', CLAUDE);
  const second = await harness.bash('git push origin two', CLAUDE);
  type Notices = { notices: { title: string; more: { body: string }; onclick: () => void }[] };
  await expect.poll(() => page.evaluate(() => (window as unknown as Notices).notices.map(({ title, more }) => `${title} ${more.body}`)))
    .toEqual(['sekisho: Bash git push origin one', 'sekisho: Bash git push origin two']);
  await page.evaluate(() => (window as unknown as Notices).notices[1]!.onclick());
  await expect(page).toHaveURL(`${harness.address}/approvals/${second.id}`);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`no axe violations in expandable sections, ${colorScheme}`, async ({ browser, harness }) => {
    await harness.bash('git push origin one', CLAUDE);
    await harness.bash(DANGEROUS, CLAUDE);
    const { page } = await harness.open(browser, '/', { colorScheme });
    for (const key of ['d', 'e', 's', '?'] as const) {
      await ready(page);
      await page.keyboard.press(key);
      expect.soft(await axe(page), key).toEqual([]);
      await page.keyboard.press('Escape');
    }
    await page.keyboard.press('j');
    await ready(page);
    await page.keyboard.press('a');
    await expect(page.getByRole('button', { name: 'Approve anyway' })).toBeVisible();
    expect.soft(await axe(page), 'the second yes').toEqual([]);
    await page.getByRole('checkbox', { name: 'Select all shown' }).click();
    await page.getByRole('button', { name: 'Approve…', exact: true }).first().click();
    expect.soft(await axe(page), 'the summary').toEqual([]);
  });
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });

  test('navigates from the list to a question and back', async ({ page, harness }) => {
    const first = await harness.bash('git push origin one', CLAUDE);
    const second = await harness.bash(`echo ${'long '.repeat(400)}; git push origin two`, CLAUDE);
    await harness.signIn(page);
    await expect(rows(page)).toHaveCount(2);
    await expect(focus(page)).toHaveCount(0);
    await rows(page).nth(1).getByRole('link').tap();
    await expect(page).toHaveURL(`${harness.address}/approvals/${second.id}`);
    await expect(approve(page)).toBeInViewport();
    const bar = (await approve(page).boundingBox())!;
    expect(bar.y).toBeGreaterThan(740 / 2);
    expect(bar.height).toBeGreaterThanOrEqual(40);
    const tabs = (await page.getByRole('navigation').boundingBox())!;
    expect(bar.y + bar.height).toBeLessThanOrEqual(tabs.y);
    // The arrows go from question to question.
    await expect(page.getByRole('button', { name: 'Next question' })).toBeDisabled();
    await page.getByRole('button', { name: 'Previous question' }).tap();
    await expect(page).toHaveURL(`${harness.address}/approvals/${first.id}`);
    await expect(page.getByText('1 of 2', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Next question' }).tap();
    await expect(page).toHaveURL(`${harness.address}/approvals/${second.id}`);
    await page.goBack();
    await expect(rows(page)).toHaveCount(2);
    await expect(focus(page)).toHaveCount(0);
    await rows(page).nth(0).getByRole('link').tap();
    await approve(page).tap();
    expect(await first.permission).toMatchObject({ behavior: 'allow' });
    await expect(page).toHaveURL(`${harness.address}/approvals/${second.id}`);
    // A press counts by its own time: on a busy machine it can come before the question was painted, and does nothing.
    await expect(async () => {
      await deny(page).tap();
      await expect(page.getByRole('textbox')).toBeVisible({ timeout: 5000 });
    }).toPass();
    // No keyboard covers the chips.
    await expect(page.getByRole('textbox')).not.toBeFocused();
    await page.getByRole('button', { name: 'Not needed' }).tap();
    expect(await second.permission).toMatchObject({ behavior: 'deny', message: 'Not needed' });
    await expect(page).toHaveURL(`${harness.address}/`);
    await expect(page.getByText('No open questions')).toBeVisible();
  });
});
