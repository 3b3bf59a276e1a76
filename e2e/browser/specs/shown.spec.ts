// What is shown of a call is all of it, in the order in which it is written, and in nobody else's voice.
import type { Locator } from '@playwright/test';
import { type Page, type Stage, expect, test } from '../lib/test.js';

const focus = (page: Page) => page.getByRole('region', { name: 'Question in focus' });
const ready = (page: Page) => expect(focus(page).getByRole('button', { name: /^Approve/ }).first()).toHaveAttribute('aria-disabled', 'false');

async function look(page: Page, stage: Stage, id: string): Promise<void> {
  if (page.url() === 'about:blank') await stage.signIn(page);
  await page.goto(`${stage.address}/approvals/${id}`);
  await ready(page);
}

/** The characters of a box in the order in which they stand on the screen: line by line, from left to right. */
function onScreen(box: Locator): Promise<string> {
  return box.evaluate((element) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const found: { character: string; top: number; left: number }[] = [];
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (node.parentElement?.closest('.unseen, button, .number, .sign') != null && node.parentElement.closest('.fold .path') == null) continue;
      for (let at = 0; at < node.nodeValue!.length; at += 1) {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        const { left, bottom, width } = range.getBoundingClientRect();
        // Of a line, whatever the size of its letters.
        if (width > 0) found.push({ character: node.nodeValue![at]!, top: Math.round(bottom / 12), left });
      }
    }
    return found.sort((a, b) => a.top - b.top || a.left - b.left).map(({ character }) => character).join('');
  });
}

const LEFT = 'א > ב';

test('letters that run from right to left turn nothing around', async ({ page, stage }) => {
  const cwd = '/srv/א/ב';
  const command = await stage.bash(`cat ${LEFT}; mv ג ד`, { cwd, agentId: `agent ${LEFT}` });
  await look(page, stage, command.id);
  const article = page.getByRole('article');
  expect(await onScreen(article.getByRole('group', { name: 'Command' }))).toBe(`cat ${LEFT}; mv ג ד`);
  await expect(article.getByText('in the order in which they are written')).toBeVisible();
  expect(await onScreen(article.locator('.cwd code'))).toBe(cwd);
  // Names, parts, reasons and facts.
  const codes = await article.locator('code').filter({ hasText: /[א-ת]/ }).all();
  expect(codes.length).toBeGreaterThan(5);
  for (const code of codes) expect(await onScreen(code)).toBe(await code.textContent());
  expect(await onScreen(page.locator(`#row-${command.id} .message`))).toBe(`cat ${LEFT}; mv ג ד`);
  // Choosing a part tells of it in the same order.
  await article.getByRole('group', { name: 'Command' }).getByRole('button').filter({ hasText: 'mv' }).press('Enter');
  expect(await onScreen(article.locator('[aria-live] .head code').first())).toBe('mv ג ד');
  await page.keyboard.press('v');
  expect((await onScreen(article.getByRole('group', { name: 'JSON' }))).replace(/\s/g, '')).toContain(`"cat${LEFT};mvגד"`.replace(/\s/g, ''));
  await page.keyboard.press('e');
  const field = focus(page).getByRole('textbox').first();
  expect(await field.evaluate((area) => [getComputedStyle(area).unicodeBidi, getComputedStyle(area).direction])).toEqual(['isolate-override', 'ltr']);
});

test('nor in a change, an address, a list of names, a group and what was answered', async ({ page, stage }) => {
  const diff = await stage.ask('Edit', { file_path: '/tmp/א/ב', old_string: `x ${LEFT}`, new_string: `y ${LEFT}` });
  const url = await stage.ask('WebFetch', { url: 'https://example.com/א/ב?x=ג/ד' });
  const list = await stage.ask('send', { to: LEFT, body: `${LEFT}\nsecond` }, { serverId: 'mail' });
  const read = await stage.ask('Read', { file_path: '/srv/א/ב/x' }, { cwd: '/srv/א' });
  await look(page, stage, diff.id);
  const article = page.getByRole('article');
  const lines = article.locator('.line .text');
  expect(await onScreen(lines.first())).toBe(`x ${LEFT}`);
  expect(await onScreen(lines.nth(1))).toBe(`y ${LEFT}`);
  expect(await onScreen(article.locator('bdi.path'))).toBe('/tmp/א/ב');
  await look(page, stage, url.id);
  expect(await onScreen(article.locator('.url'))).toBe('https://example.com/א/ב?x=ג/ד');
  await look(page, stage, list.id);
  expect(await onScreen(article.getByRole('group', { name: 'Input' }).locator('dd.line'))).toBe(LEFT);
  expect(await onScreen(article.getByRole('group', { name: 'body' }))).toBe(`${LEFT}second`);
  await look(page, stage, read.id);
  expect(await onScreen(article.locator('dd .path'))).toBe('/srv/א/ב/x');
  await page.getByRole('checkbox', { name: 'Select all shown' }).click();
  await page.getByRole('button', { name: 'Deny…', exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  expect(await onScreen(dialog.locator('.message').filter({ hasText: '/srv' }))).toBe('/srv/א/ב/x');
  await dialog.getByRole('button', { name: 'Deny 4' }).click();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  expect(await onScreen(page.locator('section .what').filter({ hasText: '/srv' }).locator('bdi').last())).toBe('/srv/א/ב/x');
});
