// Every TypeScript example, started by its one command.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const folder = join(import.meta.dirname, '../../../examples');
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && readdirSync(join(folder, entry.name)).includes('main.ts'))
  .map(({ name }) => name);

const start = async (name: string, answer: string): Promise<string> =>
  (await promisify(execFile)(process.execPath, [join(folder, 'start.mjs'), name, '--answer', answer])).stdout;

test('there are six examples of at most 60 lines', () => {
  assert.equal(names.length, 6);
  for (const name of names) assert.ok(readFileSync(join(folder, name, 'main.ts'), 'utf8').split('\n').length <= 60, name);
});

for (const name of names) {
  test(`${name}: the note is written if it is allowed, and not if it is denied`, async () => {
    assert.match(await start(name, 'allow'), /result: done[^]*note\.txt: hello/);
    assert.match(await start(name, 'deny'), /note\.txt: not written/);
  });
}
