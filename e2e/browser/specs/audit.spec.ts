// The audit log: search, details, export, verification, statistics, and suggested rules.
import { readFileSync } from 'node:fs';
import { axe } from '../lib/axe.js';
import { past } from '../lib/seed.js';
import { type Page, type Harness, expect, test } from '../lib/test.js';

const rows = (page: Page) => page.getByRole('region', { name: 'Rows, newest first' }).getByRole('link');
const calls = (page: Page) => page.getByRole('region', { name: 'Calls, newest first' }).locator('.card > li');
const dialog = (page: Page) => page.getByRole('dialog');
const field = (page: Page, name: string) => page.getByRole('combobox', { name, exact: true });
const chip = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function answer(harness: Harness, command: string, behavior: 'allow' | 'deny'): Promise<string> {
  const asked = await harness.bash(command, { agentId: 'builder' });
  await harness.as('approver').approvals.answer(asked.id, behavior === 'deny' ? { behavior, message: 'Not now' } : { behavior });
  await asked.permission;
  return asked.id;
}

test('a call is one row with its outcome, and opens to its events', async ({ page, harness }) => {
  await answer(harness, 'npm run test', 'allow');
  await answer(harness, 'git push "origin" main', 'deny');
  const crm = await harness.ask('delete_customer', { customer_id: 'C-10482', erase_orders: true }, { serverId: 'crm', agentId: 'claude-code' });
  await harness.as('agent').canUseTool({ toolName: 'Bash', input: { command: 'echo plain words' }, toolUseId: 'echo' }, { wait: false });
  await harness.as('agent').canUseTool({ toolName: 'Bash', input: { command: 'echo first\necho "a\tb"' }, toolUseId: 'lines' }, { wait: false });
  await harness.signIn(page);
  await page.getByRole('link', { name: 'Audit', exact: true }).click();
  const call = (text: string) => calls(page).filter({ hasText: text });
  await expect(call('npm run test')).toHaveCount(1);
  await expect(call('Bash npm run test')).toHaveCount(1);
  await expect(call('echo first').locator('code')).toHaveText('echo first⏎echo "a⇥b"');
  await expect(call('npm run test')).toContainText(/→ approved by approver in \d/);
  await expect(call('git push')).toContainText(/→ denied by approver in \d/);
  await expect(call('git push').locator('.outcome svg')).toHaveCount(1);
  await expect(call('echo plain words')).toContainText('→ allowed by a rule');
  await expect(call('echo plain words').locator('.outcome svg')).toHaveCount(0);
  await expect(call('crm/delete_customer')).toContainText('customer_id C-10482 · erase_orders true');
  await expect(call('crm/delete_customer')).toContainText('→ waiting for you');
  await expect(page.getByText('{"').filter({ visible: true })).toHaveCount(0);
  expect(await axe(page)).toEqual([]);

  // What is no call stands back: sign-ins share one line, which opens.
  const others = calls(page).filter({ hasText: /other events: sign-ins/ }).first();
  await expect(others).toBeVisible();
  await expect(page.getByRole('link', { name: /signed in with a link/ })).toHaveCount(0);
  await others.locator('summary').click();
  await expect(others.getByRole('link', { name: /signed in with a link/ }).first()).toBeVisible();
  await others.locator('summary').click();

  // The events are inside, and each opens its record.
  const events = call('npm run test').getByRole('link');
  await expect(events).toHaveCount(0);
  await call('npm run test').locator('summary').focus();
  await page.keyboard.press('Enter');
  await expect(events).toHaveCount(3);
  await expect(events.nth(1)).toContainText('approved by approver');
  expect(await axe(page)).toEqual([]);
  await events.first().click();
  await expect(dialog(page).getByRole('heading', { level: 2 })).toHaveText(/^Row \d+: question$/);
  await page.keyboard.press('Escape');

  // Words are found in any order, in commands that were not asked about, and in quotes.
  const search = page.getByRole('searchbox', { name: 'Search' });
  for (const [words, found] of [['test npm', 'npm run test'], ['WORDS plain', 'echo plain words'], ['push "origin"', 'git push'], ['C-10482 delete', 'crm/delete_customer']] as const) {
    await search.fill(words);
    await page.keyboard.press('Enter');
    await expect(calls(page)).toHaveCount(1);
    await expect(calls(page)).toContainText(found);
  }

  // An answer is news about a call that is already listed.
  await search.fill('C-10482');
  await page.keyboard.press('Enter');
  await expect(calls(page)).toContainText('waiting for you');
  await harness.as('approver').approvals.answer(crm.id, { behavior: 'deny' });
  await page.getByRole('button', { name: 'Show 1 new call' }).click();
  await expect(calls(page)).toHaveCount(1);
  await expect(calls(page)).toContainText('denied by approver');

  // Records by themselves are one press away, with the same filters.
  await page.getByRole('link', { name: 'All events' }).click();
  await expect(page).toHaveURL(/text=C-10482&view=log$/);
  await expect(rows(page)).not.toHaveCount(0);
});

