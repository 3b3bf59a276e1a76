// Signing in with a one-time link, and signing out.
import { axe } from '../lib/axe.js';
import { type Page, type Harness, expect, test } from '../lib/test.js';

const title = (page: Page) => page.getByRole('heading', { level: 1 });
const secretOf = (link: string): string => link.slice(link.indexOf('#link=') + '#link='.length);

test('a sign-in link works once and is removed from the address bar first', async ({ browser, page, harness, watch }) => {
  watch.expects(/401/);
  const link = harness.link();
  await page.goto(link);
  await expect(title(page)).toHaveText('Inbox');
  expect(page.url()).toBe(`${harness.address}/`);

  const context = await browser.newContext();
  const second = await context.newPage();
  await second.goto(link);
  await expect(title(second)).toHaveText('This link does not work');
  await expect(second.getByRole('alert').first()).toContainText('A link works once');
  expect(second.url()).not.toContain('skl_');
  expect(await axe(second)).toEqual([]);

  // A user who is signed in stays signed in, and gets a notice.
  await page.goto(link);
  await expect(title(page)).toHaveText('Inbox');
  await expect(page.getByText('The link is unknown, expired or already used')).toBeVisible();
  await context.close();
});

test('an expired link is refused', async ({ page, harness, watch }) => {
  watch.expects(/401/);
  const { link } = JSON.parse(harness.server.run('token', 'link', '--name', 'late', '--role', 'viewer', '--url', harness.address, '--expires', '1s', '--json')) as { link: string };
  await page.waitForTimeout(1500);
  await page.goto(link);
  await expect(title(page)).toHaveText('This link does not work');
});

test('a browser that was never signed in shows how to sign in', async ({ page, harness }) => {
  await page.goto(`${harness.address}/rules`);
  await expect(title(page)).toHaveText('You are not signed in');
  await expect(page.getByText('sekisho token link --name browser --role admin')).toBeVisible();
  await page.getByLabel('Language').selectOption('ja');
  await expect(title(page)).toHaveText('ログインしていません');
});

test('a pasted link opens the requested page; the secret of another server is not sent', async ({ page, harness }) => {
  await page.goto(`${harness.address}/rules`);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.postData() ?? ''));
  const field = page.getByLabel('Or paste a link here');
  const enter = page.getByRole('button', { name: 'Sign in' });
  await field.fill('hello');
  await enter.click();
  await expect(page.getByRole('alert')).toContainText('This is not a link to this server');
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await field.fill(`https://elsewhere.example/#link=skl_${'ab'.repeat(32)}`);
  await enter.click();
  await expect(page.getByRole('alert')).toContainText('This link is for https://elsewhere.example');
  expect(sent.join('')).not.toContain('skl_');
  await field.fill(secretOf(harness.link()));
  await field.press('Enter');
  await expect(title(page)).toHaveText('Rules');
});

test('a link that could not be sent is retried', async ({ page, harness, watch }) => {
  watch.expects(/ERR_|Failed to load/);
  const link = harness.link();
  await page.goto(harness.address);
  await expect(title(page)).toHaveText('You are not signed in');
  await harness.server.down();
  await page.getByLabel('Or paste a link here').fill(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(title(page)).toHaveText('The server cannot be reached');
  await harness.server.up();
  await expect(title(page)).toHaveText('Inbox');
});

for (const [name, leave] of Object.entries({
  'from the rail': async (page: Page) => page.getByRole('navigation', { name: 'Main menu' }).getByRole('button', { name: 'Sign out' }).click(),
  'from the settings of a phone': async (page: Page) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
  },
  'from a narrow rail': async (page: Page) => {
    await page.setViewportSize({ width: 768, height: 900 });
    await page.getByRole('navigation', { name: 'Main menu' }).getByRole('button', { name: 'Sign out' }).click();
  },
})) {
  test(`signing out ${name} also signs out other tabs permanently`, async ({ page, context, harness, watch }) => {
    // The server hangs up, and the other tab asks why.
    watch.expects(/401|ERR_/);
    await harness.signIn(page);
    const other = await context.newPage();
    await other.goto(`${harness.address}/rules`);
    await expect(title(other)).toHaveText('Rules');
    await leave(page);
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('To come back you need a new link.');
    await dialog.getByRole('button', { name: 'Sign out' }).click();
    await expect(title(page)).toHaveText('You have signed out');
    await expect(title(other)).toHaveText(/You have signed out|This browser is no longer signed in/);
    expect(await page.evaluate(() => localStorage.getItem('sekisho.page'))).toBeNull();
    const devices = (await harness.as('admin').tokens.list()).tokens.filter(({ kind }) => kind === 'device');
    expect(devices.map(({ counts }) => counts)).toEqual([false]);
    await comeBack(harness, page, other);
  });
}

/** All tabs are signed in together, each where it was. */
async function comeBack(harness: Harness, page: Page, other: Page): Promise<void> {
  await page.getByLabel('Or paste a link here').fill(harness.link());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('navigation', { name: 'Main menu' })).toBeVisible();
  await expect(title(other)).toHaveText('Rules');
}
