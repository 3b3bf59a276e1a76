// Devices, tokens, links, notifications, and settings of this device.
import { Sekisho } from '../../../sdk/typescript/src/index.js';
import { axe } from '../lib/axe.js';
import { stopClock, withClock } from '../lib/clock.js';
import { expect, test } from '../lib/test.js';

test('a token is created, shown once, works, and is refused after it is revoked', async ({ page, context, harness }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await harness.signIn(page);
  await page.goto(`${harness.address}/settings/tokens`);
  await page.getByRole('button', { name: 'New token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Make token' }).click();
  await expect(dialog.getByText('Enter a name.')).toBeVisible();
  await dialog.getByLabel('Name').fill('ci');
  await dialog.getByLabel('Agent (optional)').fill('ci-bot');
  await dialog.getByLabel('Expires').selectOption({ label: 'in 30 days' });
  await dialog.getByRole('button', { name: 'Make token' }).click();
  const secret = await dialog.locator('[data-secret]').innerText();
  expect(secret).toMatch(/^sks_/);
  expect(await axe(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Copy' }).first().click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  await expect(dialog.locator('pre')).toContainText(`export SEKISHO_TOKEN=${secret}`);

  const client = new Sekisho({ baseUrl: harness.server.address, token: secret });
  expect(await client.session.show()).toMatchObject({ name: 'ci', role: 'agent', kind: 'api' });

  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await expect(dialog).toBeHidden();
  expect(await page.content()).not.toContain(secret);
  const row = page.getByRole('listitem').filter({ hasText: 'only agent ci-bot' });
  await expect(row).toContainText('by desk');
  await row.getByRole('button', { name: 'Revoke ci' }).click();
  await expect(page.getByRole('dialog')).toContainText('Revoke ci?');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(row).toBeHidden();
  await page.getByText('1 expired or revoked').click();
  await expect(row).toContainText('revoked');
  await expect(client.session.show()).rejects.toMatchObject({ status: 401 });
});

test('revoking the last admin shows an error', async ({ page, harness, watch }) => {
  watch.expects(/409/);
  await harness.signIn(page);
  await page.route('**/api/tokens/*', (route) =>
    route.fulfill({ status: 409, json: { error: { code: 'LastAdmin', message: 'this is the last token of an admin; nobody could make another' } } }),
  );
  await page.goto(`${harness.address}/settings/tokens`);
  await page.getByRole('button', { name: 'Revoke admin' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await expect(dialog.getByRole('alert')).toContainText('This is the last admin.');
  await expect(dialog.getByRole('button', { name: 'Revoke' })).toBeDisabled();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Revoke admin' })).toBeFocused();
});

test('a link signs in a phone, which is listed and can be signed out', async ({ browser, page, harness, watch }) => {
  watch.expects(/401|ERR_/);
  await harness.signIn(page);
  await page.goto(`${harness.address}/settings/devices`);
  await expect(page.getByRole('region', { name: 'Devices' }).getByRole('listitem').filter({ hasText: 'this device' })).toContainText('desk');
  await page.getByRole('button', { name: 'Link for a phone or browser' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('pocket');
  await dialog.getByRole('radio', { name: 'approver' }).check();
  await dialog.getByRole('button', { name: 'Make the link' }).click();
  await expect(dialog.getByText(/Expires in (10:00|9:\d\d)/)).toBeVisible();
  // The server listens on loopback: a code that no phone can follow is worse than none.
  await expect(dialog.getByText('Your phone cannot reach 127.0.0.1')).toBeVisible();
  await expect(dialog).toContainText('sekisho serve --listen 0.0.0.0:8787 --allow-remote');
  await expect(dialog.getByRole('img')).toHaveCount(0);
  expect(await axe(page)).toEqual([]);

  const link = (await dialog.locator('[data-link]').innerText()).replace(harness.server.address, harness.address);
  const phone = await browser.newContext({ viewport: { width: 360, height: 740 }, hasTouch: true });
  const pocket = await phone.newPage();
  await pocket.goto(link);
  await expect(pocket).toHaveTitle('Inbox · sekisho');
  await pocket.goto(`${harness.address}/settings`);
  await expect(pocket.getByRole('main')).toContainText('approver');

  await expect(dialog.getByText(/^pocket.* is signed in\.$/)).toBeVisible();
  await expect(dialog.locator('[data-link]')).toBeHidden();
  await dialog.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'pocket' });
  await expect(row).toBeVisible();
  await row.getByRole('button', { name: /^Sign pocket.* out$/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
  await expect(row).toBeHidden();
  await expect(pocket.getByRole('heading', { level: 1 })).toHaveText('This browser is no longer signed in');
  await phone.close();
});

test('a link that a phone can open has a QR code', async ({ page, harness }) => {
  await page.route('**/api/tokens/links', async (route) => {
    const answer = await route.fetch();
    const made = (await answer.json()) as { url: string };
    await route.fulfill({ response: answer, json: { ...made, url: made.url.replace(/^http:\/\/[^/]+/, 'https://sekisho.example.com') } });
  });
  await harness.signIn(page);
  await page.goto(`${harness.address}/settings/devices`);
  await page.getByRole('button', { name: 'Link for a phone or browser' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('pocket');
  await dialog.getByRole('button', { name: 'Make the link' }).click();
  const picture = dialog.getByRole('img', { name: 'QR code: the link that signs in pocket' });
  await expect(picture).toBeVisible();
  expect(await picture.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0)).toBe(true);
  await expect(dialog.getByText('cannot reach')).toHaveCount(0);
});

test('the device list is polled only while a link dialog is open', async ({ page, harness }) => {
  await withClock(page);
  await harness.signIn(page);
  await page.goto(`${harness.address}/settings/devices`);
  await page.getByRole('button', { name: 'Link for a phone or browser' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Make the link' }).click();
  await page.getByRole('dialog').locator('[data-link]').waitFor();
  await page.waitForRequest('**/api/tokens');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  let asked = 0;
  page.on('request', (request) => (asked += request.url().endsWith('/api/tokens') ? 1 : 0));
  await stopClock(page);
  await page.clock.runFor(30_000);
  // Any earlier request reaches the server before this one.
  await page.evaluate(() => fetch('/healthz'));
  expect(asked).toBe(0);
});

test('valid notification settings are saved, and invalid ones are not', async ({ page, harness }) => {
  await harness.signIn(page);
  await page.goto(`${harness.address}/settings/notifications`);
  await page.getByRole('checkbox', { name: 'Play a sound' }).check();
  await page.getByRole('radio', { name: 'Danger only' }).check();
  await page.getByRole('checkbox', { name: 'No notifications during part of the day' }).check();
  await page.getByLabel('From').fill('21:30');
  await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await page.getByLabel('Until').fill('21:30');
  await expect(page.getByText('Start and end are the same.')).toBeVisible();
  await expect(page.getByText('Not saved yet')).toBeVisible();
  expect(await axe(page)).toEqual([]);

  await page.reload();
  await expect(page.getByRole('checkbox', { name: 'Play a sound' })).toBeChecked();
  await expect(page.getByRole('radio', { name: 'Danger only' })).toBeChecked();
  await expect(page.getByLabel('From')).toHaveValue('21:30');
  await expect(page.getByLabel('Until')).toHaveValue('07:00');
  await expect(page.getByLabel('Time zone')).toHaveValue('Asia/Tokyo');
  const kept = await page.evaluate(() => JSON.parse(localStorage.getItem('sekisho.prefs') ?? '{}') as unknown);
  expect(kept).toMatchObject({ sound: true, desktop: true });
});

test('notification permission is requested only on a press', async ({ page, harness }) => {
  await page.addInitScript(() => {
    let permission = 'default';
    const shown: string[] = [];
    class Quiet extends EventTarget {
      constructor(title: string) {
        super();
        shown.push(title);
      }
      static get permission(): string {
        return permission;
      }
      static async requestPermission(): Promise<string> {
        return (permission = 'granted');
      }
    }
    Object.assign(window, { Notification: Quiet, shown });
  });
  await harness.signIn(page);
  await page.goto(`${harness.address}/settings/notifications`);
  await expect(page.getByText('You have not allowed notifications yet.')).toBeVisible();
  await page.getByRole('button', { name: 'Allow notifications' }).click();
  await expect(page.getByText('Allowed in this browser.')).toBeVisible();
  await page.getByRole('button', { name: 'Send a test' }).click();
  expect(await page.evaluate(() => (window as unknown as { shown: string[] }).shown)).toEqual(['sekisho']);
  await page.getByRole('checkbox', { name: 'Browser notifications' }).uncheck();
  await expect(page.getByText('Allowed in this browser.')).toBeHidden();
});

test('theme and language belong to the device and are kept', async ({ page, context, harness }) => {
  await harness.signIn(page);
  const other = await context.newPage();
  await other.goto(harness.address);
  await page.goto(`${harness.address}/settings/device`);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByText('Dark', { exact: true }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  expect(await ground()).not.toBe(light);
  for (const meta of await page.locator('meta[name=theme-color]').all()) await expect(meta).toHaveAttribute('content', '#171614');
  await page.getByText('日本語').click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('設定');
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('受信箱');
  await expect(other.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('設定');
  await expect(page.locator('html')).toHaveAttribute('lang', 'ja');
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.getByText('システムに合わせる').click();
  await expect(page.locator('meta[name=theme-color][media*=light]')).toHaveAttribute('content', '#f7f5f0');
  await expect(page.locator('meta[name=theme-color][media*=dark]')).toHaveAttribute('content', '#171614');
});

test('a viewer sees no tokens, only a note that admins manage them', async ({ browser, harness }) => {
  const { page } = await harness.open(browser, '/settings', { role: 'viewer', name: 'guest' });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await expect(page.getByRole('main')).toContainText('viewer');
  for (const part of ['Devices', 'Tokens', 'Trust']) {
    await page.getByRole('navigation', { name: 'Settings sections' }).getByRole('link', { name: part }).click();
    await expect(page.getByRole('heading', { level: 2, name: 'For admins' })).toBeVisible();
    await expect(page.getByRole('main')).toContainText('You are signed in as viewer');
  }
  expect(asked.filter((path) => path === '/api/tokens' || path === '/api/trust')).toEqual([]);
  await page.getByRole('link', { name: 'Notifications' }).click();
  await expect(page.getByRole('checkbox', { name: 'Play a sound' })).toBeVisible();
});

test('a list that fails to load shows an error and can be retried', async ({ page, harness, watch }) => {
  watch.expects(/503/);
  await harness.signIn(page);
  const down = { status: 503, json: { error: { code: 'Unavailable', message: 'the ledger cannot be read', hint: 'run `sekisho doctor`' } } };
  await page.route('**/api/tokens', (route) => route.fulfill(down));
  await page.goto(`${harness.address}/settings/devices`);
  await expect(page.getByRole('alert')).toContainText('The ledger cannot be read');
  await page.unroute('**/api/tokens');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('region', { name: 'Devices' }).getByRole('listitem').filter({ hasText: 'this device' })).toBeVisible();
});

test('warnings about the server come first, with what to do', async ({ page, harness }) => {
  await page.route('**/api/session', async (route) => {
    const response = await route.fetch();
    if (!response.ok()) return route.fulfill({ response });
    await route.fulfill({ json: { ...(await response.json()), warnings: ['the server runs as root'], warningCodes: [{ code: 'runs_as_root' }] } });
  });
  await harness.signIn(page);
  await page.goto(`${harness.address}/settings`);
  const first = page.locator('.part section').first();
  await expect(first.getByRole('heading')).toHaveText('1 safety warning');
  await expect(first).toContainText('The server runs as root');
  await expect(first).toContainText('What to do: Stop the server');
  await expect(page.getByText('Asked in the inbox')).toBeVisible();
  expect(await axe(page)).toEqual([]);
});
