// What each listed run was asked to do. The list of runs does not say it, so the first message of a run is read from the beginning
// of its events, once, when its row comes into view.
import { SvelteMap } from 'svelte/reactivity';
import { client } from '../lib/client';

/** Characters that are kept of a task. */
const LONGEST = 300;
/** Reads at a time: a browser has few connections. */
const AT_ONCE = 2;
/** A run that has just started may have no message yet. */
const PATIENCE_MS = 10_000;

/** An empty text: the run has no task that could be read. */
const tasks = new SvelteMap<string, string>();
const sought = new Set<string>();
const waiting: string[] = [];
let reading = 0;

/** The task of a run, if it is known. */
export function taskOf(run: string): string | undefined {
  return tasks.get(run);
}

/** Reads the task of a run, unless that was done before. */
export function seekTask(run: string): void {
  if (sought.has(run)) return;
  sought.add(run);
  waiting.push(run);
  next();
}

function next(): void {
  while (reading < AT_ONCE) {
    const run = waiting.shift();
    if (run === undefined) return;
    reading += 1;
    void read(run).then((text) => {
      tasks.set(run, text);
      reading -= 1;
      next();
    });
  }
}

async function read(run: string): Promise<string> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), PATIENCE_MS);
  try {
    for await (const event of client.followRun(run, { signal: stop.signal, until: 'suspended' })) {
      const text = event.payload['text'];
      return event.type === 'user-message' && typeof text === 'string' ? text.slice(0, LONGEST).trim() : '';
    }
  } catch {
    // The row then has the name of its agent.
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
  return '';
}
