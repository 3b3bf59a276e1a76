// What each listed run was asked to do. Lists of runs do not say it, so it is read once, when the row comes into view: for a run the
// first of its events, for a run of a pipeline its input.
import { SvelteMap } from 'svelte/reactivity';
import { client } from '../lib/client';

/** Characters that are kept of a task. */
const LONGEST = 300;
/** Reads at a time: a browser has few connections. */
const AT_ONCE = 2;
/** A run that has just started may have no message yet. */
const PATIENCE_MS = 10_000;

type Source = 'run' | 'pipeline';

/** An empty text: the run has no task that could be read. */
const tasks = new SvelteMap<string, string>();
const sought = new Set<string>();
const waiting: [run: string, of: Source][] = [];
let reading = 0;

/** The task of a run, if it is known. */
export function taskOf(run: string): string | undefined {
  return tasks.get(run);
}

/** Reads the task of a run when its row is seen, unless that was done before. */
export function readsTask(run: string, of: Source = 'run') {
  return (row: Element): (() => void) => {
    const watcher = new IntersectionObserver(([seen]) => {
      if (seen?.isIntersecting !== true || sought.has(run)) return;
      sought.add(run);
      waiting.push([run, of]);
      next();
    });
    watcher.observe(row);
    return () => watcher.disconnect();
  };
}

function next(): void {
  while (reading < AT_ONCE) {
    const wanted = waiting.shift();
    if (wanted === undefined) return;
    const [run, of] = wanted;
    reading += 1;
    void (of === 'run' ? firstMessage(run) : inputOf(run)).then((text) => {
      tasks.set(run, text.slice(0, LONGEST).replaceAll(/\s+/g, ' ').trim());
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
