// A fresh home, a workspace and a temporary directory, for one case only.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/// Makes the directories with copies of both binaries, so that a case may remove one.
export function makePlace(binaries) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'sekisho-client-'));
  const place = { root, running: [] };
  for (const name of ['home', 'ws', 'tmp', 'bin']) {
    place[name] = path.join(root, name);
    fs.mkdirSync(place[name]);
  }
  for (const name of ['sekisho', 'sekisho-hook']) {
    const to = path.join(place.bin, name);
    try {
      fs.linkSync(path.join(binaries, name), to);
    } catch {
      fs.copyFileSync(path.join(binaries, name), to);
    }
  }
  return place;
}

/// Ends what was started here and removes the directories.
export function clear(place, keep) {
  for (const child of place.running) kill(child);
  if (!keep) fs.rmSync(place.root, { recursive: true, force: true, maxRetries: 5 });
}

/// Ends a process that was started here, and its children.
export function kill(child, signal = 'SIGKILL') {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // It has ended by itself.
  }
}

/// Writes a file below the directory; values that are not text are written as JSON.
export function write(place, name, value) {
  const file = path.join(place.root, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  return file;
}

/// Reads a JSON file below the directory, lets `change` change it, and writes it back.
export function edit(place, name, change) {
  const value = JSON.parse(fs.readFileSync(path.join(place.root, name), 'utf8'));
  change(value);
  write(place, name, value);
}

/// The environment of every program here: nothing of the machine's own except the path.
export function environment(place, more = {}) {
  return { PATH: process.env.PATH, HOME: place.home, TMPDIR: place.tmp, LANG: 'C.UTF-8', ...more };
}

/// Starts a program in the workspace. `ended` is a promise of {code, out, err}.
export function start(place, program, args, { env, seconds = 240, input = '' } = {}) {
  const child = spawn(program, args, { cwd: place.ws, env: environment(place, env), detached: true });
  place.running.push(child);
  const said = { out: '', err: '' };
  child.stdout.on('data', (piece) => (said.out += piece));
  child.stderr.on('data', (piece) => (said.err += piece));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended = new Promise((resolve) => {
    const timer = setTimeout(() => {
      said.late = true;
      kill(child);
    }, seconds * 1000);
    child.on('error', (error) => {
      clearTimeout(timer);
      resolve({ code: null, ...said, err: String(error) });
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, ...said });
    });
  });
  return { child, said, ended };
}

/// Runs a program to its end.
export function run(place, program, args, options) {
  return start(place, program, args, options).ended;
}

/// Whether a file of this name exists in the workspace.
export function ran(place, name) {
  return fs.existsSync(path.join(place.ws, name));
}

/// Retries until there is a result, for a bounded time.
export async function until(what, probe, seconds = 240) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > end) throw new Error(`${what}: nothing in ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
