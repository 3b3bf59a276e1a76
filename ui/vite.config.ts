import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// Where `npm run dev` finds a server. What it sends comes from our own page, as far as that server can tell.
const server = process.env['SEKISHO_URL'] ?? 'http://127.0.0.1:8787';

export default defineConfig({
  plugins: [svelte()],
  resolve: {
    alias: { '@sekisho/client': fileURLToPath(new URL('../sdk/typescript/src/index.ts', import.meta.url)) },
  },
  build: {
    target: 'es2022',
    // The policy of the server allows no inline text, and a preload that polyfills itself would be some.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // How long which plugin took is nobody's business but that of whoever works on plugins.
    rolldownOptions: { checks: { pluginTimings: false, bundlerTimings: false } },
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': { target: server, changeOrigin: true, headers: { origin: server } } },
    fs: { allow: ['..'] },
  },
  // No test needs this long on any machine; what does is no longer linear in what it is given.
  test: { include: ['test/**/*.test.ts'], testTimeout: 120_000 },
});
