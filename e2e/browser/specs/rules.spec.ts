import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Page, type Harness, expect, test } from '../lib/test.js';

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const field = (page: Page, name: string) => page.locator(`[data-field="${name}"]`).locator('input, textarea, select');

async function rules(page: Page, harness: Harness, query = ''): Promise<void> {
  await harness.signIn(page);
  await page.goto(`${harness.address}/rules${query}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Rules');
  await expect(page.getByRole('button', { name: /built-in rules$/ })).toBeVisible();
}

test.describe('with rules', () => {
  test.beforeEach(async ({ harness }) => {
    const admin = harness.as('admin');
    await admin.rules.add({ effect: 'allow', tool: 'bash', command: 'cargo test', note: 'tests are harmless here' });
    await admin.rules.add({ effect: 'deny', tool: 'bash', command: 'git push', priority: 10 });
  });

  test('a new rule is tried on the log and appears at once in a second window', async ({ page, harness, browser }) => {
    const asked = await harness.bash('npm run build');
    await rules(page, harness);
    const { page: other } = await harness.open(browser, '/rules', { name: 'phone' });
    await expect(row(other, 'cargo test')).toBeVisible();

    await page.getByRole('button', { name: 'Add a rule' }).click();
    await expect(field(page, 'priority')).toHaveValue('0');
    // A new rule asks, until somebody chooses otherwise.
    await expect(page.getByRole('radio', { name: 'confirm' })).toBeChecked();
    await page.locator('#content .switch').getByText('allow', { exact: true }).click();
    await page.getByRole('button', { name: 'bash', exact: true }).click();
    await expect(field(page, 'host')).toBeHidden();
    await field(page, 'command').fill('npm run');
    await field(page, 'note').fill('our own scripts');
    const trial = page.getByRole('region', { name: 'Effect on past calls' });
    await expect(trial).toContainText('1 would have been decided differently');
    await expect(trial).toContainText('npm run build');
    await page.getByRole('button', { name: 'Save rule' }).click();
    await expect(row(page, 'npm run')).toContainText('our own scripts');
    await expect(row(page, 'npm run')).toContainText('your rule');
    await expect(row(other, 'npm run')).toBeVisible();
    // It also settles what was pending before.
    expect(await asked.permission).toMatchObject({ behavior: 'allow' });
  });

  test('a rule is edited in place, and concurrent changes are reported', async ({ page, harness, watch }) => {
    // The page may test its draft at the moment at which the rule is removed.
    watch.expects(/404/);
    await rules(page, harness);
    await row(page, 'cargo test').getByRole('button', { name: /^Edit/ }).click();
    await field(page, 'command').fill('cargo nextest');
    const kept = (await harness.as('admin').rules.list({ source: 'database' })).rules.find(({ rule }) => rule.command === 'cargo test');
    await harness.as('admin').rules.replace(kept!.id, { effect: 'allow', tool: 'bash', command: 'cargo check' });
    await expect(page.getByText('Somebody else changed this rule')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled();
    await expect(field(page, 'command')).toHaveValue('cargo nextest');
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(row(page, 'cargo nextest')).toBeVisible();

    await row(page, 'cargo nextest').getByRole('button', { name: /^Edit/ }).click();
    await field(page, 'note').fill('kept anyway');
    await harness.as('admin').rules.remove(kept!.id);
    await page.getByRole('button', { name: 'Save as a new rule' }).click();
    await page.getByRole('button', { name: 'Save rule' }).click();
    await expect(row(page, 'cargo nextest')).toContainText('kept anyway');
  });

  test('typed text is not discarded without confirmation', async ({ page, harness }) => {
    await rules(page, harness);
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await field(page, 'tool').fill('deploy');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    await page.getByRole('link', { name: 'Settings' }).click();
    await expect(page.getByText('Your unsaved rule is kept under Rules.')).toBeVisible();
    await page.goBack();
    await expect(field(page, 'tool')).toHaveValue('deploy');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect(page.getByRole('heading', { name: 'New rule' })).toBeHidden();
    await expect(page.getByRole('button', { name: 'Add a rule' })).toBeFocused();
  });

  test('a rule is deleted after confirmation and can be restored', async ({ page, harness }) => {
    await harness.as('agent').canUseTool({ toolName: 'Bash', input: { command: 'git push' }, toolUseId: 'x' });
    await rules(page, harness);
    await expect(row(page, 'git push').getByText('last hit')).toBeVisible();
    await row(page, 'git push').getByRole('button', { name: /^Delete/ }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('git push');
    await expect(dialog).toContainText('It decided 1 call in');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(row(page, 'git push')).toBeVisible();
    await row(page, 'git push').getByRole('button', { name: /^Delete/ }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(row(page, 'git push')).toHaveCount(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(row(page, 'git push')).toBeVisible();
  });

  test('a rule is duplicated', async ({ page, harness }) => {
    await rules(page, harness);
    await row(page, 'cargo test').getByRole('button', { name: /^Duplicate/ }).click();
    await expect(field(page, 'command')).toHaveValue('cargo test');
    await field(page, 'command').fill('cargo bench');
    await page.getByRole('button', { name: 'Save rule' }).click();
    await expect(row(page, 'cargo bench')).toBeVisible();
    await expect(row(page, 'cargo test')).toBeVisible();
  });

  test('filters and order are in the URL, and built-in rules are folded', async ({ page, harness }) => {
    await rules(page, harness);
    await expect(page.locator('tbody tr')).toHaveCount(2);
    await expect(page.locator('tbody tr').first()).toContainText('git push');
    await page.getByRole('searchbox', { name: 'Search' }).fill('harmless');
    await expect(page).toHaveURL(/\?text=harmless$/);
    await expect(page.locator('tbody tr')).toHaveCount(1);
    await page.getByLabel('Effect', { exact: true }).selectOption('deny');
    await expect(page.getByText('No rule matches these filters.')).toBeVisible();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('columnheader', { name: 'Priority' }).getByRole('button').click();
    await expect(page).toHaveURL(/\?sort=-priority$/);
    await page.reload();
    await expect(page.locator('tbody tr').first()).toContainText('cargo test');
    await expect(page.getByRole('columnheader', { name: 'Priority' })).toHaveAttribute('aria-sort', 'ascending');
    await page.getByRole('button', { name: /^Show \d+ built-in rules$/ }).click();
    await expect(page.locator('tbody tr')).toHaveCount(60);
  });

  test('the call test judges the typed call, lists considered rules, and updates with the rules', async ({ page, harness }) => {
    await rules(page, harness);
    const callTest = page.getByRole('region', { name: 'Try a call' });
    await callTest.getByLabel('Command').fill('cargo test && git push');
    const verdict = callTest.locator('.verdict');
    await expect(verdict).toContainText('deny');
    const parts = callTest.getByRole('list', { name: 'Parts of the command' });
    await expect(parts.getByRole('listitem')).toHaveCount(2);
    await expect(parts.getByRole('listitem').first()).toContainText('allow');
    const won = callTest.getByRole('list', { name: 'Rules involved' }).getByRole('listitem').filter({ hasText: 'git push' });
    await expect(won).toContainText('Decided');
    await expect(page).toHaveURL(/command=cargo/);
    await won.getByRole('button', { name: 'Show in the list' }).click();
    await expect(row(page, 'git push')).toBeFocused();

    const [denies] = (await harness.as('admin').rules.list({ source: 'database', effect: 'deny' })).rules;
    await harness.as('admin').rules.remove(denies!.id);
    await expect(verdict).toContainText('confirm');

    await callTest.getByRole('button', { name: 'Any call' }).click();
    await expect(callTest.getByLabel('Tool')).toHaveValue('bash');
    await callTest.getByLabel('Input (JSON)').fill('{"command": ');
    await expect(callTest.getByText('The input is not valid JSON.')).toBeVisible();
    await callTest.getByLabel('Input (JSON)').fill('{"command": "cargo test"}');
    await expect(verdict).toContainText('allow');
  });

  test('a rule with lower precedence loses in the call test', async ({ page, harness }) => {
    await harness.as('admin').rules.add({ effect: 'confirm', tool: 'bash', command: 'cargo', priority: 5 });
    await rules(page, harness, '?command=cargo+test');
    const lost = page.getByRole('list', { name: 'Rules involved' }).getByRole('listitem').filter({ hasText: 'cargo test' });
    await expect(lost).toContainText('Did not decide');
    await expect(lost).toContainText('a stronger rule decided');
  });

  test('a URL can contain a draft rule and a call', async ({ page, harness }) => {
    const draft = JSON.stringify({ effect: 'allow', rule: { tool: 'bash', command: 'make test' } });
    const call = JSON.stringify({ toolName: 'Bash', input: { command: 'make test' } });
    await rules(page, harness, `?${new URLSearchParams({ draft, call }).toString()}`);
    await expect(field(page, 'command')).toHaveValue('make test');
    const status = page.getByRole('status').filter({ hasText: 'the rule you are editing' });
    await expect(status).toHaveText(/With the rule you are editing:\s+confirm\s+→\s*becomes\s+allow/);
    const considered = page.getByRole('list', { name: 'Rules involved' }).getByRole('listitem');
    await expect(considered.filter({ hasText: 'The rule you are editing' })).toContainText('Decided');
    await field(page, 'command').fill('make lint');
    await expect(page.getByText('The rule you are editing does not match this call.')).toBeVisible();
    await page.getByRole('button', { name: 'Save rule' }).click();
    await expect(row(page, 'make lint')).toBeVisible();
    await expect(page).not.toHaveURL(/draft=/);
  });

  test('errors are shown at their fields, including server errors', async ({ page, harness, watch }) => {
    watch.expects(/status of 400/);
    await rules(page, harness);
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await field(page, 'tool').fill('bash');
    await field(page, 'command').fill('git *');
    await expect(page.locator('[data-field="command"]')).toContainText('Use the command pattern');
    await page.getByRole('button', { name: 'Save rule' }).click();
    await expect(field(page, 'command')).toBeFocused();
    await field(page, 'command').fill('git status');
    await page.locator('#content').getByText('More', { exact: true }).click();
    await expect(field(page, 'path')).toBeDisabled();
    await expect(page.locator('[data-field="path"]')).toContainText('Only for file tools');
    await field(page, 'match').fill('git push');
    await page.getByRole('button', { name: 'Save rule' }).click();
    await expect(page.locator('[data-field="match"]')).toContainText('the rule does not match "git push"');
    await expect(field(page, 'match')).toHaveAttribute('aria-invalid', 'true');
    await field(page, 'match').fill('git status -s');
    await page.getByRole('button', { name: 'Save rule' }).click();
    await expect(row(page, 'git status')).toBeVisible();
  });

  test('a viewer can read and test rules but not change them', async ({ browser, harness }) => {
    const { page } = await harness.open(browser, '/rules', { role: 'viewer' });
    await expect(page.getByText('Only admins can change rules.')).toBeVisible();
    await expect(row(page, 'cargo test')).toBeVisible();
    await expect(page.getByRole('button', { name: /^(Add|Edit|Duplicate|Delete)/ })).toHaveCount(0);
    await row(page, 'cargo test').getByRole('button', { name: /^Details/ }).click();
    await expect(page.getByText('Created')).toBeVisible();
    await page.getByRole('region', { name: 'Try a call' }).getByLabel('Command').fill('git push');
    await expect(page.locator('.verdict')).toContainText('deny');
  });

  test('the rules page fits a phone', async ({ browser, harness }) => {
    const { page } = await harness.open(browser, '/rules', { viewport: { width: 360, height: 740 }, hasTouch: true });
    await expect(row(page, 'cargo test')).toBeVisible();
    await expect(row(page, 'cargo test')).toContainText('Note:');
    await expect(page.getByLabel('Effect', { exact: true })).toBeHidden();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByLabel('Effect', { exact: true }).selectOption('allow');
    await expect(page.getByRole('button', { name: 'Filters (1)' })).toBeVisible();
    await page.getByLabel('Effect', { exact: true }).selectOption('');
    const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    expect(await fits()).toBe(true);
    await page.getByRole('button', { name: 'Add a rule' }).click();
    expect(await fits()).toBe(true);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Try a call', exact: true }).click();
    await page.getByLabel('Command').fill('git push && ls');
    await expect(page.locator('.verdict')).toContainText('deny');
    expect(await fits()).toBe(true);
    await page.getByRole('button', { name: 'Show in the list' }).first().click();
    await expect(row(page, 'git push')).toBeInViewport();
  });

  test('a link with a call opens the call test on a phone', async ({ browser, harness }) => {
    const call = encodeURIComponent(JSON.stringify({ toolName: 'bash', input: { command: 'git push && ls' } }));
    const { page } = await harness.open(browser, '/rules', { viewport: { width: 360, height: 740 }, hasTouch: true });
    await page.goto(`${harness.address}/rules?call=${call}`);
    await expect(page.locator('.verdict')).toBeInViewport();
    await page.getByRole('button', { name: 'Rules', exact: true }).click();
    await expect(row(page, 'cargo test')).toBeVisible();
  });
});

test.describe('with a file', () => {
  test.use({ serverOptions: { config: '{\n  // Mine.\n  "version": 1,\n  "permissions": {\n    "allow": [{"tool": "bash", "command": "make lint"}]\n  }\n}\n' } });

  const text = (harness: Harness): string => readFileSync(join(harness.server.folder, 'config/sekisho/config.json'), 'utf8');

  test('an admin edits and removes rules of the file, and its comments are kept', async ({ page, harness }) => {
    await rules(page, harness);
    const file = row(page, 'make lint');
    await expect(file).toContainText('your file');
    await file.getByRole('button', { name: /^Edit/ }).click();
    await expect(page.getByText('This rule is in your own file:')).toBeVisible();
    await expect(page.getByText(/config\.json:5$/).first()).toBeVisible();
    await field(page, 'note').fill('we run it all day');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(row(page, 'make lint')).toContainText('we run it all day');
    expect(text(harness)).toContain('// Mine.');
    expect(text(harness)).toContain('"note": "we run it all day"');

    await row(page, 'make lint').getByRole('button', { name: /^Delete/ }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('It is removed from your own file');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(row(page, 'make lint')).toHaveCount(0);
    expect(text(harness)).not.toContain('make lint');
    expect(text(harness)).toContain('// Mine.');
    await page.goto(`${harness.address}/audit?kind=rules`);
    await expect(page.getByText('Rule removed from a file', { exact: false })).toBeVisible();
  });

  test('other roles see the file and line of its rules', async ({ page, harness }) => {
    await harness.signIn(page, 'guest', 'approver');
    await page.goto(`${harness.address}/rules`);
    const file = row(page, 'make lint');
    await expect(file.getByRole('button', { name: /^(Edit|Delete)/ })).toHaveCount(0);
    await file.getByRole('button', { name: /^Details/ }).click();
    await expect(page.getByText(/config\.json:5$/)).toHaveCount(2);
  });

  test('a rule remembered globally is listed in the file and can be removed', async ({ page, harness }) => {
    const asked = await harness.bash('git push origin main');
    await harness.signIn(page);
    await page.goto(`${harness.address}/approvals/${asked.id}`);
    await page.getByRole('button', { name: /^Remember/ }).click();
    await page.getByRole('radio', { name: /^Everywhere/ }).check();
    await expect(page.getByText('An admin can change or remove the rule under Rules.')).toBeVisible();
    await page.getByRole('button', { name: 'Approve and remember' }).click();
    expect(await asked.permission).toMatchObject({ behavior: 'allow' });
    await page.goto(`${harness.address}/rules`);
    await row(page, 'git push').getByRole('button', { name: /^Delete/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect(row(page, 'git push')).toHaveCount(0);
    expect(text(harness)).not.toContain('git push');
  });
});

test.describe('with a file that cannot be read', () => {
  test.use({ serverOptions: { config: '{ "version": 1, "permissions": { "allow": [{"tool": ""}] } }' } });

  test('the error is shown above the rules', async ({ page, harness }) => {
    await rules(page, harness);
    const problems = page.getByRole('region', { name: '1 problem in the rules' });
    await expect(problems).toContainText('config.json');
    await expect(problems).toContainText('empty');
  });
});

test('hidden characters in rules are escaped', async ({ page, harness }) => {
  await harness.as('admin').rules.add({ effect: 'allow', tool: 'x\u202ey', note: '<script>document.title = "gone"</script>' });
  await rules(page, harness);
  await expect(row(page, 'x\\u{202e}y')).toContainText('<script>');
  await row(page, '<script>').getByRole('button', { name: /^Edit/ }).click();
  await expect(page.locator('[data-field="tool"]')).toContainText('Contains invisible characters: x\\u{202e}y');
});

test('templates are offered if there are no rules', async ({ page, harness }) => {
  await rules(page, harness);
  await expect(page.getByText('No rules of your own yet')).toBeVisible();
  await page.getByRole('button', { name: 'Use this: Never force-push' }).click();
  await expect(page.getByRole('radio', { name: 'deny' })).toBeChecked();
  await page.getByRole('button', { name: 'Save rule' }).click();
  await expect(row(page, 'git push *--force*')).toBeVisible();
});
