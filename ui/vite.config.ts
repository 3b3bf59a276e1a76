import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// The server for `npm run dev`. The proxy below sets its origin, so that requests count as same-origin.
const server = process.env['SEKISHO_URL'] ?? 'http://127.0.0.1:8787';

export default defineConfig({
  plugins: [svelte()],
  resolve: {
    alias: { '@sekisho/client': fileURLToPath(new URL('../sdk/typescript/src/index.ts', import.meta.url)) },
  },
  build: {
    target: 'es2022',
    // The polyfill is an inline script, which the server's content security policy forbids.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // Plugin timings are only noise in the output of a build.
    rolldownOptions: {
      checks: { pluginTimings: false, bundlerTimings: false },
      // What the first screen needs is in few files: each one has headers, and small ones compress badly.
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'question',
              test: /src\/(question|inbox)\/(?!RememberPanel|rememberDraft|AlsoAllowed|alsoAllowed|highlight|EditInput|EditVerdict|inputEdit|jsonErrors|editableFields|BulkReview|bulkAnswer|KeyHelp|OutcomeNote|editDiffs|QuestionFacts)/,
            },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': { target: server, changeOrigin: true, headers: { origin: server } } },
    fs: { allow: ['..'] },
  },
  // Long enough for any machine; a test that exceeds it is no longer linear in its input.
  test: { include: ['test/**/*.test.ts'], testTimeout: 120_000 },
});
