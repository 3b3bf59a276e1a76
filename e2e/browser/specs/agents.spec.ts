// Agents: created, changed, copied and deleted; their tools; the same in two browsers, on a phone, by keyboard alone.
import { scriptedAgent } from '../lib/scriptedAgents.js';
import { expect, test } from '../lib/test.js';

const NASTY = '<img src=x onerror=alert(1)>"\'`&amp;';

test.use({ serverOptions: { project: 'shop' } });

test('an agent is created, gets tools, is copied, started and deleted, and other windows follow', async ({ page, browser, harness }) => {
  harness.server.script('build', [{ text: 'Done.' }]);
  await harness.signIn(page);
  const { page: other } = await harness.open(browser, '/agents', { name: 'phone' });
  await expect(other.getByText('No agents yet')).toBeVisible();

  await page.getByRole('link', { name: 'Agents' }).click();
  await page.getByRole('link', { name: 'New agent' }).first().click();
  // Nothing is sent while a field is wrong, and the field says why.
  await page.getByLabel('Name').fill('a/b');
  await expect(page.getByText('A / separates agents from their sub-agents.')).toBeVisible();
  await page.getByText('Run limits').click();
  await expect(page.getByLabel('Temperature')).toHaveValue('0.7');
  await expect(page.getByLabel('Tokens per reply')).toHaveValue('4096');
  await page.getByLabel('Temperature').fill('3');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await expect(page.getByText('Enter a number from 0 to 2.')).toBeVisible();
  await expect(page.getByText('Fix the marked fields first.')).toBeVisible();
  expect((await harness.as('admin').agents.list()).agents).toEqual([]);

  await page.getByLabel('Name').fill(NASTY.replaceAll('/', ''));
  await page.getByLabel('Temperature').fill('1.5');
  await page.getByLabel('Provider').selectOption('scripted');
  await page.getByLabel('Model', { exact: true }).fill('build');
  await page.getByLabel('System prompt').fill('<script>alert(1)</script>');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(NASTY);
  await expect(other.getByRole('link', { name: NASTY, exact: true })).toBeVisible();
  const [agent] = (await harness.as('admin').agents.list()).agents;
  expect(agent!.settings).toMatchObject({ temperature: 1.5, maxTokens: 4096, systemPrompt: '<script>alert(1)</script>', mode: 'none' });

  // The checklist: what a tool reaches and what it never does is said before it is switched on.
  await other.getByRole('link', { name: NASTY, exact: true }).click();
  const shell = page.getByRole('listitem').filter({ hasText: 'shell_exec' });
  await expect(shell).toContainText('Writes only in doc. No network. At most 60 s per call.');
  await expect(shell).toContainText('Never runs: rm -rf');
  await expect(page.getByText('Changes are saved and apply at once')).toBeVisible();
  await page.getByLabel('Run shell commands').click();
  await expect(page.getByLabel('Run shell commands')).toBeChecked();
  await expect(other.getByLabel('Run shell commands')).toBeChecked();
  await page.getByRole('button', { name: 'Configure shell_exec' }).click();
  const form = page.getByRole('form', { name: 'Configure shell_exec' });
  await form.getByRole('group', { name: 'Directories to write in' }).getByLabel('Only these').first().check();
  await form.locator('[name=allowed_dirs]').fill('doc\n/etc');
  await expect(form.getByText('/etc: This is a system directory.')).toBeVisible();
  await form.getByRole('button', { name: 'Apply' }).click({ force: true });
  await form.locator('[name=allowed_dirs]').fill('doc\ntarget');
  await form.getByLabel('Time limit in seconds').fill('5');
  await expect(form.getByRole('status')).toContainText('Writes only in doc, target. No network. At most 5 s per call.');
  await form.getByRole('button', { name: 'Apply' }).click();
  await expect(form).toBeHidden();
  await expect(other.getByRole('listitem').filter({ hasText: 'shell_exec' })).toContainText('Writes only in doc, target.');
  await shell.getByLabel('Ask about every call').click();
  await expect(shell.getByLabel('Ask about every call')).toBeChecked();
  expect((await harness.as('admin').agents.show(agent!.id)).tools).toEqual([
    { toolName: 'shell_exec', isEnabled: true, requireApproval: true, config: { allowed_dirs: ['doc', 'target'], shell_timeout_ms: 5000 } },
  ]);

  // What somebody else saves appears, unless something is being typed here.
  await other.getByLabel('User prompt').fill('Be brief.');
  await page.getByLabel('System prompt').fill('You build.');
  await page.getByRole('button', { name: 'Save name, model and prompt' }).click();
  await expect(other.getByText('Somebody else changed this agent')).toBeVisible();
  await other.getByRole('button', { name: 'Use theirs' }).click();
  await expect(other.getByLabel('System prompt')).toHaveValue('You build.');

  // A copy has the same tools.
  await page.getByRole('link', { name: 'Duplicate' }).click();
  await page.getByLabel('Name').fill('copy');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('copy');
  await expect(page.getByLabel('Run shell commands')).toBeChecked();

  await page.getByLabel('Task', { exact: true }).fill('Build it.');
  await page.getByRole('button', { name: 'Start' }).click();
  await expect(page).toHaveURL(/\/runs\/[0-9a-f-]{36}$/);
  const { runs } = await harness.as('admin').runs.list();
  expect(page.url().endsWith(`/runs/${runs[0]!.id}`)).toBe(true);

  await page.goto(`${harness.address}/agents`);
  await page.getByRole('button', { name: 'Delete: copy' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('link', { name: 'copy', exact: true })).toHaveCount(0);
  // The other window shows an agent that is deleted meanwhile.
  await harness.as('admin').agents.remove(agent!.id);
  await expect(other.getByText('This agent does not exist')).toBeVisible();
});

test('on a phone, by keyboard alone, and for a viewer', async ({ browser, harness }) => {
  await scriptedAgent(harness, 'writer', [{ text: 'Done.' }], ['file_write']);
  const { page } = await harness.open(browser, '/agents', { viewport: { width: 360, height: 740 } });
  await expect(page.getByRole('link', { name: 'writer', exact: true })).toBeVisible();
  await page.keyboard.press('n');
  await expect(page).toHaveURL(/\/agents\/new$/);
  // A name is proposed.
  await expect(page.getByLabel('Name')).toHaveValue('assistant');
  await page.getByLabel('Name').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('keys');
  // What was typed and not saved is kept.
  await page.getByRole('link', { name: 'All agents' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('n');
  await expect(page.getByLabel('Name')).toHaveValue('keys');
  await page.getByLabel('Name').focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('keys');
  await page.getByLabel('Write files').focus();
  await page.keyboard.press('Space');
  await expect(page.getByLabel('Write files')).toBeChecked();
  await page.getByRole('button', { name: 'Configure file_write' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('form', { name: 'Configure file_write' })).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  // The other pages are behind a button.
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('link', { name: 'Pipelines' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Pipelines' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Audit' })).toBeHidden();

  const { page: viewer } = await harness.open(browser, '/agents', { role: 'viewer' });
  await expect(viewer.getByText('Only admins can create and change agents.')).toBeVisible();
  await expect(viewer.getByRole('link', { name: 'New agent' })).toHaveCount(0);
  await viewer.getByRole('link', { name: 'writer', exact: true }).click();
  await expect(viewer.getByLabel('Write files')).toBeDisabled();
  await expect(viewer.getByLabel('System prompt')).toBeDisabled();
  await expect(viewer.getByRole('button', { name: 'Start' })).toHaveCount(0);
});
