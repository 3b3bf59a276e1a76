// The screenshots of the README and the guide: every page, wide and narrow, light and dark.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Page, chromium } from '@playwright/test';
import { CHROMIUM, FLAGS } from './lib/chromium.js';
import { past, questions } from './lib/seed.js';
import { Harness } from './lib/harness.js';

const FOLDER = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
const SIZES = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

/** A screenshot: a path, and what to do there first. */
const PICTURES: Record<string, { path: (harness: Harness) => Promise<string> | string; first?: (page: Page) => Promise<void> }> = {
  inbox: { path: () => '/' },
  question: { path: (harness) => approval(harness, 'curl') },
  change: { path: (harness) => approval(harness, 'config.ts') },
  rules: { path: () => '/rules' },
  bench: { path: () => `/rules?call=${encodeURIComponent(JSON.stringify({ toolName: 'bash', input: { command: 'cargo test && git push --force' } }))}` },
  audit: { path: () => '/audit' },
  figures: { path: () => '/audit?view=figures' },
  suggestions: { path: () => '/audit?view=suggestions' },
  settings: { path: () => '/settings' },
};

async function approval(harness: Harness, text: string): Promise<string> {
  const { approvals } = await harness.as('admin').approvals.list({ state: 'pending' });
  const found = approvals.find((one) => JSON.stringify(one.input).includes(text));
  if (found === undefined) throw new Error(`no question is about ${text}`);
  return `/approvals/${found.id}`;
}

/** Shows the temporary directory of the server as a home directory. */
function rename([from, to]: readonly [string, string]): void {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    if (node.nodeValue?.includes(from) === true) node.nodeValue = node.nodeValue.replaceAll(from, to);
  }
}

const harness = await Harness.start();
await past(harness);
await questions(harness);
mkdirSync(FOLDER, { recursive: true });
const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
for (const [size, viewport] of Object.entries(SIZES)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, context } = await harness.open(browser, '/', { viewport, colorScheme, hasTouch: size === 'phone' });
    // The warning about running as root, as in a container, does not belong in the screenshots.
    await page.getByRole('button', { name: 'Hide these warnings' }).click({ timeout: 2000 }).catch(() => undefined);
    for (const [name, { path, first }] of Object.entries(PICTURES)) {
      await page.goto(harness.address + (await path(harness)));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle', { timeout: 1000 }).catch(() => undefined);
      await first?.(page);
      await page.evaluate(rename, [harness.server.folder, '/home/ada'] as const);
      await page.screenshot({ path: join(FOLDER, `${name}-${size}-${colorScheme}.png`) });
      console.log(`docs/screenshots/${name}-${size}-${colorScheme}.png`);
    }
    await context.close();
  }
}
await browser.close();
await harness.end();
