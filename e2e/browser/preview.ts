// A server with sample data: `npm run preview`, then open the link. With `--shots FOLDER PATH…` it takes screenshots
// of these paths instead, wide and narrow, light and dark (`--locale ja`: in Japanese).
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { CHROMIUM, FLAGS } from './lib/chromium.js';
import { sampleAgents } from './lib/scriptedAgents.js';
import { past, questions } from './lib/seed.js';
import { Harness } from './lib/harness.js';
import { atHome, withoutRootWarning } from './lib/pictures.js';

const { values, positionals } = parseArgs({
  options: { shots: { type: 'string' }, locale: { type: 'string', default: 'en-GB' }, empty: { type: 'boolean', default: false } },
  allowPositionals: true,
});
process.env['SEKISHO_FRONT'] ??= '1';
const harness = await Harness.start({ project: 'shop' });
/** Ids of sample data; paths may contain `:writer`, `:pipeline` and `:run`. */
let ids: Record<string, string> = {};
if (!values.empty) {
  // Pictures show the times that people take.
  const pace = values.shots === undefined ? 0 : 1;
  await Promise.all([past(harness, pace), questions(harness, pace)]);
  ids = await sampleAgents(harness);
}

async function shoot(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  for (const [width, viewport] of Object.entries({ wide: { width: 1280, height: 800 }, narrow: { width: 360, height: 740 } })) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, context } = await harness.open(browser, '/', { viewport, colorScheme, name: 'Ada', locale: values.locale, hasTouch: width === 'narrow' });
      await withoutRootWarning(context);
      for (const path of positionals.length === 0 ? ['/'] : positionals) {
        await page.goto(harness.address + path.replace(/:([a-z]+)/g, (all, name: string) => ids[name] ?? all));
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForTimeout(700);
        await atHome(page, harness);
        const name = path.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '') || 'inbox';
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
      }
      await context.close();
    }
  }
  await browser.close();
}

if (values.shots !== undefined) {
  await shoot(values.shots);
  await harness.end();
} else {
  console.log(harness.link());
  process.once('SIGINT', () => void harness.end().then(() => process.exit()));
}
