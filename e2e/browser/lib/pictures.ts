// What makes a picture of a page of a test server look like that of a person's server.
import type { BrowserContext, Page } from '@playwright/test';
import type { Harness } from './harness.js';

interface Warned {
  warnings?: string[];
  warningCodes?: { code: string }[];
}

/** Leaves out the warning that the server runs as root, as it does in a container. Call it before the page is opened. */
export async function withoutRootWarning(context: BrowserContext): Promise<void> {
  await context.route('**/api/session', async (route) => {
    const response = await route.fetch();
    const session = (await response.json()) as Warned;
    const kept = (_: unknown, at: number): boolean => session.warningCodes?.[at]?.code !== 'runs_as_root';
    await route.fulfill({ response, json: { ...session, warnings: session.warnings?.filter(kept), warningCodes: session.warningCodes?.filter(kept) } });
  });
}

/** Shows the temporary directory of the server as a home directory, also where a path is split to be broken. */
function rename([from, to]: readonly [string, string]): void {
  for (const element of document.querySelectorAll('body *')) {
    if ([...element.children].some((child) => child.textContent.includes(from))) continue;
    for (let at = element.textContent.indexOf(from); at !== -1; at = element.textContent.indexOf(from)) {
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      let begin = 0;
      for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
        const text = node.nodeValue ?? '';
        const [first, last] = [Math.max(0, at - begin), Math.min(text.length, at + from.length - begin)];
        if (first < last) node.nodeValue = text.slice(0, first) + (begin <= at ? to : '') + text.slice(last);
        begin += text.length;
      }
    }
  }
}


/** Shows the temporary directory of the server as a home directory. */
export async function atHome(page: Page, harness: Harness): Promise<void> {
  await page.evaluate(rename, [harness.server.folder, '/home/ada'] as const);
}