test('your own answer is yours, and older calls are loaded page by page', async ({ page, harness }) => {
  const agent = harness.as('agent');
  for (let index = 0; index < 120; index += 1) {
    await agent.canUseTool({ toolName: 'Bash', input: { command: `ls dir-${index}` }, toolUseId: `ls-${index}` }, { wait: false });
  }
  const asked = await harness.bash('terraform plan');
  await harness.signIn(page, 'approver', 'approver');
  await harness.as('approver').approvals.answer(asked.id, { behavior: 'allow' });
  await page.goto(`${harness.address}/audit?tool=Bash`);
  await expect(calls(page)).toHaveCount(100);
  await expect(calls(page).first()).toContainText(/terraform plan.*→ approved by (you|approver) in/);
  await page.getByRole('button', { name: 'Show older calls' }).click();
  await expect(calls(page)).toHaveCount(121);
  await expect(page.getByText('No more calls.')).toBeVisible();
});

test('filters are in the URL, and going back undoes them', async ({ page, harness }) => {
  await answer(harness, 'git push origin main', 'allow');
  await answer(harness, 'npm publish', 'deny');
  await harness.signIn(page);
  await page.goto(`${harness.address}/audit?view=log`);
  await expect(rows(page).filter({ hasText: 'npm publish' })).toHaveCount(1);

  await page.getByRole('searchbox', { name: 'Search' }).fill('PUSH');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/[?&]text=PUSH$/);
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText('git push origin main');

  await page.getByRole('button', { name: 'Filters' }).click();
  await field(page, 'Kind').selectOption('outcome');
  await expect(page).toHaveURL(/text=PUSH&kind=outcome/);
  await expect(page.getByRole('heading', { name: 'No matching rows' })).toBeVisible();

  await page.getByRole('button', { name: 'Remove filter: Text: PUSH' }).click();
  await expect(rows(page)).toHaveCount(2);
  await field(page, 'Decision').selectOption('deny');
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText('denied by approver: Not now');
  await expect(rows(page)).toContainText('approver');

  await page.goBack();
  await expect(rows(page)).toHaveCount(2);
  await page.goBack();
  await page.goBack();
  await expect(page).toHaveURL(/[?&]text=PUSH$/);
  await expect(page.getByRole('searchbox', { name: 'Search' })).toHaveValue('PUSH');
  await expect(rows(page)).toHaveCount(1);

  // The address alone is enough.
  await page.goto(`${harness.address}/audit?view=log&agent=builder&approver=approver&tool=Bash&kind=outcome&span=1h`);
  await expect(rows(page)).toHaveCount(2);
  await expect(field(page, 'Agent')).toHaveValue('builder');
  await expect(chip(page, '1 h')).toHaveAttribute('aria-pressed', 'true');
  await page.getByRole('button', { name: 'Clear all' }).click();
  await expect(page).toHaveURL(/\/audit\?view=log&span=1h$/);
});

