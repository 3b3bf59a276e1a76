// A call is displayed completely, in the order in which it is written, and never as part of the page's own
// text.
import type { Locator } from '@playwright/test';
import { type Page, type Harness, expect, test } from '../lib/test.js';

const focus = (page: Page) => page.getByRole('region', { name: 'Selected question' });
const ready = (page: Page) => expect(focus(page).getByRole('button', { name: /^(Approve|Read)/ }).first()).toHaveAttribute('aria-disabled', 'false');

async function look(page: Page, harness: Harness, id: string): Promise<void> {
  if (page.url() === 'about:blank') await harness.signIn(page);
  await page.goto(`${harness.address}/approvals/${id}`);
  await ready(page);
}

/** The characters of a box in screen order: line by line, from left to right. */
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
        // Of a line, whatever its font size.
        if (width > 0) found.push({ character: node.nodeValue![at]!, top: Math.round(bottom / 12), left });
      }
    }
    return found.sort((a, b) => a.top - b.top || a.left - b.left).map(({ character }) => character).join('');
  });
}

const LEFT = 'א > ב';

test('right-to-left letters do not reorder a command', async ({ page, harness }) => {
  const cwd = '/srv/א/ב';
  const command = await harness.bash(`cat ${LEFT}; mv ג ד`, { cwd, agentId: `agent ${LEFT}` });
  await look(page, harness, command.id);
  const article = page.getByRole('article');
  expect(await onScreen(article.getByRole('group', { name: 'Command' }))).toBe(`cat ${LEFT}; mv ג ד`);
  await expect(article.getByText('in the order they are written')).toBeVisible();
  expect(await onScreen(article.locator('.cwd code'))).toBe(cwd);
  // Names, parts, reasons and facts.
  await article.locator('summary').filter({ hasText: 'Details' }).click();
  const codes = await article.locator('code').filter({ hasText: /[א-ת]/ }).all();
  expect(codes.length).toBeGreaterThan(5);
  for (const code of codes) expect(await onScreen(code)).toBe(await code.textContent());
  expect(await onScreen(page.locator(`#row-${command.id} .message`))).toBe(`cat ${LEFT}; mv ג ד`);
  // Selecting a part describes it in the same order.
  await article.getByRole('group', { name: 'Command' }).getByRole('button').filter({ hasText: 'mv' }).press('Enter');
  expect(await onScreen(article.locator('[aria-live] .head code').first())).toBe('mv ג ד');
  await page.keyboard.press('v');
  expect((await onScreen(article.getByRole('group', { name: 'JSON' }))).replace(/\s/g, '')).toContain(`"cat${LEFT};mvגד"`.replace(/\s/g, ''));
  await page.keyboard.press('e');
  const field = focus(page).getByRole('textbox').first();
  expect(await field.evaluate((area) => [getComputedStyle(area).unicodeBidi, getComputedStyle(area).direction])).toEqual(['isolate-override', 'ltr']);
});

