// A manual clock for a page, so that tests of half-second delays do not depend on the speed of the machine.
import { type Page, expect } from '@playwright/test';

/** Gives the page a clock that can be stopped. It runs normally until then. Call it before the page is opened. */
export async function withClock(page: Page): Promise<void> {
  await page.clock.install();
}

/** Stops the clock of the page; `page.clock.runFor` and `page.clock.resume` advance it. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1000);
}

/** Advances a stopped clock frame by frame until a condition holds. */
export async function byFrames(page: Page, holds: () => Promise<void>): Promise<void> {
  await expect(async () => {
    await page.clock.runFor(20);
    await holds();
  }).toPass({ intervals: [50] });
}
