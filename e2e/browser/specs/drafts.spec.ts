// Text that was typed and not sent stays with its approval; nothing else of the answer does.
import { type Page, expect, test } from '../lib/test.js';

const CLAUDE = { agentId: 'claude-code', conversationId: 'c0ffee' };

const focus = (page: Page) => page.getByRole('region', { name: 'Selected question' });
const rows = (page: Page) => page.getByRole('list', { name: 'Open questions' }).getByRole('listitem');
const approve = (page: Page) => focus(page).getByRole('button', { name: /^Approve/ }).first();
const ready = (page: Page) => expect(approve(page)).toHaveAttribute('aria-disabled', 'false');

test('a reason, an edit and a rule are kept while another question is open', async ({ page, harness }) => {
  const first = await harness.bash('git push origin one', CLAUDE);
  await harness.bash('git push origin two', CLAUDE);
  await harness.signIn(page);
  await ready(page);
  await page.keyboard.press('d');
  await page.getByRole('textbox', { name: /Your own reason/ }).fill('Use the release script');
  await page.keyboard.press('Escape');
  await ready(page);
  await page.keyboard.press('e');
  await focus(page).getByRole('textbox').first().fill('git push --dry-run origin one');
  // By a click on the list, with the edit open.
  await rows(page).nth(1).getByRole('link').click();
  await expect(focus(page)).toContainText('origin two');
  await expect(rows(page).nth(0)).toContainText('draft');
  await expect(rows(page).nth(1)).not.toContainText('draft');
  await ready(page);
  await page.keyboard.press('k');
  await expect(focus(page)).toContainText('origin one');
  // Nothing is open, and keys mean the same as on any new approval.
  await expect(page.getByRole('textbox')).toHaveCount(0);
  await expect(approve(page)).toHaveAttribute('aria-disabled', 'true');
  await ready(page);
  await page.keyboard.press('r');
  await page.getByRole('radio', { name: /Everywhere/ }).check();
  await page.getByRole('button', { name: 'Edit the rules' }).click();
  await page.getByRole('textbox', { name: /^Note/ }).fill('for the release');
  await page.getByRole('link', { name: 'Rules', exact: true }).click();
  await page.getByRole('link', { name: /^Inbox/ }).click();
  await ready(page);
  await page.keyboard.press('r');
  await expect(page.getByRole('radio', { name: /Everywhere/ })).toBeChecked();
  await expect(page.getByRole('textbox', { name: /^Note/ })).toHaveValue('for the release');
  await page.keyboard.press('Escape');
  await ready(page);
  await page.keyboard.press('e');
  await expect(focus(page).getByRole('textbox').first()).toHaveValue('git push --dry-run origin one');
  await page.keyboard.press('Escape');
  await ready(page);
  await expect(focus(page).getByRole('button', { name: 'Deny (draft)' })).toBeVisible();
  await page.keyboard.press('d');
  await expect(page.getByRole('textbox')).toHaveValue('Use the release script');
  await page.keyboard.press('Enter');
  expect(await first.permission).toMatchObject({ behavior: 'deny', message: 'Use the release script' });
});

test('an unconfirmed dangerous approval is not kept, and a kept edit is judged again', async ({ page, harness }) => {
  await harness.bash('rm -rf build', CLAUDE);
  await harness.bash('git push origin two', CLAUDE);
  await harness.signIn(page);
  await ready(page);
  await page.keyboard.press('a');
  const anyway = page.getByRole('button', { name: 'Approve anyway' });
  await expect(anyway).toBeVisible();
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await expect(focus(page)).toContainText('rm -rf build');
  await expect(anyway).toHaveCount(0);
  await expect(rows(page).nth(0)).not.toContainText('draft');
  await ready(page);
  await page.keyboard.press('e');
  await focus(page).getByRole('textbox').first().fill('rm -rf dist');
  const take = page.getByRole('button', { name: 'Approve with changes' });
  await expect(take).toBeEnabled();
  await take.click();
  await expect(anyway).toBeVisible();
  await rows(page).nth(1).getByRole('link').click();
  await rows(page).nth(0).getByRole('link').click();
  await expect(anyway).toHaveCount(0);
  await ready(page);
  await page.route('**/api/decide', () => undefined);
  await page.keyboard.press('e');
  await expect(focus(page).getByRole('textbox').first()).toHaveValue('rm -rf dist');
  await expect(take).toBeDisabled();
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });

  test('drafts are kept on the way to the list and back', async ({ page, harness }) => {
    await harness.bash('git push origin one', CLAUDE);
    await harness.bash('git push origin two', CLAUDE);
    await harness.signIn(page);
    await rows(page).nth(0).getByRole('link').tap();
    await ready(page);
    await focus(page).getByRole('button', { name: /^Deny/ }).tap();
    await page.getByRole('textbox').fill('Wait for the tests');
    await page.goBack();
    await expect(rows(page).nth(0)).toContainText('draft');
    await rows(page).nth(0).getByRole('link').tap();
    await ready(page);
    await expect(page.getByRole('textbox')).toHaveCount(0);
    await focus(page).getByRole('button', { name: /^Deny/ }).tap();
    await expect(page.getByRole('textbox')).toHaveValue('Wait for the tests');
  });
});
