// How smooth a page is: the time between frames, and the processor time of the longest task of its main thread. On a busy
// machine frames are late whatever the page does; processor time counts only its own work.
import type { CDPSession, Page } from '@playwright/test';

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Processor time in microseconds. */
  tdur?: number;
  args?: { name?: string };
}
interface Watched extends Window {
  frameTimes: number[];
  watching: boolean;
}

export interface Frames {
  /** Milliseconds between frames, shortest first. */
  times: number[];
  /** Milliseconds of processor time of each task, longest first. */
  tasks: number[];
}

/** Collects until the returned function is called. */
export async function watchFrames(page: Page): Promise<() => Promise<Frames>> {
  const session = await page.context().browser()!.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['disabled-by-default-devtools.timeline', 'toplevel'] } });
  await page.evaluate(() => {
    const state = window as unknown as Watched;
    state.frameTimes = [];
    state.watching = true;
    let last = performance.now();
    requestAnimationFrame(function next() {
      const now = performance.now();
      state.frameTimes.push(now - last);
      last = now;
      if (state.watching) requestAnimationFrame(next);
    });
  });
  return async () => {
    const times = await page.evaluate(() => {
      const state = window as unknown as Watched;
      state.watching = false;
      return state.frameTimes;
    });
    await stopTracing(session);
    return { times: times.sort((one, other) => one - other), tasks: mainThreadTasks(events) };
  };
}

async function stopTracing(session: CDPSession): Promise<void> {
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  await session.detach();
}

function mainThreadTasks(events: readonly TraceEvent[]): number[] {
  const thread = ({ pid, tid }: TraceEvent): string => `${pid}/${tid}`;
  const main = new Set(events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(thread));
  return events
    .filter((event) => event.name === 'RunTask' && event.tdur !== undefined && main.has(thread(event)))
    .map(({ tdur }) => (tdur ?? 0) / 1000)
    .sort((one, other) => other - one);
}

/** One line for the log. */
export function framesText({ times, tasks }: Frames): string {
  const at = (part: number): string => (times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0).toFixed(0);
  const late = times.filter((took) => took > 50).length;
  return `${times.length} frames, median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms, ${late} over 50 ms; longest tasks ${tasks.slice(0, 3).map((took) => took.toFixed(0)).join(', ')} ms of processor time, ${tasks.filter((took) => took > 50).length} over 50 ms`;
}
