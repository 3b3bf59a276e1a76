// Runs the tests in a network namespace that has only loopback, so that no framework reaches anything else.
//   node run.mjs [TEST FILE]...
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { impossible, inside } from '../clients/lib/namespace.mjs';

const here = import.meta.dirname;
const why = impossible();
if (why) {
  console.error(`network namespaces are not available here, and the tests need them: ${why}`);
  process.exit(2);
}
const named = process.argv.slice(2);
const files = named.length > 0 ? named : readdirSync(join(here, 'test')).filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`);
const home = mkdtempSync(join(tmpdir(), 'sekisho-sdk-'));
// Nothing of the machine's own except the path: no keys, no settings.
const env = { PATH: process.env.PATH, HOME: home, TMPDIR: home, LANG: 'C.UTF-8', ...(process.env.SEKISHO_BIN && { SEKISHO_BIN: process.env.SEKISHO_BIN }) };
const [program, args] = inside(process.execPath, ['--import', 'tsx', '--test', '--test-concurrency=2', ...files]);
const { status } = spawnSync(program, args, { cwd: here, env, stdio: 'inherit' });
rmSync(home, { recursive: true, force: true, maxRetries: 5 });
process.exit(status ?? 1);
