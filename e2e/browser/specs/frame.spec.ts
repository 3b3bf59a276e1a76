import { expect, test } from '../lib/test.js';

test('signing in with a link shows the open questions and the pages', async ({ page, harness }) => {
  await harness.signIn(page);
  await expect(page).toHaveURL(`${harness.address}/`);
  await expect(page).toHaveTitle('Inbox · sekisho');
  const asked = await harness.bash('git push');
  await expect(page).toHaveTitle('(1) Inbox · sekisho');
  await expect(page.locator('link[rel=icon]')).toHaveAttribute('href', /^data:image\/svg/);
  await page.getByRole('link', { name: 'Rules' }).click();
  await expect(page).toHaveURL(`${harness.address}/rules`);
  await expect(page).toHaveTitle('(1) Rules · sekisho');
  await harness.as('approver').approvals.answer(asked.id, { behavior: 'deny', message: 'no' });
  await expect(page).toHaveTitle('Rules · sekisho');
  expect(await asked.permission).toMatchObject({ behavior: 'deny', message: 'no' });
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Inbox');
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true });
  test('the bar shows where one is, and no tab is cut off', async ({ page, harness }) => {
    await harness.signIn(page);
    const bar = page.getByRole('navigation', { name: 'Main menu' });
    await expect(bar.getByRole('button', { name: 'More' })).toHaveText('More');
    await page.goto(`${harness.address}/audit?view=suggestions`);
    await expect(bar.getByRole('button', { name: 'More' })).toHaveText('More (Audit)');
    await expect(bar.getByRole('button', { name: 'More' })).toHaveCSS('font-weight', '500');
    const tabs = page.getByRole('navigation', { name: 'Views' }).getByRole('link');
    await expect(tabs).toHaveCount(4);
    for (const tab of await tabs.all()) {
      const box = (await tab.boundingBox())!;
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(360);
    }
    // They begin and end where everything else does.
    const edges = async (what: import('@playwright/test').Locator): Promise<number[]> => {
      const { x, width } = (await what.boundingBox())!;
      return [x, x + width].map(Math.round);
    };
    const strip = page.getByRole('navigation', { name: 'Views' });
    const [left, right] = await edges(page.locator('.page header'));
    expect(await edges(strip)).toEqual([left, right]);
    expect((await edges(tabs.first()))[0]).toBe(left);
  });

  test('in Japanese the names in the bar fit, and so do the time ranges', async ({ browser, harness }) => {
    const { page } = await harness.open(browser, '/pipelines', { locale: 'ja-JP', viewport: { width: 360, height: 740 }, hasTouch: true });
    const names = page.getByRole('navigation', { name: 'メインメニュー' }).locator('li a, button').filter({ visible: true });
    await expect(names).toHaveCount(5);
    await expect(names.last()).toContainText('パイプライン');
    for (const name of await names.all()) {
      const text = name.locator('.name');
      await expect(text).toBeVisible();
      const [inner, outer] = [(await text.boundingBox())!, (await name.boundingBox())!];
      expect(inner.x).toBeGreaterThanOrEqual(outer.x);
      expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width);
    }
    await page.goto(`${harness.address}/audit`);
    const ranges = page.getByRole('group', { name: '期間' }).getByRole('button');
    await expect(ranges).toHaveText(['すべて', '1時間', '24時間', '7日', '30日', '指定']);
    const tops = await ranges.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect(new Set(tops).size).toBe(1);
  });
});

test('an unknown URL shows an error and a link', async ({ page, harness, watch }) => {
  watch.expects(/404/);
  await harness.signIn(page);
  for (const path of ['/nothing', '/rules/of/nothing', '/approvals']) {
    const response = await page.goto(harness.address + path);
    expect(response?.status(), path).toBe(404);
    await expect(page.getByRole('heading', { level: 2, name: 'Page not found' })).toBeVisible();
    await expect(page).toHaveTitle('Page not found · sekisho');
    await expect(page).toHaveURL(harness.address + path);
  }
  expect((await page.goto(`${harness.address}/rules`))?.status()).toBe(200);
  await page.goto(`${harness.address}/nothing`);
  await page.getByRole('link', { name: 'Go to the inbox' }).click();
  await expect(page).toHaveURL(`${harness.address}/`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Inbox');
});

test('a page that finishes loading after going back is not shown', async ({ page, harness }) => {
  await harness.signIn(page);
  await page.goto(`${harness.address}/rules`);
  await expect(page.getByRole('heading', { level: 1, name: 'Rules' })).toBeVisible();
  let let_in = (): void => undefined;
  const opened = new Promise<void>((resolve) => (let_in = resolve));
  await page.route(/\/assets\/Settings-[^/]*\.js$/, async (route) => {
    await opened;
    await route.continue();
  });
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.goBack();
  const come = page.waitForResponse(/\/assets\/Settings-[^/]*\.js$/);
  let_in();
  await come;
  await page.waitForTimeout(300);
  await expect(page.getByRole('heading', { level: 1, name: 'Rules' })).toBeVisible();
});
