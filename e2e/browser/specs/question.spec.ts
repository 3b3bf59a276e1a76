// One approval in each of its forms: what an approver sees before answering.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { axe } from '../lib/axe.js';
import { project } from '../lib/seed.js';
import { type Page, type Harness, expect, test } from '../lib/test.js';

async function look(page: Page, harness: Harness, id: string, title: RegExp) {
  if (page.url() === 'about:blank') await harness.signIn(page);
  await page.goto(`${harness.address}/approvals/${id}`);
  const article = page.getByRole('article', { name: title });
  await expect(article).toBeVisible();
  return article;
}

test('a command shows its parts, their reasons and nested commands', async ({ page, harness }) => {
  const cwd = project(harness);
  const asked = await harness.bash(`ls -la && bash -c 'rm -rf dist && echo done' > out.txt`, { cwd, agentId: 'codex', conversationId: 'c1', workspaceId: 'shop' });
  const article = await look(page, harness, asked.id, /wants to run a command/);
  await expect(article.getByText('Danger', { exact: true }).first()).toBeVisible();
  const command = article.getByRole('group', { name: 'Command' });
  await expect(command).toContainText('ls -la');
  const harmless = command.getByRole('button', { name: 'allowed: ls -la' });
  // The shell may run; the command passed to it needs approval, and that is what is marked.
  const shell = command.getByRole('button', { name: /^needs approval: bash -c/ });
  await harmless.focus();
  await page.keyboard.press('ArrowRight');
  await expect(shell).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(shell).toHaveAttribute('aria-pressed', 'true');
  await expect(article.getByText('What it runs inside')).toBeVisible();
  await expect(article.getByRole('list', { name: 'What it runs inside' }).getByText('rm -rf dist')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(shell).toHaveAttribute('aria-pressed', 'false');
  await article.getByText('Details', { exact: true }).click();
  for (const fact of [cwd, 'codex', 'c1', 'shop']) await expect(article.getByText(fact, { exact: true }).first()).toBeVisible();
});

test('a file change shows signs and line numbers, and folds long runs', async ({ page, harness }) => {
  const cwd = project(harness);
  const asked = await harness.ask('Edit', { file_path: join(cwd, 'src/config.ts'), old_string: 'retries = 3', new_string: 'retries = 5' }, { cwd });
  const article = await look(page, harness, asked.id, /wants to edit a file/);
  const file = article.getByRole('region', { name: join(cwd, 'src/config.ts') });
  await expect(file.getByText('changed', { exact: true })).toBeVisible();
  await expect(file.getByText('1 line added, 1 removed')).toBeAttached();
  await expect(file).toContainText('removed: const retries = 3;');
  await expect(file).toContainText('added: const retries = 5;');
  await expect(file.locator('mark')).toHaveText(['3', '5']);
  const fold = file.getByRole('button', { name: /config\.ts/ });
  await fold.click();
  await expect(fold).toHaveAttribute('aria-expanded', 'false');
  await expect(file).not.toContainText('added: const retries');

  const many = Array.from({ length: 300 }, (_, line) => `line ${line}`).join('\n');
  const long = await harness.ask('Write', { file_path: join(cwd, 'src/new.ts'), content: many }, { cwd });
  await page.goto(`${harness.address}/approvals/${long.id}`);
  const created = page.getByRole('region', { name: join(cwd, 'src/new.ts') });
  await expect(created.getByText('new file', { exact: true })).toBeVisible();
  await expect(created).not.toContainText('line 299');
  await created.getByRole('button', { name: '260 lines are not shown. Show them' }).click();
  await expect(created).toContainText('line 299');
});

test('a URL highlights its host and warns about disguises', async ({ page, harness }) => {
  const asked = await harness.ask('WebFetch', { url: 'https://github.com@ex\u00e4mple.com:8443/x', prompt: 'read' });
  const article = await look(page, harness, asked.id, /wants to fetch from the web/);
  await expect(article.locator('b', { hasText: 'ex\u00e4mple.com' })).toBeVisible();
  await expect(article.getByText('xn--exmple-cua.com').last()).toBeVisible();
  await expect(article.getByText('is a user name, not the host', { exact: false }).first()).toBeVisible();
});

test('a read highlights the file name and marks paths outside the workspace', async ({ page, harness }) => {
  const cwd = project(harness);
  await harness.as('admin').rules.add({ effect: 'confirm', tool: 'read' });
  await harness.as('admin').rules.add({ effect: 'confirm', tool: 'grep' });
  const inside = await harness.ask('Read', { limit: 40, file_path: join(cwd, 'src/config.ts') }, { cwd });
  const article = await look(page, harness, inside.id, /wants to read a file/);
  const input = article.getByRole('group', { name: 'Input' });
  await expect(input.getByRole('definition')).toHaveText([join(cwd, 'src/config.ts'), '40']);
  await expect(input.locator('b')).toHaveText('config.ts');
  await expect(input.locator('.base')).toHaveText(`${cwd}/`);
  await expect(input.getByRole('term')).toHaveText(['file_path', 'limit']);
  await expect(input).not.toContainText('Outside');
  for (const path of ['/etc/hosts', `${cwd}/../other/x`]) {
    const outside = await harness.ask('Grep', { pattern: 'a  b', path, '-i': true }, { cwd });
    const search = await look(page, harness, outside.id, /wants to search files/);
    await expect(search.getByRole('group', { name: 'Input' }).getByRole('definition').first()).toContainText('Outside the agent’s working directory.');
    await expect(search.getByRole('group', { name: 'Input' })).toContainText('a  b');
  }
});

test('an unknown tool shows a short input as a list of untrusted names', async ({ page, harness }) => {
  const input = { '\u2713 Harmless': 'Checked by sekisho', 'Outside the agent’s working directory.': '', to: ['a', 'b'], note: 'one\ntwo\u202e', big: 'x'.repeat(500), '\u200bid': '7' };
  const asked = await harness.ask('send', input, { serverId: 'mail' });
  const article = await look(page, harness, asked.id, /wants to call/);
  const list = article.getByRole('group', { name: 'Input' });
  await expect(list.getByRole('term')).toHaveCount(6);
  for (const term of await list.getByRole('term').all()) {
    const [ground, line, font] = await term.locator('code').evaluate((code) => [getComputedStyle(code).backgroundColor, getComputedStyle(code).borderBottomStyle, getComputedStyle(code).fontFamily]);
    expect(ground).not.toBe('rgba(0, 0, 0, 0)');
    // A dotted line would look like a spelling error.
    expect(line).toBe('none');
    await expect(term.getByTitle('A name that the agent or its tool chose')).toBeVisible();
    expect(font).toContain('mono');
  }
  await expect(list.getByRole('term').filter({ hasText: '\\u{200b}id' })).toBeVisible();
  await expect(list.getByRole('definition').filter({ hasText: /^"7"$/ })).toBeVisible();
  await expect(list.getByRole('definition').filter({ hasText: /^""$/ })).toBeVisible();
  await expect(list).toContainText('["a","b"]');
  await expect(list.getByRole('group', { name: 'note' })).toHaveText('one\ntwo\\u{202e}');
  await expect(list.getByRole('group', { name: 'big' })).toHaveText('x'.repeat(500));
});

test('hidden characters are counted and explained, and the JSON can be opened', async ({ page, harness }) => {
  const asked = await harness.bash('echo \u202eabc\u202e; ls\u200b');
  const article = await look(page, harness, asked.id, /wants to run a command/);
  const hidden = article.getByRole('region', { name: 'Hidden characters' });
  await expect(hidden.getByRole('listitem').filter({ hasText: '\\u{202e}' })).toContainText('changes the reading direction · 2 times');
  await expect(hidden.getByRole('listitem').filter({ hasText: '\\u{200b}' })).toContainText('has no width · once');
  await expect(article.getByRole('group', { name: 'Command' }).locator('.escaped')).toHaveCount(3);
  await article.getByRole('button', { name: 'Show as JSON' }).click();
  await expect(article.getByRole('group', { name: 'JSON' })).toContainText('"command": "echo \\u{202e}abc');
  await article.getByRole('button', { name: 'Show formatted' }).click();
  await expect(article.getByRole('group', { name: 'Command' })).toContainText('abc');
});

test('a change that cannot be shown says so, and a cited rule has its location', async ({ page, harness }) => {
  const cwd = project(harness);
  writeFileSync(join(cwd, 'a.txt'), 'one\n');
  const unknown = await harness.ask('Edit', { file_path: join(cwd, 'a.txt'), old_string: 'two', new_string: 'three' }, { cwd });
  const edit = await look(page, harness, unknown.id, /wants to edit a file/);
  await expect(edit.getByText('The result cannot be predicted.', { exact: false })).toBeVisible();
  await expect(edit).toContainText('added: three');

  await harness.as('admin').rules.add({ effect: 'confirm', server: 'crm', toolPattern: 'delete_*', note: 'customers are dear' });
  const asked = await harness.ask('delete_customer', { id: 7 }, { serverId: 'crm', agentId: 'bot' });
  const article = await look(page, harness, asked.id, /wants to call/);
  const why = article.getByRole('region', { name: 'Why you are asked' });
  await expect(why).toContainText('“customers are dear” — Asked because of one of your rules.');
  await expect(why.getByText('delete_*')).toBeVisible();
  await expect(article.getByRole('group', { name: 'Input' }).getByRole('definition')).toHaveText('7');
  await page.keyboard.press('v');
  await expect(article.getByRole('group', { name: 'JSON' })).toContainText('"id": 7');
});

test('an outcome shows who answered and the edit; many parts create few nodes', async ({ page, harness }) => {
  const asked = await harness.bash('rm -rf dist build');
  await harness.as('admin').approvals.answer(asked.id, { behavior: 'allow', message: 'dist only', updatedInput: { command: 'rm -rf dist' } });
  await asked.permission;
  const article = await look(page, harness, asked.id, /wants to run a command/);
  const outcome = article.getByRole('region', { name: 'Approved' });
  await expect(outcome).toContainText('dist only');
  await expect(outcome).toContainText('The agent has received the answer.');
  await expect(outcome).toContainText('added: rm -rf dist');

  const id = await harness.question(`${'true; echo x; '.repeat(700)}rm -rf dist`);
  const many = await look(page, harness, id, /wants to run a command/);
  await many.getByRole('button', { name: /^Show all/ }).click();
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
  console.log(`1400 parts, all shown: ${nodes} nodes`);
  expect(nodes).toBeLessThan(8000);
});

test('an edit is validated, shown and judged before it is accepted', async ({ page, harness }) => {
  await harness.as('admin').rules.add({ effect: 'deny', tool: 'bash', command: 'git push --force', note: 'a human pushes' });
  const asked = await harness.bash('git push origin main', { cwd: project(harness) });
  await look(page, harness, asked.id, /wants to run a command/);
  // Controls are inert for the first half second.
  await expect(page.locator('.answers .allow')).toHaveAttribute('aria-disabled', 'false');
  await page.getByRole('button', { name: /^Change call/ }).first().click();
  const form = page.getByRole('form', { name: 'Change the call before approving' });
  const take = form.locator('button[type=submit]');
  await expect(form.getByText('Nothing changed yet.')).toBeVisible();
  await expect(take).toBeDisabled();
  const text = form.getByLabel('Command', { exact: true }).and(page.getByRole('textbox'));
  await text.fill('git push --force origin main');
  await expect(form.getByText('A rule denies this call. It would not run.')).toBeVisible();
  await expect(form).toContainText('a human pushes');
  await expect(take).toBeDisabled();
  await text.fill('git push origin side');
  await expect(form.locator('mark')).toHaveText(['main', 'side']);
  await expect(take).toBeEnabled();
  await form.getByRole('button', { name: 'JSON', exact: true }).click();
  const json = form.getByLabel('Whole input, as JSON');
  await expect(json).toHaveValue(/"command": "git push origin side"/);
  await json.fill('{\n  "command": "ls",,\n}');
  await expect(form.getByText('(line 2, column 19)', { exact: false })).toBeVisible();
  await expect(take).toBeDisabled();
  await expect(form.getByRole('button', { name: 'Text', exact: true })).toBeDisabled();
  await json.fill('[]');
  await expect(form.getByText('The input must be an object', { exact: false })).toBeVisible();
});

test('no serious axe violations in any form, light and dark', async ({ page, harness }) => {
  const cwd = project(harness);
  const forms = [
    [/wants to run a command/, await harness.bash('ls && rm -rf dist \u202e > x; bash -c "rm y"', { cwd, agentId: 'codex' })],
    [/wants to edit a file/, await harness.ask('Edit', { file_path: join(cwd, 'src/config.ts'), old_string: '3', new_string: '4' }, { cwd })],
    [/wants to fetch from the web/, await harness.ask('WebFetch', { url: 'https://a@b.example/c', prompt: 'x' })],
    [/wants to call/, await harness.ask('mystery', { a: [1, 2], b: 'one\ntwo' }, { serverId: 'far' })],
    [/wants to read a file/, await harness.ask('Read', { file_path: '/etc/shadow', limit: 3 }, { cwd })],
  ] as const;
  for (const [title, { id }] of forms) {
    await look(page, harness, id, title);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axe(page)).toEqual([]);
    }
  }
});
