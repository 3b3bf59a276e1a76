// Presses approve until the answer is accepted, and records what was in view meanwhile.
import { type Locator, type Page, expect } from '@playwright/test';
import type { PendingCall, Harness } from './harness.js';

/** Whether an element is on the page, in view, and not covered. */
async function inView(what: Locator): Promise<boolean> {
  if ((await what.count()) === 0) return false;
  return what.first().evaluate((element) => {
    const { left, top, width, height } = element.getClientRects()[0] ?? new DOMRect(-1, -1);
    return [0.1, 0.9].every((part) => {
      const found = document.elementFromPoint(left + Math.min(width / 2, 20), top + height * part);
      return found !== null && element.contains(found);
    });
  });
}

/** How many presses (of the key `a` by default) it took to approve, and which of these elements were in view before that. */
export async function approved(
  page: Page,
  harness: Harness,
  asked: PendingCall,
  watched: Locator[] = [],
  most = 25,
  press: () => Promise<void> = () => page.keyboard.press('a'),
): Promise<{ presses: number; seen: boolean[] }> {
  const seen = watched.map(() => false);
  const yes = page.locator('.answers .allow');
  const pending = async () => (await harness.as('admin').approvals.show(asked.id)).state === 'pending';
  for (let presses = 1; presses <= most; presses += 1) {
    // An answer may still be on its way.
    const isReady = async () => !(await pending()) || (await yes.getAttribute('aria-disabled', { timeout: 1000 }).catch(() => null)) === 'false';
    await expect.poll(isReady).toBe(true);
    if (!(await pending())) return { presses: presses - 1, seen };
    for (const [at, what] of watched.entries()) seen[at] ||= await inView(what);
    await press();
    // Either it was an answer, or there is half a second to read what appeared.
    await page.waitForTimeout(250);
    if (!(await pending())) return { presses, seen };
  }
  return { presses: Infinity, seen };
}