test('a custom time range', async ({ page, harness }) => {
  await answer(harness, 'git push', 'allow');
  await harness.signIn(page);
  await page.goto(`${harness.address}/audit?view=log`);
  await chip(page, 'Custom').click();
  await expect(page).toHaveURL(/span=custom&from=.*&to=/);
  await expect(rows(page).filter({ hasText: 'git push' })).toHaveCount(1);
  await page.getByRole('textbox', { name: 'From', exact: true }).fill('2001-01-01T00:00');
  await page.getByRole('textbox', { name: 'To', exact: true }).fill('2001-01-02T00:00');
  await page.getByRole('textbox', { name: 'To', exact: true }).blur();
  await expect(page.getByRole('heading', { name: 'No matching rows' })).toBeVisible();
  await expect(page).toHaveURL(/from=2001-01-01T00%3A00%3A00.000Z&to=2001-01-02T00%3A00%3A00.000Z/);
  await page.getByRole('textbox', { name: 'To', exact: true }).fill('2000-01-02T00:00');
  await page.getByRole('textbox', { name: 'To', exact: true }).blur();
  await expect(page.getByText('The end is before the start.')).toBeVisible();
  await chip(page, 'All').click();
  await expect(page).toHaveURL(/\/audit\?view=log$/);
  await expect(rows(page).filter({ hasText: 'git push' })).toHaveCount(1);
});

test('a row shows its fields, its history and its position in the chain', async ({ page, harness, watch }) => {
  const id = await answer(harness, 'git push origin main', 'allow');
  await harness.signIn(page);
  await page.goto(`${harness.address}/audit?view=log`);
  await rows(page).filter({ hasText: 'git push origin main' }).click();
  await expect(page).toHaveURL(/[?&]row=[0-9a-f-]{36}\/\d+$/);
  await expect(dialog(page).getByRole('heading', { level: 2 })).toHaveText(/^Row \d+: question$/);
  await expect(dialog(page)).toContainText('no rule matches, and the default is to ask');
  await expect(dialog(page)).toContainText(id);
  await expect(dialog(page)).toContainText('"message": "Bash: git push origin main"');

  const { rows: found } = await harness.as('admin').audit.search({ approval: id, kind: 'question' });
  const { row, chain } = await harness.as('admin').audit.show(found[0]!.writer, found[0]!.seq);
  await expect(dialog(page)).toContainText('The signature is valid: the row is unchanged.');
  // The chain may have grown by a checkpoint since the page asked.
  await expect(dialog(page)).toContainText(new RegExp(`Row ${row.seq} of (${chain.last}|${chain.last - 1})`));
  for (const part of [row.writer, row.code, row.previous]) await expect(dialog(page)).toContainText(part);

  // The history links on, and the address changes with it.
  await dialog(page).getByRole('link', { name: 'outcome' }).click();
  await expect(dialog(page).getByRole('heading', { level: 2 })).toHaveText(/: outcome$/);
  await expect(dialog(page)).toContainText('approved by approver');
  const { rows: [ended] } = await harness.as('admin').audit.search({ approval: id, kind: 'outcome' });
  await dialog(page).getByRole('link', { name: 'Previous row' }).click();
  await expect(page).toHaveURL(new RegExp(`row=${row.writer}/${ended!.seq - 1}$`));
  await page.goto(`${harness.address}/audit?row=${row.writer}/${row.seq}`);
  await page.reload();
  await expect(dialog(page).getByRole('heading', { level: 2 })).toHaveText(`Row ${row.seq}: question`);
  expect(await axe(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  await expect(page).toHaveURL(/\/audit$/);

  await page.goto(`${harness.address}/audit?view=log`);
  await rows(page).filter({ hasText: 'git push origin main' }).click();
  await dialog(page).getByRole('link', { name: 'Everything about this question' }).click();
  await expect(page).toHaveURL(new RegExp(`/audit\\?approval=${id}$`));
  await expect(calls(page)).toHaveCount(1);

  watch.expects(/404/);
  await page.goto(`${harness.address}/audit?row=${row.writer}/999999`);
  await expect(dialog(page)).toContainText('Row not found');
});

test('a row with an invalid signature is marked', async ({ page, harness }) => {
  await answer(harness, 'git push origin main', 'allow');
  await harness.signIn(page);
  let signature = 'changed';
  await page.route('**/api/audit/rows/**', async (route) => {
    const response = await (await route.fetch()).json();
    await route.fulfill({ json: { ...response, chain: { ...response.chain, signature, removedTo: 1 } } });
  });
  await page.goto(`${harness.address}/audit?view=log&kind=question&text=git+push`);
  await rows(page).click();
  await expect(dialog(page)).toContainText('The signature does not match: the row was changed.');
  await expect(dialog(page)).toContainText('Rows up to 1 were deleted because they were old.');
  signature = 'unknown_key';
  await page.reload();
  await expect(dialog(page)).toContainText('The key that signed it is not available');
});

test('new rows are counted and shown on request', async ({ page, harness }) => {
  await answer(harness, 'git push', 'allow');
  await harness.signIn(page);
  await page.goto(`${harness.address}/audit?view=log&kind=question`);
  await expect(rows(page)).toHaveCount(1);
  await harness.bash('npm publish');
  const fresh = page.getByRole('button', { name: 'Show 1 new row' });
  await expect(fresh).toBeVisible();
  await expect(rows(page)).toHaveCount(1);
  await fresh.click();
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).first()).toContainText('npm publish');
  await expect(fresh).toHaveCount(0);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText('Nothing new')).toBeVisible();
});

