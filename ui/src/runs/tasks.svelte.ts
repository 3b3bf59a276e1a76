// What each listed run was asked to do. Lists of runs do not say it, so it is read once, when the row comes into view or when a
// search needs it: for a run the first of its events, for a run of a pipeline its input.
import { SvelteMap } from 'svelte/reactivity';
import { client } from '../lib/client';

/** Characters that are shown of a task, and that are searched. */
const SHOWN = 300;
const LONGEST = 4000;
/** Reads at a time: a browser has few connections. */
const AT_ONCE = 2;
/** A run that has just started may have no message yet. */
const PATIENCE_MS = 10_000;

type Source = 'run' | 'pipeline';

/** An empty text: the run has no task that could be read. */
const tasks = new SvelteMap<string, string>();
const reads = new Map<string, Promise<void>>();
const waiting: (() => Promise<void>)[] = [];
let reading = 0;

/** The beginning of the task of a run, if it is known. */
export function taskOf(run: string): string | undefined {
  return tasks.get(run)?.slice(0, SHOWN);
}

/** What a search looks through; empty while it is not known. */
export function searchedTask(run: string): string {
  return tasks.get(run) ?? '';
}

/** Reads the task of a run when its row is seen, unless that was done before. */
export function readsTask(run: string, of: Source = 'run') {
  return (row: Element): (() => void) => {
    const watcher = new IntersectionObserver(([seen]) => {
      if (seen?.isIntersecting === true) void readTask(run, of);
    });
    watcher.observe(row);
    return () => watcher.disconnect();
  };
}

/** Reads the task of a run, unless that was done before. */
export function readTask(run: string, of: Source = 'run'): Promise<void> {
  const known = reads.get(run);
  if (known !== undefined) return known;
  const read = new Promise<void>((done) => {
    waiting.push(async () => {
      const text = await (of === 'run' ? firstMessage(run) : inputOf(run));
      tasks.set(run, text.slice(0, LONGEST).replaceAll(/\s+/g, ' ').trim());
      done();
    });
  });
  reads.set(run, read);
  next();
  return read;
}

function next(): void {
  while (reading < AT_ONCE) {
    const read = waiting.shift();
    if (read === undefined) return;
    reading += 1;
    void read().then(() => {
      reading -= 1;
      next();
    });
  }
}

async function inputOf(run: string): Promise<string> {
  try {
    return (await client.pipelineRuns.show(run)).input ?? '';
  } catch {
    // The row then has only its name.
    return '';
  }
}

async function firstMessage(run: string): Promise<string> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), PATIENCE_MS);
  try {
    for await (const event of client.followRun(run, { signal: stop.signal, until: 'suspended' })) {
      const text = event.payload['text'];
      return event.type === 'user-message' && typeof text === 'string' ? text : '';
    }
  } catch {
    // The row then has the name of its agent.
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
  return '';
}
