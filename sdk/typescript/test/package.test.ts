// The package as it would be published: packed, installed into an empty project, imported, and compiled against.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { workspace } from './test-server.js';

const sdk = join(workspace(), 'sdk/typescript');

test('the package installs into an empty project, and every export is importable and has types', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sekisho-package-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const run = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const [packed] = JSON.parse(run('npm', 'pack', sdk, '--json', '--ignore-scripts')) as { filename: string; files: { path: string }[] }[];
  const paths = packed!.files.map(({ path }) => path);
  assert.deepEqual(paths.filter((path) => !path.startsWith('dist/')).sort(), ['README.md', 'package.json']);
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  run('npm', 'install', '--offline', '--no-audit', '--no-fund', `./${packed!.filename}`);
  const manifest = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8')) as { exports: Record<string, unknown>; dependencies?: object };
  assert.equal(manifest.dependencies, undefined);
  const names = Object.keys(manifest.exports).map((name) => `@sekisho/client${name.slice(1)}`);
  assert.equal(names.length, 7);
  writeFileSync(join(folder, 'all.mjs'), names.map((name, index) => `import * as m${index} from '${name}';\nif (Object.keys(m${index}).length === 0) throw new Error('${name}');\n`).join(''));
  run(process.execPath, 'all.mjs');
  writeFileSync(join(folder, 'all.ts'), names.map((name, index) => `export * as m${index} from '${name}';\n`).join(''));
  const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['all.ts'] }));
  assert.equal(run(process.execPath, join(sdk, 'node_modules/typescript/bin/tsc')), '');
});
