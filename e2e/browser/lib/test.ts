// Every test has a server of its own, and a watched page: a console error, a policy violation, or a request
// to another host fails it.
import { type Page, test as plain } from '@playwright/test';
import type { ServerOptions } from '../../../sdk/typescript/test/test-server.js';
import { Harness } from './harness.js';

export { expect } from '@playwright/test';
export type { Locator, Page } from '@playwright/test';
export type { Harness } from './harness.js';

/** Forbidden things that a page did. */
export class Watch {
  readonly #found: string[] = [];
  readonly #expected: RegExp[] = [];

  /** An error that a test causes on purpose. */
  expects(what: RegExp): void {
    this.#expected.push(what);
  }

  over(page: Page, home: string): void {
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.#note(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.#note(`thrown: ${error.stack ?? error.message}`));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${home}/`) && !url.startsWith('data:') && !url.startsWith('blob:')) this.#note(`request: ${url}`);
    });
  }

  #note(what: string): void {
    this.#found.push(what);
  }

  get found(): string[] {
    return this.#found.filter((what) => !this.#expected.some((expected) => expected.test(what)));
  }
}

interface Fixtures {
  /** Options that differ from a default server: `test.use({ serverOptions: {…} })`. */
  serverOptions: ServerOptions;
  harness: Harness;
  watch: Watch;
}

export const test = plain.extend<Fixtures>({
  serverOptions: [{}, { option: true }],
  harness: async ({ serverOptions }, use) => {
    const harness = await Harness.start(serverOptions);
    await use(harness);
    await harness.end();
  },
  watch: [
    async ({ browser, harness }, use) => {
      const watch = new Watch();
      const open = browser.newContext.bind(browser);
      // Pages of every context, including those of a second browser.
      browser.newContext = async (options) => {
        const context = await open(options);
        context.on('page', (page) => watch.over(page, harness.address));
        return context;
      };
      await use(watch);
      browser.newContext = open;
      plain.expect(watch.found, 'errors, violations and foreign requests').toEqual([]);
    },
    { auto: true },
  ],
  // After `watch`, so that the test's own page is watched too.
  context: async ({ browser, watch, contextOptions }, use) => {
    void watch;
    const context = await browser.newContext(contextOptions);
    await use(context);
    await context.close();
  },
});
