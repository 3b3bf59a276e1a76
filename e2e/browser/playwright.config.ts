import { defineConfig } from '@playwright/test';
import { CHROMIUM, FLAGS } from './lib/chromium.js';

export default defineConfig({
  testDir: 'specs',
  outputDir: 'build/results',
  // Two cores: a browser and a server each.
  workers: 2,
  fullyParallel: true,
  timeout: 30_000,
  expect: { timeout: 5_000 },
  // Half seconds are of the essence here, and machines stall: what passes only the second time is reported as flaky.
  retries: 1,
  forbidOnly: true,
  reporter: [['list']],
  use: {
    locale: 'en-GB',
    timezoneId: 'UTC',
    colorScheme: 'light',
    viewport: { width: 1280, height: 800 },
    launchOptions: { executablePath: CHROMIUM, args: FLAGS },
    // Watching every step takes half as long again: `--trace on` for a closer look.
    trace: 'off',
  },
});