test('older rows are loaded page by page', async ({ page, harness }) => {
  const agent = harness.as('agent');
  for (let index = 0; index < 130; index += 1) {
    await agent.canUseTool({ toolName: 'Bash', input: { command: 'ls' }, toolUseId: `ls-${index}` }, { wait: false });
  }
  await harness.signIn(page);
  await page.goto(`${harness.address}/audit?view=log&kind=verdict`);
  await expect(rows(page)).toHaveCount(100);
  await page.getByRole('button', { name: 'Show older rows' }).click();
  await expect(rows(page)).toHaveCount(130);
  await expect(page.getByText('No more rows.')).toBeVisible();
});

test('exports the filtered rows as JSON lines and as CSV', async ({ page, harness }) => {
  await answer(harness, 'git push origin main', 'allow');
  await answer(harness, 'npm publish', 'deny');
  await harness.signIn(page);
  await page.goto(`${harness.address}/audit?view=log&kind=question`);
  await expect(rows(page)).toHaveCount(2);
  const saved = async (name: string): Promise<{ file: string; text: string }> => {
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name }).click();
    const download = await waiting;
    return { file: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
  };
  const jsonl = await saved('Export JSONL');
  expect(jsonl.file).toMatch(/^sekisho-audit-\d{8}T\d{6}Z\.jsonl$/);
  const exported = jsonl.text.trimEnd().split('\n').map((line) => JSON.parse(line) as { kind: string; body: unknown; code: string });
  expect(exported.map(({ kind }) => kind)).toEqual(['question', 'question']);
  expect(jsonl.text).toContain('npm publish');
  const { rows: found } = await harness.as('admin').audit.search({ kind: 'question' });
  // Oldest first, signature included.
  expect(exported.map(({ code }) => code)).toEqual(found.map(({ code }) => code).reverse());

  const csv = await saved('Export CSV');
  expect(csv.file).toMatch(/\.csv$/);
  const [names, ...lines] = csv.text.trimEnd().split(/\r?\n/);
  expect(names).toMatch(/kind/);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('git push origin main');
  await expect(page.getByText(/^Saved sekisho-audit-.*\.csv$/)).toBeVisible();
});

