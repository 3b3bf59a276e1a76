import { defineConfig } from '@playwright/test';
import { CHROMIUM, FLAGS } from './lib/chromium.js';

export default defineConfig({
  testDir: 'specs',
  outputDir: 'build/results',
  // Two cores: a browser and a server each.
  workers: 2,
  fullyParallel: true,
  // What takes longer hangs; a machine with much else to do is no reason to fail. Where half seconds are of the essence, the
  // page has a clock that is moved by hand (`lib/clock.ts`).
  timeout: 240_000,
  expect: { timeout: 60_000 },
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
