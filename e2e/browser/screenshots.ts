// The screenshots of the README and the guide: every page, wide and narrow, light and dark. With names
// (`npm run screenshots -- agents run`) only those.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Page, chromium } from '@playwright/test';
import { CHROMIUM, FLAGS } from './lib/chromium.js';
import { sampleAgents, sampleRuns } from './lib/scriptedAgents.js';
import { StreamedModel, gate } from './lib/scriptedRuns.js';
import { past, project, questions } from './lib/seed.js';
import { Harness } from './lib/harness.js';
import { atHome, withoutRootWarning } from './lib/pictures.js';

const FOLDER = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
const SIZES = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

/** A screenshot: a path, and what to do there first. */
type Pictures = Record<string, { path: (harness: Harness) => Promise<string> | string; first?: (page: Page, harness: Harness) => Promise<void> }>;
const PICTURES: Pictures = {
  inbox: { path: () => '/' },
  question: { path: (harness) => approval(harness, 'curl') },
  change: { path: (harness) => approval(harness, 'config.ts') },
  rules: { path: () => '/rules' },
  bench: { path: () => `/rules?call=${encodeURIComponent(JSON.stringify({ toolName: 'bash', input: { command: 'cargo test && git push --force' } }))}` },
  audit: { path: () => '/audit' },
  figures: { path: () => '/audit?view=figures' },
  suggestions: { path: () => '/audit?view=suggestions' },
  settings: { path: () => '/settings' },
};

async function approval(harness: Harness, text: string): Promise<string> {
  const { approvals } = await harness.as('admin').approvals.list({ state: 'pending' });
  const found = approvals.find((one) => JSON.stringify(one.input).includes(text));
  if (found === undefined) throw new Error(`no question is about ${text}`);
  return `/approvals/${found.id}`;
}

/** Agents, runs and pipelines, on a server with a project and models. */
function agentPictures(ids: Record<string, string>): Pictures {
  return {
    agents: { path: () => '/agents' },
    agent: { path: () => `/agents/${ids['writer']}` },
    tools: {
      path: () => `/agents/${ids['writer']}`,
      first: async (page) => {
        const configure = page.getByRole('button', { name: /Configure.*file_write/ });
        await configure.click();
        await configure.evaluate((button) => button.closest('section')?.scrollIntoView({ block: 'start' }));
      },
    },
    runs: { path: () => '/runs' },
    streaming: {
      path: async (harness) => {
        const { run_id } = await harness.as('admin').runs.start({ agent_id: ids['proofreader'] ?? '', input: 'Proofread the report on solar power.' }, { wait: false });
        return `/runs/${run_id}`;
      },
      first: async (page, harness) => {
        // A page gets the text of a reply that begins while it is there.
        await page.locator('#run-question').waitFor();
        const run = page.url().split('/').at(-1) ?? '';
        const [call] = (await harness.as('admin').runs.show(run)).pending;
        // The answer comes when the run stops, which it does not: the model goes on writing.
        harness.as('admin').runs.approve(run, { toolCallId: call?.toolCallId ?? '' }).catch(() => undefined);
        await page.getByText('The newer source says 3.8').waitFor();
        await page.getByRole('button', { name: 'Go on' }).click();
        await page.locator('#story').getByText('notes.md').nth(1).waitFor();
        // A page that shows the end goes on doing so until it has seen that somebody scrolled.
        await page.waitForFunction(() => {
          scrollTo(0, 0);
          return document.documentElement.scrollHeight < innerHeight + 200 || document.body.textContent.includes('Jump to the latest');
        });
      },
    },
    run: { path: () => `/runs/${ids['finished']}`, first: async (page) => page.locator('#story .finish').waitFor() },
    pipelines: { path: () => '/pipelines' },
    pipeline: { path: () => `/pipelines/${ids['pipeline']}` },
    'pipeline-run': { path: () => `/pipelines/runs/${ids['run']}` },
  };
}

const wanted = process.argv.slice(2);
const chosen = (pictures: Pictures): Pictures => Object.fromEntries(Object.entries(pictures).filter(([name]) => wanted.length === 0 || wanted.includes(name)));
mkdirSync(FOLDER, { recursive: true });
const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });

if (Object.keys(chosen(PICTURES)).length > 0) {
  const harness = await Harness.start({ project: 'shop' });
  // A minute and a half in which agents ask and people answer, so that ages and times are those of a real day.
  await Promise.all([past(harness, 1), questions(harness, 1)]);
  await take(harness, chosen(PICTURES));
  await harness.end();
}
if (Object.keys(chosen(agentPictures({}))).length > 0) {
  const pictures = gate();
  const model = await StreamedModel.start(async (reply, nth) => {
    // Every run has two replies.
    if (nth % 2 === 0) {
      await reply.say('I note the prices first.');
      reply.end([{ name: 'file_write', input: { path: 'doc/notes.md', content: '# Prices\n\nThe older source says 4.1 cents.\n' } }]);
      return;
    }
    await reply.say('The report has three parts. I have checked the figures of the first one against both sources: they agree.\n\nThe second part names a price of 4.1 cents a kilowatt hour. The newer source says 3.8, so I');
    await pictures.opened;
    reply.end();
  });
  const harness = await Harness.start({ project: 'shop', env: model.env });
  mkdirSync(join(project(harness), 'doc'));
  const ids = { ...(await sampleAgents(harness)), ...(await sampleRuns(harness)) };
  await take(harness, chosen(agentPictures(ids)));
  pictures.open();
  await harness.end();
  model.end();
}
await browser.close();

async function take(harness: Harness, pictures: Pictures): Promise<void> {
  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, context } = await harness.open(browser, '/', { name: 'Ada', viewport, colorScheme, hasTouch: size === 'phone' });
      // A busy machine takes its time.
      page.setDefaultTimeout(180_000);
      await withoutRootWarning(context);
      for (const [name, { path, first }] of Object.entries(pictures)) {
        await page.goto(harness.address + (await path(harness)));
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle', { timeout: 1000 }).catch(() => undefined);
        await first?.(page, harness);
        await atHome(page, harness);
        await page.screenshot({ path: join(FOLDER, `${name}-${size}-${colorScheme}.png`) });
        console.log(`docs/screenshots/${name}-${size}-${colorScheme}.png`);
      }
      await context.close();
    }
  }
}