test('verifies the log, also while another page is open', async ({ page, harness }) => {
  await past(harness);
  await harness.signIn(page);
  await page.goto(`${harness.address}/audit`);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/audit/verify', async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Check for tampering' }).click();
  await expect(page.getByText('Checking the signature of every row.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Check for tampering' })).toBeDisabled();
  await page.getByRole('link', { name: 'Rules', exact: true }).click();
  release();
  await page.getByRole('link', { name: 'Audit', exact: true }).click();
  await expect(page.getByText('The log is intact')).toBeVisible();
  await expect(page.getByText(/^\d+ rows in \d+ chains? are unchanged/)).toBeVisible();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(page.getByText('The log is intact')).toHaveCount(0);
  // The result stays beside the button.
  await expect(page.locator('header')).toContainText(/Intact, checked (just now|\d+ seconds ago)/);
});

test('a failed verification names and links the bad row', async ({ page, harness }) => {
  await answer(harness, 'git push', 'allow');
  const { rows: found } = await harness.as('admin').audit.search({ kind: 'question' });
  const { writer, seq } = found[0]!;
  await harness.signIn(page);
  await page.route('**/api/audit/verify', (route) =>
    route.fulfill({ json: { ok: false, rows: 12, problems: [{ writer, seq, message: 'the row was changed' }] } }));
  await page.goto(`${harness.address}/audit`);
  await page.getByRole('button', { name: 'Check for tampering' }).click();
  await expect(page.getByText('The log was changed')).toBeVisible();
  await expect(page.locator('header')).toContainText('Changed, checked');
  await expect(page.getByText('the row was changed')).toBeVisible();
  await page.getByRole('link', { name: `Row ${seq}`, exact: true }).click();
  await expect(dialog(page)).toContainText('git push');
});

test('the statistics match the log', async ({ page, harness }) => {
  await past(harness);
  const { stats } = await harness.as('admin').audit.stats({});
  const sum = (name: 'allowed' | 'asked' | 'denied' | 'approved' | 'rejected'): number => stats.hours.reduce((all, hour) => all + hour[name], 0);
  await harness.signIn(page);
  await page.goto(`${harness.address}/audit`);
  await page.getByRole('link', { name: 'Statistics' }).click();
  await expect(page).toHaveURL(/view=figures/);
  await chip(page, '24 h').click();
  const tile = (name: string) => page.locator('dl > div').filter({ hasText: name }).first();
  await expect(tile('Calls')).toContainText(String(sum('allowed') + sum('asked') + sum('denied')));
  // People answered eleven: nine approved, two denied.
  expect([sum('approved'), sum('rejected'), sum('denied')]).toEqual([9, 2, 1]);
  expect(sum('asked')).toBeGreaterThanOrEqual(11);
  await expect(tile('Questions')).toContainText(String(sum('asked')));
  await expect(tile('Approval rate')).toContainText('82%');

  const decisions = page.getByRole('figure', { name: 'Decisions over time' });
  await expect(decisions).toContainText(`Total: ${sum('allowed')} allowed by rule, ${sum('asked')} asked, ${sum('denied')} denied by rule`);
  await expect(decisions.getByLabel('How questions ended')).toContainText(new RegExp(`Approved ${stats.outcomes.approved}\\s*Denied ${stats.outcomes.denied}\\s*Expired ${stats.outcomes.expired}`));
  await decisions.getByText('Numbers').click();
  const counted = (await decisions.locator('tbody td').allTextContents()).map(Number);
  expect(counted.reduce((all, value) => all + value, 0)).toBe(sum('allowed') + sum('asked') + sum('denied'));

  // The arrow keys read every step; the last is now.
  const slider = decisions.getByRole('slider');
  await slider.focus();
  await page.keyboard.press('End');
  await expect(slider).toHaveAttribute('aria-valuetext', /: \d+ allowed by rule, \d+ asked, \d+ denied by rule$/);
  await page.keyboard.press('Home');
  await expect(slider).toHaveAttribute('aria-valuetext', /: 0 allowed by rule, 0 asked, 0 denied by rule$/);
  await expect(decisions.locator('.said')).toHaveText((await slider.getAttribute('aria-valuetext'))!);

  await expect(page.getByRole('figure', { name: 'Time to answer', exact: true })).toContainText('11 answers in all');
  await expect(page.getByRole('figure', { name: 'Approval rate' })).toContainText('9 approved, 2 denied');
  await expect(page.getByRole('figure', { name: 'Tools asked about most' }).getByRole('listitem').filter({ hasText: 'Bash' })).toContainText(`asked ${sum('asked')} · 82% approved`);
  const commands = page.getByRole('figure', { name: 'Commands asked about most' }).getByRole('listitem');
  await expect(commands.filter({ hasText: 'npm run build' })).toContainText('asked 6 · 100% approved');
  await expect(commands.filter({ hasText: 'rm' }).first()).toContainText('asked 1 · 0% approved');
  expect(await axe(page)).toEqual([]);

  await page.goto(`${harness.address}/audit?view=figures&from=2001-01-01T00:00:00Z&to=2001-02-01T00:00:00Z`);
  await expect(page.getByRole('heading', { name: 'No calls in this period' })).toBeVisible();
});

