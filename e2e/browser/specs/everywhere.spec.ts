// What holds for every page: in both themes, on desktop and phone, in both languages.
import { axe } from '../lib/axe.js';
import { sampleAgents } from '../lib/scriptedAgents.js';
import { past, questions } from '../lib/seed.js';
import { expect, test } from '../lib/test.js';

const PAGES = [
  '/',
  '/approvals',
  '/rules',
  '/agents',
  '/agents/:writer',
  '/agents/new',
  '/pipelines',
  '/pipelines/:pipeline',
  '/pipelines/runs/:run',
  '/audit',
  '/audit?view=figures',
  '/audit?view=suggestions',
  '/settings',
  '/settings/devices',
  '/settings/tokens',
  '/settings/trust',
  '/settings/notifications',
  '/settings/device',
];
const SIZES = { desk: { width: 1280, height: 800 }, phone: { width: 360, height: 740 } };

for (const [size, viewport] of Object.entries(SIZES)) {
  test(`no axe violations, ${size}, light and dark`, async ({ browser, harness, watch }) => {
    watch.expects(/404/);
    await past(harness);
    await questions(harness);
    const ids: Record<string, string> = await sampleAgents(harness);
    const { page } = await harness.open(browser, '/', { viewport, colorScheme: 'light' });
    for (const path of PAGES) {
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(harness.address + (path === '/approvals' ? `/approvals/${await firstOpen(harness)}` : path.replace(/:([a-z]+)/, (_, name: string) => ids[name]!)));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect(page.getByText('Loading', { exact: true })).toHaveCount(0);
      expect.soft(await axe(page), `${path} in light`).toEqual([]);
      // Only the colours differ in dark mode.
      await page.emulateMedia({ colorScheme: 'dark' });
      expect.soft(await axe(page, ['color-contrast']), `${path} in dark`).toEqual([]);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect.soft(wider, `${path} is wider than the screen by`).toBeLessThanOrEqual(0);
    }
  });
}

async function firstOpen(harness: import('../lib/test.js').Harness): Promise<string> {
  const { approvals } = await harness.as('admin').approvals.list({ state: 'pending' });
  return approvals.at(-1)!.id;
}

test('a Japanese browser gets Japanese texts', async ({ browser, harness }) => {
  const { page } = await harness.open(browser, '/', { locale: 'ja-JP' });
  await expect(page.locator('html')).toHaveAttribute('lang', 'ja');
  for (const [path, heading] of [
    ['/', '受信箱'],
    ['/rules', 'ルール'],
    ['/agents', 'エージェント'],
    ['/agents/new', '新しいエージェント'],
    ['/pipelines', 'パイプライン'],
    ['/pipelines/new', '新しいパイプライン'],
    ['/audit', '監査'],
    ['/settings', '設定'],
  ] as const) {
    await page.goto(harness.address + path);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
    await expect(page.getByText('Loading', { exact: true })).toHaveCount(0);
    // The server's sentences are marked as such; none of the page's own texts is left in English.
    const english = await page.evaluate(() => {
      const found: string[] = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const element = node.parentElement!;
        if (element.closest('[lang=en], code, pre, bdi, kbd, samp, option, script, noscript, .mono') !== null) continue;
        if (/[A-Za-z]{3,} [A-Za-z]{2,}/.test(node.textContent ?? '')) found.push(node.textContent!.trim());
      }
      return found;
    });
    expect.soft(english, path).toEqual([]);
  }
});

test('reduced motion is respected', async ({ browser, harness }) => {
  await questions(harness);
  const { page } = await harness.open(browser, '/', { reducedMotion: 'reduce' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByText('git push origin main').first().waitFor();
  const moving = await page.evaluate(
    () => document.getAnimations().filter((one) => Number(one.effect?.getComputedTiming().duration ?? 0) > 50).length,
  );
  expect(moving).toBe(0);
});
