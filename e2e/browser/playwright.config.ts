import { defineConfig } from '@playwright/test';
import { CHROMIUM, FLAGS } from './lib/chromium.js';

export default defineConfig({
  testDir: 'specs',
  outputDir: 'build/results',
  // Two cores: a browser and a server each.
  workers: 2,
  fullyParallel: true,
  // Long enough for a busy machine. Tests of half-second delays use a manual clock (`lib/clock.ts`).
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
    // Tracing takes half as long again: use `--trace on` for a closer look.
    trace: 'off',
  },
});
