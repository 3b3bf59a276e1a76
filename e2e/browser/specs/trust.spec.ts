// Trust in a project's own file, with a real one on disk.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { axe } from '../lib/axe.js';
import { byFrames, stopClock, withClock } from '../lib/clock.js';
import { expect, test } from '../lib/test.js';

const root = mkdtempSync(join(tmpdir(), 'sekisho-project-'));
const file = join(root, '.sekisho/config.json');
mkdirSync(join(root, '.sekisho'));

function write(allowed: string[]): void {
  const allow = allowed.map((command) => ({ tool: 'bash', command }));
  writeFileSync(file, `${JSON.stringify({ version: 1, permissions: { allow } }, null, 2)}\n`);
}

test.use({ serverOptions: { flags: ['--project', root] } });
// A worker may return to this file after it has finished it.
process.once('exit', () => rmSync(root, { recursive: true, force: true }));

test('a file is trusted as it was read and loses its trust when it changes', async ({ page, harness, watch }) => {
  watch.expects(/409/);
  write(['npm test']);
  const allowed = async (command: string): Promise<string> =>
    (await harness.as('agent').decide({ toolName: 'Bash', input: { command }, cwd: root })).decision;
  await harness.signIn(page);
  await page.goto(`${harness.address}/settings/trust`);
  const card = page.getByRole('listitem').filter({ hasText: root });
  await expect(card).toContainText('not trusted');
  await expect(card).toContainText('1 allow rule');
  expect(await allowed('npm test')).toBe('confirm');

  await card.getByRole('button', { name: 'Read and trust' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('"command": "npm test"');
  expect(await axe(page)).toEqual([]);
  // Changed after it was read: the file that would be trusted is not the one that was read.
  write(['npm test', 'rm -rf\u202e /']);
  const yes = dialog.getByRole('button', { name: 'Trust exactly this version' });
  await yes.click();
  await expect(dialog.getByRole('status')).toContainText('The file changed while you were reading');
  // The text that was read is still shown, but can no longer be trusted.
  await expect(yes).toHaveCount(0);
  await expect(dialog).not.toContainText('rm -rf');
  expect(await axe(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Read the new version' }).click();
  await expect(dialog).toContainText('rm -rf\\u{202e} /');
  await expect(dialog).toContainText('its 2 allow rules apply at once');
  await expect(yes).toHaveAttribute('aria-disabled', 'true');
  expect(await allowed('npm test')).toBe('confirm');

  write(['npm test']);
  await yes.click();
  await dialog.getByRole('button', { name: 'Read the new version' }).click();
  await expect(dialog).not.toContainText('rm -rf');
  await yes.click();
  await expect(dialog).toBeHidden();
  await expect(card).toContainText('Its allow rules apply.');
  expect(await allowed('npm test')).toBe('allow');

  write(['npm test', 'npm run lint']);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(card).toContainText('changed');
  await card.getByRole('button', { name: 'Read the changes' }).click();
  await expect(dialog.locator('.added')).toContainText(['"command": "npm run lint"'].map((text) => new RegExp(text)));
  await dialog.getByRole('button', { name: 'Trust exactly this version' }).click();
  await expect(card).toContainText('Its allow rules apply.');

  await card.getByRole('button', { name: 'Stop trusting' }).click();
  await expect(card).toContainText('Nobody has trusted it');
  expect(await allowed('npm test')).toBe('confirm');

  writeFileSync(file, '{ "version": 1, "permisions": {} }');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(card).toContainText('invalid');
  await expect(card).toContainText('permisions');
  await expect(card.getByRole('button', { name: 'Read and trust' })).toBeHidden();
  rmSync(file);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(card).toContainText('no file');
});

test('a double click never trusts text that was not read', async ({ page, harness, watch }) => {
  watch.expects(/409/);
  mkdirSync(join(root, '.sekisho'), { recursive: true });
  write(['npm test']);
  await withClock(page);
  await harness.signIn(page);
  await page.goto(`${harness.address}/settings/trust`);
  const card = page.getByRole('listitem').filter({ hasText: root });
  await card.getByRole('button', { name: 'Read and trust' }).click();
  const yes = page.getByRole('dialog').getByRole('button', { name: 'Trust exactly this version' });
  await expect(yes).toHaveAttribute('aria-disabled', 'false');
  await stopClock(page);
  await page.clock.runFor(1000);
  write(['git push']);
  const spot = (await yes.boundingBox())!;
  const [x, y] = [spot.x + spot.width / 2, spot.y + spot.height / 2];
  await page.mouse.click(x, y);
  await byFrames(page, () => expect(page.getByRole('dialog')).toContainText('The file changed', { timeout: 100 }));
  for (let press = 0; press < 4; press += 1) {
    await page.mouse.click(x, y);
    await page.clock.runFor(150);
  }
  const decided = await harness.as('agent').decide({ toolName: 'Bash', input: { command: 'git push --force origin main' }, cwd: root });
  expect(decided.decision).toBe('confirm');
});