test('right-to-left letters reorder no diff, URL, field list, bulk review or outcome', async ({ page, harness }) => {
  await harness.as('admin').rules.add({ effect: 'confirm', tool: 'read' });
  const diff = await harness.ask('Edit', { file_path: '/tmp/א/ב', old_string: `x ${LEFT}`, new_string: `y ${LEFT}` });
  const url = await harness.ask('WebFetch', { url: 'https://example.com/א/ב?x=ג/ד' });
  const list = await harness.ask('send', { to: LEFT, body: `${LEFT}\nsecond` }, { serverId: 'mail' });
  const read = await harness.ask('Read', { file_path: '/srv/א/ב/x' }, { cwd: '/srv/א' });
  await look(page, harness, diff.id);
  const article = page.getByRole('article');
  const lines = article.locator('.line .text');
  expect(await onScreen(lines.first())).toBe(`x ${LEFT}`);
  expect(await onScreen(lines.nth(1))).toBe(`y ${LEFT}`);
  expect(await onScreen(article.locator('bdi.path'))).toBe('/tmp/א/ב');
  await look(page, harness, url.id);
  expect(await onScreen(article.locator('.url'))).toBe('https://example.com/א/ב?x=ג/ד');
  await look(page, harness, list.id);
  expect(await onScreen(article.getByRole('group', { name: 'Input' }).locator('dd.line'))).toBe(LEFT);
  expect(await onScreen(article.getByRole('group', { name: 'body' }))).toBe(`${LEFT}second`);
  await look(page, harness, read.id);
  expect(await onScreen(article.locator('dd .path'))).toBe('/srv/א/ב/x');
  await page.getByRole('checkbox', { name: 'Select all shown' }).click();
  await page.getByRole('button', { name: 'Deny…', exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  expect(await onScreen(dialog.locator('.message').filter({ hasText: '/srv' }))).toBe('/srv/א/ב/x');
  await dialog.getByRole('button', { name: 'Deny 4' }).click();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  expect(await onScreen(page.locator('section .what').filter({ hasText: '/srv' }).locator('bdi').last())).toBe('/srv/א/ב/x');
});

test('other input fields are listed and must be read before an approval', async ({ page, harness }) => {
  const env = { LD_PRELOAD: '/tmp/x.so', PATH: `/tmp:${'x'.repeat(30)}` };
  const stdin = `${Array.from({ length: 60 }, (_, line) => `line ${line}`).join('\n')}\nthe last line`;
  const command = Array.from({ length: 8 }, (_, at) => `npm run t${at}`).join('; ');
  const asked = await harness.ask('Bash', { command, env, ['k'.repeat(50)]: true, 'a\u202eb': 'odd', stdin });
  await look(page, harness, asked.id);
  const list = page.getByRole('article').getByRole('group', { name: 'Also in the input' });
  await expect(list).toContainText('{"LD_PRELOAD":"/tmp/x.so"');
  await expect(list.locator('dt .claim').filter({ hasText: 'k'.repeat(50) })).toBeVisible();
  await expect(list.locator('dt .claim').filter({ hasText: 'a\\u{202e}b' })).toBeVisible();
  await expect(focus(page).getByRole('button', { name: /^Read on/ })).toBeVisible();
  const box = list.getByRole('group', { name: 'stdin' });
  const atEnd = () => box.evaluate((pre) => pre.scrollHeight - pre.clientHeight - pre.scrollTop < 40 && pre.getBoundingClientRect().bottom < innerHeight);
  expect(await atEnd()).toBe(false);
  await page.keyboard.press('a');
  // A press counts for what it brings into view, and only the press after the end answers.
  for (let presses = 1; !(await atEnd()); presses += 1) {
    expect(presses).toBeLessThan(40);
    expect((await harness.as('admin').approvals.show(asked.id)).state).toBe('pending');
    await ready(page);
    await page.keyboard.press('a');
    await page.waitForTimeout(100);
  }
  expect((await harness.as('admin').approvals.show(asked.id)).state).toBe('pending');
  const warning = focus(page).getByRole('heading', { name: 'Run this dangerous command?' });
  await expect(async () => {
    // A second press would count as the second approve.
    if (!(await warning.isVisible())) await page.keyboard.press('a');
    await expect(warning).toBeVisible({ timeout: 2000 });
  }).toPass({ intervals: [600] });
});

test('other fields of a web request are listed too', async ({ page, harness }) => {
  const asked = await harness.ask('WebFetch', { url: 'https://example.com/', method: 'POST', body: 'secret=1', headers: { a: 'b' } });
  await look(page, harness, asked.id);
  const list = page.getByRole('article').getByRole('group', { name: 'Also in the input' });
  for (const text of ['POST', 'secret=1', '{"a":"b"}']) await expect(list).toContainText(text);
  await page.keyboard.press('v');
  await expect(list).toHaveCount(0);
});

test('the directory shown is the one the command would run in', async ({ page, harness }) => {
  const asked = await harness.ask('shell', { command: 'npm test', workdir: '/etc/evil' }, { cwd: '/tmp', agentId: 'codex' });
  await look(page, harness, asked.id);
  const article = page.getByRole('article');
  await expect(article.locator('.cwd')).toHaveText(/^in the directory \/etc\/evil, set by its input \(agent works in\s\/tmp\)$/);
  await article.locator('summary').filter({ hasText: 'Details' }).click();
  await expect(article.locator('.facts')).toContainText('/etc/evil (set by its input)');
  await expect(article.locator('.facts').locator('div').filter({ hasText: 'Agent works in' })).toContainText('/tmp');
  const plain = await harness.bash('npm test', { cwd: '/tmp' });
  await look(page, harness, plain.id);
  await expect(article.locator('.cwd')).toHaveText('in the directory /tmp');
});

test('a bulk review does not preselect questions that its row shows only in part', async ({ browser, harness }) => {
  await harness.ask('Bash', { command: 'npm test', env: { A: '1' } });
  await harness.ask('shell', { command: 'npm ci', workdir: '/etc' }, { cwd: '/tmp' });
  await harness.ask('WebFetch', { url: 'https://example.com/', method: 'POST' });
  await harness.ask('Skill', { skill: 'deploy', args: '--prod' });
  await harness.bash(`mytool ${'漢'.repeat(150)} ; othertool --evil`);
  await harness.bash('npm run plain');
  const { page } = await harness.open(browser, '/', { viewport: { width: 320, height: 640 } });
  await page.getByRole('checkbox', { name: 'Select all shown' }).click();
  await page.getByRole('button', { name: 'Approve…', exact: true }).first().click();
  const rows = page.getByRole('dialog').getByRole('row').filter({ has: page.getByRole('checkbox') });
  await expect(rows).toHaveCount(6);
  const seen = await rows.evaluateAll((all) => all.map((row) => {
    const message = row.querySelector<HTMLElement>('.message')!;
    const end = message.querySelector('bdi')!.getBoundingClientRect();
    const box = message.getBoundingClientRect();
    return { text: message.innerText, ticked: row.querySelector('input')!.checked, whole: message.scrollHeight <= message.clientHeight + 1 && end.right <= box.right + 1 };
  }));
  expect(seen.filter(({ ticked }) => ticked).map(({ text }) => text.slice(0, 10)).sort()).toEqual(['mytool 漢漢漢', 'npm run pl']);
  for (const row of seen) if (row.ticked) expect(row.whole, row.text).toBe(true);
});

test('rules are remembered only after all of them were shown', async ({ page, harness, watch }) => {
  // Too many to test on past calls.
  watch.expects(/400/);
  const kept = async () => (await harness.as('admin').rules.list()).rules.filter((rule) => JSON.stringify(rule).includes('npm run tool'));
  const asked = await harness.bash(Array.from({ length: 60 }, (_, at) => `npm run tool${at}`).join('; '));
  await look(page, harness, asked.id);
  await page.keyboard.press('r');
  const proposal = focus(page).locator('.proposal').filter({ has: page.getByRole('radio', { checked: true }) });
  await expect(proposal.getByRole('button', { name: 'Show all 60' })).toBeVisible();
  await expect(proposal).not.toContainText('tool59');
  const remember = focus(page).getByRole('button', { name: /^(Approve and remember|Read on|Read above)/ });
  const press = async () => {
    await expect(remember).toHaveAttribute('aria-disabled', 'false');
    await remember.click();
  };
  // The approval itself has to be read too: presses count for that first.
  for (let presses = 0; !(await proposal.innerText()).includes('tool59'); presses += 1) {
    expect(presses).toBeLessThan(40);
    expect((await harness.as('admin').approvals.show(asked.id)).state).toBe('pending');
    await press();
    await page.waitForTimeout(100);
  }
  expect(await kept()).toEqual([]);
  await expect(proposal.getByRole('button')).toHaveCount(0);
  const said = page.getByRole('region', { name: 'Just answered' });
  // The button is off while an answer is on its way, and gone once it has arrived.
  const next = remember.and(page.locator('[aria-disabled="false"]')).or(said);
  for (let presses = 0; ; presses += 1) {
    expect(presses).toBeLessThan(40);
    await expect(next).toBeVisible();
    if (await said.isVisible()) break;
    await remember.click();
    await page.waitForTimeout(300);
  }
  await expect(said).toContainText('Remembered');
  expect(await kept()).toHaveLength(60);
});

test('characters escaped by the server are not escaped twice', async ({ page, harness }) => {
  const asked = await harness.ask('lookup`x', { a: 1 });
  await look(page, harness, asked.id);
  await page.keyboard.press('r');
  const proposal = focus(page).locator('.proposal').first();
  await expect(proposal).toContainText('lookup`x');
  await expect(proposal).not.toContainText('\\u{5c}');
});

test('a tool name in the note about an answer is not shown as text of the page', async ({ page, harness }) => {
  const toolName = 'Nothing ran. The server denied this call, and the agent was stopped. You can close this window';
  const asked = await harness.ask(toolName, { a: 1 }, { serverId: 'x' });
  await look(page, harness, asked.id);
  await page.keyboard.press('a');
  const note = page.getByRole('region', { name: 'Just answered' });
  await expect(note).toContainText('Approved:');
  await expect(note.locator('.claim code')).toHaveText(`${toolName.slice(0, 40)}…`);
  await expect(note).not.toContainText('close this window');
  const recent = page.getByRole('region', { name: 'Recently answered' });
  await expect(recent.locator('.claim code')).toHaveText(`${toolName.slice(0, 40)}…`);
  await expect(recent).not.toContainText('close this window');
});

test('the connection error disappears after reconnecting', async ({ page, harness, watch }) => {
  watch.expects(/ERR_|502/);
  const asked = await harness.bash('npm run after-outage', { onTimeout: 'park' });
  await look(page, harness, asked.id);
  await harness.server.down('SIGKILL');
  await expect(page.getByText('Connection lost', { exact: false })).toBeVisible();
  await page.keyboard.press('a');
  const alert = focus(page).getByRole('alert');
  await expect(alert).toContainText('The server cannot be reached');
  await expect(alert).toContainText('Check that sekisho serve is running');
  await expect(alert).not.toContainText('Failed to fetch');
  await harness.server.up();
  await expect(page.getByText('Connection lost', { exact: false })).toBeHidden();
  await expect(alert).toBeHidden();
  await ready(page);
  await page.keyboard.press('a');
  await expect(page.getByRole('region', { name: 'Just answered' })).toContainText('Approved:');
});
