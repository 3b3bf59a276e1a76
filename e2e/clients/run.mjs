// Runs the real clients against our hook, offline, each case in a network namespace of its own.
//   node run.mjs --binaries target/debug [--agent claude-code]... [--case TEXT] [--jobs 2] [--show-results]
//   node run.mjs --get [--agent claude-code]... only fetches what is missing.
// Prints one line per case; exits with 1 if one failed. KEEP=1 keeps the files of failed cases.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { agents, casesOf } from './cases/all.mjs';
import { impossible, inside } from './lib/namespace.mjs';
import { programOf } from './lib/harness.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({
  options: {
    binaries: { type: 'string' },
    agent: { type: 'string', multiple: true, default: Object.keys(agents) },
    case: { type: 'string', default: '' },
    jobs: { type: 'string', default: '2' },
    'show-results': { type: 'boolean', default: false },
    get: { type: 'boolean', default: false },
  },
});

function stop(why) {
  console.error(why);
  process.exit(2);
}

/// Installs a client by its lockfile, unless it is there.
function get(agent) {
  if (fs.existsSync(programOf(agent))) return;
  console.log(`getting ${agent.name} ${agent.version}`);
  const { status } = spawnSync('npm', ['ci'], { cwd: path.join(here, 'pins', agent.name), stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) stop(`npm ci failed for ${agent.name}`);
}

/// Plays one case; returns its result and how long it took.
function play(binaries, { agent, title }) {
  const began = Date.now();
  const [program, args] = inside(process.execPath, [path.join(here, 'one.mjs'), binaries, agent, title]);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  child.stdout.on('data', (piece) => (out += piece));
  child.stderr.on('data', (piece) => (out += piece));
  return new Promise((resolve) => {
    child.on('close', () => {
      let outcome;
      try {
        outcome = JSON.parse(out.trim().split('\n').at(-1));
      } catch {
        outcome = { ok: false, seen: `the case itself failed: ${out.trim().slice(-600)}` };
      }
      resolve({ ...outcome, seconds: (Date.now() - began) / 1000 });
    });
  });
}

async function main() {
  const unknown = values.agent.find((name) => !agents[name]);
  if (unknown) stop(`unknown agent ${unknown}; known agents: ${Object.keys(agents).join(', ')}`);
  if (values.get) {
    for (const name of values.agent) get(agents[name]);
    return 0;
  }
  if (!values.binaries) stop('`--binaries DIRECTORY` is missing; it must hold sekisho and sekisho-hook');
  const binaries = path.resolve(values.binaries);
  for (const name of ['sekisho', 'sekisho-hook']) {
    if (!fs.existsSync(path.join(binaries, name))) stop(`${path.join(binaries, name)} does not exist: build it first`);
  }
  const why = impossible();
  if (why) stop(`network namespaces are not available here, and the cases need them: ${why}`);
  for (const name of values.agent) get(agents[name]);

  const queue = values.agent.flatMap((agent) => Object.keys(casesOf(agent)).map((title) => ({ agent, title })))
    .filter(({ title }) => title.includes(values.case));
  if (queue.length === 0) stop(`no case has \`${values.case}\` in its name`);
  const began = Date.now();
  const totals = {};
  const waiting = [...queue];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { ok, seen, toolResult, seconds } = await play(binaries, next);
      const total = (totals[next.agent] ??= { ok: 0, failed: 0, seconds: 0 });
      total[ok ? 'ok' : 'failed'] += 1;
      total.seconds += seconds;
      const head = `${ok ? 'ok    ' : 'FAILED'}  ${next.agent.padEnd(11)}  ${seconds.toFixed(1).padStart(5)} s  ${next.title}`;
      const more = ok ? values['show-results'] && toolResult : seen;
      console.log(more ? `${head}\n        ${more.replaceAll('\n', '\n        ')}` : head);
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker));
  for (const [agent, { ok, failed, seconds }] of Object.entries(totals)) {
    console.log(`${agent} ${agents[agent].version}: ${ok} ok, ${failed} failed, ${seconds.toFixed(1)} s one after another`);
  }
  console.log(`${queue.length} cases in ${((Date.now() - began) / 1000).toFixed(1)} s`);
  return Object.values(totals).some(({ failed }) => failed > 0) ? 1 : 0;
}

process.exit(await main());
