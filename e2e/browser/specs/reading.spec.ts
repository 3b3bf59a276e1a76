// All of what is asked has been before somebody's eyes, for a while, before a yes to it counts.
import { approved } from '../lib/reading.js';
import { type Page, type Stage, expect, test } from '../lib/test.js';

const stateOf = async (stage: Stage, id: string) => (await stage.as('admin').approvals.show(id)).state;
const allow = (page: Page) => page.locator('.answers .allow');
const ready = (page: Page) => expect(allow(page)).toHaveAttribute('aria-disabled', 'false');

/** Notes whether the yes could be pressed in the moment it came. */
async function watchYes(page: Page): Promise<() => Promise<string | undefined>> {
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      const button = document.querySelector('.answers .allow');
      if (button === null) return;
      observer.disconnect();
      Object.assign(window, { came: button.getAttribute('aria-disabled') });
    }).observe(document, { subtree: true, childList: true });
  });
  return async () => {
    const came = await page.waitForFunction(() => (window as { came?: string }).came, null, { polling: 5 });
    return came.jsonValue();
  };
}

test('the half second begins with the question, not with what stands there while it is fetched', async ({ page, stage }) => {
  const asked = await stage.bash('npm run deploy');
  await stage.signIn(page);
  await page.goto(`${stage.address}/rules`);
  const came = await watchYes(page);
  await page.route('**/api/events', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await route.continue();
  });
  await page.goto(`${stage.address}/approvals/${asked.id}`, { waitUntil: 'commit' });
  expect(await came()).toBe('true');
  await page.keyboard.press('a');
  await ready(page);
  expect(await stateOf(stage, asked.id)).toBe('pending');
  await page.keyboard.press('a');
  expect(await asked.told).toMatchObject({ behavior: 'allow' });
});

test('and with the ways to answer, where these come later', async ({ page, stage }) => {
  const asked = await stage.bash('npm run deploy');
  await stage.signIn(page);
  const came = await watchYes(page);
  let role = 'viewer';
  await page.route('**/api/session', async (route) => {
    const told = await route.fetch();
    await route.fulfill({ json: { ...(await told.json()), role } });
  });
  await page.goto(`${stage.address}/approvals/${asked.id}`);
  await expect(page.getByText('You may look at questions, but not answer them.', { exact: false })).toBeVisible();
  await page.waitForTimeout(700);
  role = 'admin';
  // Another tab has signed in.
  await page.evaluate(() => dispatchEvent(new StorageEvent('storage', { key: 'sekisho.page', newValue: localStorage.getItem('sekisho.page') })));
  expect(await came()).toBe('true');
  await page.keyboard.press('a');
  await ready(page);
  expect(await stateOf(stage, asked.id)).toBe('pending');
});

async function look(page: Page, stage: Stage, id: string): Promise<void> {
  if (page.url() === 'about:blank') await stage.signIn(page);
  await page.goto(`${stage.address}/approvals/${id}`);
  await ready(page);
}

test('who jumps to the end has not seen the middle; who scrolls through it has', async ({ page, stage }) => {
  const lines = Array.from({ length: 100 }, () => '#');
  lines[50] = 'othertool --evil';
  const asked = await stage.bash(`npm test\n${lines.join('\n')}`);
  await look(page, stage, asked.id);
  const command = page.getByRole('group', { name: 'Command' });
  await command.evaluate((box) => (box.scrollTop = box.scrollHeight));
  await expect(page.getByText('Something above was passed over')).toBeVisible();
  await page.keyboard.press('a');
  await ready(page);
  expect(await stateOf(stage, asked.id)).toBe('pending');

  await page.reload();
  await ready(page);
  await command.hover();
  for (let turn = 0; turn < 40 && (await page.getByText('It goes on below').count()) > 0; turn += 1) await page.mouse.wheel(0, 120);
  await expect(page.getByText('It goes on below')).toHaveCount(0);
  expect(await approved(page, stage, asked)).toMatchObject({ presses: 1 });
});

test('what was seen of one question is not taken for the next', async ({ page, stage }) => {
  const tall = (name: string) => stage.ask('run_query', Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`${name}${at}`, 'y'.repeat(199)])), { serverId: 'db' });
  const first = await tall('a');
  const second = await tall('b');
  await page.setViewportSize({ width: 1000, height: 600 });
  await look(page, stage, first.id);
  await approved(page, stage, first);
  await expect(page.getByRole('term').first()).toHaveText('b0');
  const term = (name: string) => page.getByRole('term').filter({ hasText: name });
  const { presses, seen } = await approved(page, stage, second, [term('b4'), term('b8'), term('b11')]);
  expect(seen).toEqual([true, true, true]);
  expect(presses).toBeGreaterThan(1);
});