test('five equal answers suggest a rule that opens in the call test', async ({ page, harness }) => {
  await harness.signIn(page);
  await page.goto(`${harness.address}/audit?view=suggestions`);
  await expect(page.getByRole('heading', { name: 'No suggestions yet' })).toBeVisible();
  for (let index = 0; index < 5; index += 1) await answer(harness, 'terraform plan', 'allow');
  const card = page.getByRole('article');
  await expect(card).toContainText('Approved 5 times');
  await expect(card).toContainText('terraform plan');
  await expect(card).toContainText('Only terraform plan, in any directory');
  await card.getByText('The latest 5 answers').click();
  await expect(card.getByRole('listitem').filter({ hasText: 'by approver' })).toHaveCount(5);
  expect(await axe(page)).toEqual([]);

  // The rule is in the form, its example call is in the call test.
  await card.getByRole('link', { name: 'Try it' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Rules');
  await expect(page.getByLabel('Command pattern').first()).toHaveValue('terraform plan');
  await expect(page.getByRole('region', { name: 'Try a call' })).toContainText('terraform plan');

  // Once the rule exists, nothing is left to suggest.
  await page.goBack();
  const { suggestions } = await harness.as('admin').rules.suggestions();
  await harness.as('admin').rules.add({ effect: 'allow', ...suggestions[0]!.rules[0]! });
  await expect(page.getByRole('heading', { name: 'No suggestions yet' })).toBeVisible();
});

test('on a phone the log fits and its filters are folded', async ({ browser, harness }) => {
  await past(harness);
  const { page } = await harness.open(browser, '/audit?view=log', { viewport: { width: 360, height: 740 }, hasTouch: true });
  await expect(field(page, 'Tool')).toBeHidden();
  // What is seldom needed is behind one button, so that the first entry is on the first screen.
  await expect(rows(page).first()).toBeInViewport();
  await expect(page.getByRole('button', { name: 'Refresh' })).toBeHidden();
  await page.getByRole('button', { name: 'More actions' }).click();
  await expect(page.getByRole('button', { name: 'Export CSV' })).toBeVisible();
  expect(await axe(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Export CSV' })).toBeHidden();
  await page.getByRole('button', { name: 'Filters' }).click();
  await field(page, 'Kind').selectOption('outcome');
  await expect(rows(page)).toHaveCount(11);
  await rows(page).first().click();
  await expect(dialog(page)).toContainText('The signature is valid');
  for (const path of ['/audit', '/audit?view=log', '/audit?view=figures', '/audit?view=suggestions']) {
    await page.goto(harness.address + path);
    await expect(page.getByText('Loading', { exact: true })).toHaveCount(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), path).toBe(0);
  }
});
