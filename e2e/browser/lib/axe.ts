// Runs axe-core on a page. It is injected from outside, bypassing the page's content security policy.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from '@playwright/test';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Serious and critical findings, one line each; with `only`, of these rules. */
export async function axe(page: Page, only?: readonly string[]): Promise<string[]> {
  // Colours in transition have no final contrast.
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined))));
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(SOURCE);
  const options = { resultTypes: ['violations'], ...(only !== undefined && { runOnly: [...only] }) };
  const { violations } = await page.evaluate(
    (options) => (window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } }).axe.run(options),
    options,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`));
}
