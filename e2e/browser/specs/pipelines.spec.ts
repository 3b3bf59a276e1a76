// Pipelines: composed, reordered, checked, stored, exported and imported; run, watched and tried again.
import { readFileSync } from 'node:fs';
import { scriptedAgent } from '../lib/scriptedAgents.js';
import { expect, test } from '../lib/test.js';

test.use({ serverOptions: { project: 'shop' } });

test('a pipeline is composed, reordered, checked, saved, exported and imported', async ({ page, browser, harness }) => {
  await scriptedAgent(harness, 'searcher', [{ text: 'Found.' }], ['read', 'web_search']);
  await scriptedAgent(harness, 'writer', [{ text: 'Written.' }], ['file_write']);
  await harness.signIn(page);
  await page.goto(`${harness.address}/pipelines`);
  const { page: other } = await harness.open(browser, '/pipelines', { name: 'phone', viewport: { width: 360, height: 740 } });
  await page.keyboard.press('n');
  await page.getByLabel('Name', { exact: true }).fill('report');
  await page.getByRole('button', { name: 'Add a stage' }).click();
  const first = page.getByRole('listitem', { name: 'Stage 1' });
  const second = page.getByRole('listitem', { name: 'Stage 2' });
  await first.getByLabel('Agent').selectOption('writer');
  await first.getByLabel('Prompt').fill('Write: {{previous}}');
  await second.getByLabel('Agent').selectOption('searcher');
  await second.getByLabel('Prompt').fill('Find {{input}}.');
  await expect(first.getByText('The first stage has no stage before it.')).toBeVisible();
  await expect(second.getByText('It needs {{previous}}')).toBeVisible();
  await page.getByRole('button', { name: 'Save pipeline' }).click();
  await expect(page.getByText('2 fields need a correction.')).toBeVisible();
  expect((await harness.as('admin').pipelines.list()).pipelines).toEqual([]);
  await page.getByRole('button', { name: 'Move stage 2 up' }).press('Enter');
  await expect(first.getByLabel('Prompt')).toHaveValue('Find {{input}}.');
  await expect(page.getByText('It needs {{previous}}')).toHaveCount(0);
  await first.getByLabel('Only these').check();
  await first.getByLabel('Search the web').check();
  await first.getByRole('button', { name: 'Configure web_search' }).click();
  await page.getByRole('form', { name: 'Configure web_search' }).getByLabel('Time limit in seconds').fill('5');
  await page.getByRole('form', { name: 'Configure web_search' }).getByRole('button', { name: 'Apply' }).click();
  await expect(first.getByText('narrowed')).toBeVisible();
  await page.getByRole('button', { name: 'Save pipeline' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('report');
  const definition = {
    name: 'report',
    stages: [
      { agent: 'searcher', prompt: 'Find {{input}}.', enabledTools: ['web_search'], toolConfig: { web_search: { http_timeout_secs: 5 } } },
      { agent: 'writer', prompt: 'Write: {{previous}}' },
    ],
  };
  const [stored] = (await harness.as('admin').pipelines.list()).pipelines;
  expect(stored!.definition).toMatchObject(definition);
  await expect(other.getByRole('link', { name: 'report', exact: true })).toBeVisible();
  expect(await other.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);

  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export' }).click()]);
  expect(download.suggestedFilename()).toBe('report.json');
  const text = readFileSync(await download.path(), 'utf8');
  expect(JSON.parse(text)).toEqual(definition);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No pipelines yet')).toBeVisible();
  const file = page.locator('input[type=file]');
  await file.setInputFiles({ name: 'bad.json', mimeType: 'application/json', buffer: Buffer.from('{"name":"x","steps":[]}') });
  await expect(page.getByRole('region', { name: 'Messages' })).toContainText('This file is not a pipeline. Look at: steps');
  await file.setInputFiles({ name: 'report.json', mimeType: 'application/json', buffer: Buffer.from(text.replace('"report"', '"<b>report</b>"')) });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Imported pipeline');
  await page.getByRole('button', { name: 'Save pipeline' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('<b>report</b>');
  await expect(other.getByRole('link', { name: '<b>report</b>', exact: true })).toBeVisible();
});

test('a run is watched in two browsers, asks, fails, is tried again, and is ended', async ({ page, browser, harness }) => {
  const call = { name: 'file_write', input: { path: 'doc/report.md', content: '# Report\n' } };
  await scriptedAgent(harness, 'searcher', [{ text: 'Found <i>three</i> sources.' }]);
  const writer = await scriptedAgent(harness, 'writer', [{ text: 'I write.', calls: [call] }, { text: 'Written.' }], ['file_write']);
  const admin = harness.as('admin');
  const pipeline = await admin.pipelines.create({
    name: 'report',
    stages: [
      { name: 'search', agent: 'searcher', prompt: 'Find {{input}}.' },
      { name: 'write', agent: 'writer', prompt: 'Write: {{previous}}' },
    ],
  });
  // The second stage fails until its agent has another model.
  harness.server.script('broken', [{ text: 'Never said.', expect: { contains: 'a text that no message has' } }]);
  await admin.agents.replace(writer, { name: 'writer', provider: 'scripted', model: 'broken' });
  await harness.signIn(page);
  await page.goto(`${harness.address}/pipelines`);
  await page.getByRole('link', { name: 'Run report' }).click();
  await expect(page.getByLabel('Input')).toBeFocused();
  await page.keyboard.type('solar power');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/pipelines\/runs\/[0-9a-f-]{36}$/);
  const stages = page.getByRole('list', { name: 'Stages' }).getByRole('listitem');
  await expect(stages.nth(0)).toContainText('Done');
  await expect(stages.nth(0)).toContainText('Found <i>three</i> sources.');
  await expect(stages.nth(1)).toContainText('Failed');
  const { page: other } = await harness.open(browser, new URL(page.url()).pathname, { name: 'phone', viewport: { width: 360, height: 740 } });
  const theirs = other.getByRole('list', { name: 'Stages' }).getByRole('listitem');
  await expect(theirs.nth(1)).toContainText('Failed');

  await admin.agents.replace(writer, { name: 'writer', provider: 'scripted', model: 'writer' });
  await page.getByRole('button', { name: 'Try this stage again' }).click();
  await expect(stages.nth(1)).toContainText('1 call is waiting for you');
  await expect(theirs.nth(1)).toContainText('1 call is waiting for you');
  expect(await other.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  await expect(stages.nth(1).getByRole('link', { name: 'Attempt 2' })).toHaveAttribute('href', /^\/runs\//);
  const waiting = await stages.nth(1).getByRole('link', { name: 'Answer: file_write' }).getAttribute('href');
  // The question has the title that it has in the inbox.
  for (const list of [stages, theirs]) await expect(list.nth(1).locator('.call')).toContainText(/Write|Create/);
  const { approvals } = await admin.approvals.list({ state: 'pending' });
  expect(waiting).toBe(`/approvals/${approvals[0]!.id}`);
  await expect(other.getByRole('link', { name: 'Answer 1 question' })).toHaveAttribute('href', waiting!);
  await expect(other.getByRole('link', { name: 'Answer 1 question' })).toBeInViewport({ ratio: 1 });
  const run = await admin.pipelineRuns.show(page.url().split('/').at(-1)!);
  await harness.as('approver').runs.approve(run.stages[1]!.attempts.at(-1)!.runId, {});
  await expect(stages.nth(1)).toContainText('Written.');
  await expect(theirs.nth(1)).toContainText('Written.');
  await expect(page.getByText('This run has ended.')).toBeVisible();

  // Another run is stopped while it waits.
  await page.goto(`${harness.address}/pipelines/${pipeline.id}?run=1`);
  await page.getByLabel('Input').fill('wind');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(stages.nth(1)).toContainText('Waiting for you');
  await page.getByRole('button', { name: 'Stop run' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop run' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Stopped');
  await page.getByRole('link', { name: 'All pipelines' }).click();
  const recent = page.getByRole('region', { name: 'Recent runs' }).getByRole('listitem');
  await expect(recent).toHaveCount(2);
  await expect(recent.last()).toContainText('2 of 2 stages done');
});
