// Follows one run: its events, what it waits for, and the runs of its sub-agents. Events are collected and shown once per
// frame, because a model can send hundreds in that time. A frame takes what it has time for; the rest follows in the next.
import { flushSync } from 'svelte';
import type { Schemas } from '../lib/client';
import { SekishoError, client } from '../lib/client';
import { live } from '../lib/live.svelte';
import { type Entry, Story } from './story';
import { ShownEntries, WINDOW, hiddenBefore } from './shownEntries';

export type RunView = Schemas['RunView'];
export type SubAgent = Schemas['SubAgentExecution'];

/** How often facts that have no event of their own are fetched while the run goes on. */
const LOOK_MS = 4000;
const SOON_MS = 250;
/** How long a frame takes in events, and until when it puts entries on the page. Its layout comes on top. */
const TAKE_MS = 2;
const SHOW_MS = 4;
/** A frame ends after a result of this length: its layout costs more than making it. */
const LONG_RESULT = 2000;

/** Cards of so many last entries begin open. */
export const RECENT = 12;

export class RunFollower {
  readonly id: string;
  readonly #story = new Story();
  readonly #gone = new AbortController();
  #view: RunView | undefined = $state.raw();
  #missing = $state(false);
  #failed: unknown = $state.raw();
  #entries: readonly Entry[] = $state.raw([]);
  readonly #shown = new ShownEntries<Entry>();
  #before = $state(0);
  #changes = $state(0);
  #writing = $state(false);
  #failedCalls = $state(0);
  #loaded = $state(false);
  #subAgents: readonly SubAgent[] = $state.raw([]);
  #more = 0;
  #queue: Parameters<Story['add']>[0][] = [];
  #frame = 0;
  #following = false;
  #looking = false;
  #again = false;
  /** When the run had changed last. */
  #seen: string | undefined;
  #turns = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(id: string) {
    this.id = id;
  }

  get view(): RunView | undefined {
    return this.#view;
  }
  get missing(): boolean {
    return this.#missing;
  }
  get failed(): unknown {
    return this.#failed;
  }
  /** The entries on the page: the last ones of the story. */
  get entries(): readonly Entry[] {
    return this.#entries;
  }
  /** How many entries come before them. */
  get before(): number {
    return this.#before;
  }
  /** Grows once for each frame that changed the story on the page. */
  get changes(): number {
    return this.#changes;
  }
  /** How many calls failed, once the run has ended. Meanwhile each card says so. */
  get failedCalls(): number {
    return this.#failedCalls;
  }
  get writing(): boolean {
    return this.#writing;
  }
  /** Whether the stored part of the story is shown. */
  get loaded(): boolean {
    return this.#loaded;
  }
  get subAgents(): readonly SubAgent[] {
    return this.#subAgents;
  }
  get active(): boolean {
    return this.#view?.status === 'running' || this.#view?.status === 'suspended';
  }
  /** The open questions of this run and of the runs below it, in the order they were asked. */
  readonly questions = $derived.by(() => {
    const runs = new Set([this.id, ...this.#subAgents.map((sub) => sub.run_id)]);
    return live.questions.filter((question) => question.runId !== undefined && runs.has(question.runId));
  });

  showEarlier(): void {
    this.#more += WINDOW;
    this.#soon();
  }

  /** Follows until the returned function is called. */
  start(): () => void {
    void this.look();
    void this.#follow();
    const timer = setInterval(() => {
      this.#turns += 1;
      // A run that has ended changes only by a further message.
      if (document.visibilityState === 'visible' && (this.active || this.#turns % 4 === 0)) void this.look();
    }, LOOK_MS);
    const forget = live.onEnded((ended) => {
      if (this.#story.answered(ended.id)) this.#soon();
      void this.look();
    });
    return () => {
      this.#gone.abort();
      clearInterval(timer);
      clearTimeout(this.#timer);
      cancelAnimationFrame(this.#frame);
      forget();
    };
  }

  /** Fetches the facts about the run. */
  async look(): Promise<void> {
    if (this.#looking) {
      this.#again = true;
      return;
    }
    this.#looking = true;
    try {
      const view = await client.runs.show(this.id);
      const tree = (view.children?.length ?? 0) > 0 ? ((await client.runs.orchestration(this.id)).sub_agents ?? []) : [];
      if (this.#gone.signal.aborted) return;
      this.#view = view;
      this.#subAgents = tree;
      this.#failed = undefined;
      // A further message continued it, perhaps from another window. It may have ended again meanwhile.
      if (!this.#following && (this.active || view.updatedAt !== this.#seen)) void this.#follow();
      this.#seen = view.updatedAt;
    } catch (error) {
      // Errors while the connection is lost are shown above the page.
      if (error instanceof SekishoError && (error.status === 404 || error.status === 400)) this.#missing = true;
      else if (this.#view === undefined) this.#failed = error;
    } finally {
      this.#looking = false;
    }
    if (this.#again) {
      this.#again = false;
      void this.look();
    }
  }

  /** Many events in a row need one request. */
  #lookSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.look();
    }, SOON_MS);
  }

  async #follow(): Promise<void> {
    if (this.#following) return;
    this.#following = true;
    const backoff = { firstMs: 300, longestMs: 5000 };
    try {
      for await (const event of client.followRun(this.id, { signal: this.#gone.signal, lastEventId: this.#story.lastEventId, backoff })) {
        this.#queue.push(event);
        this.#soon();
      }
    } catch (error) {
      if (error instanceof SekishoError && error.status === 404) this.#missing = true;
      else if (!this.#gone.signal.aborted) this.#failed = error;
    } finally {
      this.#following = false;
      // The stream of a run without events ends at once.
      this.#soon();
    }
    if (!this.#gone.signal.aborted) this.#lookSoon();
  }

  #soon(): void {
    if (this.#gone.signal.aborted) return;
    // A page in the background gets no frames.
    if (document.visibilityState === 'hidden') setTimeout(() => this.#take(), 200);
    else this.#frame ||= requestAnimationFrame(() => this.#take());
  }

  /** One frame: takes events that have arrived, and shows what has changed, until its time is up. */
  #take(): void {
    this.#frame = 0;
    if (this.#gone.signal.aborted) return;
    const began = performance.now();
    let steps = false;
    let taken = 0;
    for (const event of this.#queue) {
      this.#story.add(event, this.#loaded);
      steps ||= event.type !== 'text-delta' && event.type !== 'text-start';
      taken += 1;
      if (taken % 16 === 0 && performance.now() - began > TAKE_MS) break;
    }
    this.#queue = this.#queue.slice(taken);
    if (this.#queue.length === 0) {
      this.#loaded = true;
      if (steps) this.#lookSoon();
    }
    const finished = this.#show(began + SHOW_MS);
    if (!finished || this.#queue.length > 0) this.#soon();
  }

  /** Puts entries on the page until a point in time or a long result, at least one. Returns whether all are there. */
  #show(until: number): boolean {
    let changed = false;
    let left = true;
    let long = false;
    do {
      const before = new Set(this.#entries);
      left = this.#shown.step(this.#story.entries, this.#more);
      if (!left) break;
      changed = true;
      this.#entries = this.#shown.list;
      // Now, not after this function: otherwise the clock would not see the work.
      flushSync();
      long = this.#entries.slice(-RECENT).some((entry) => entry.kind === 'call' && (entry.result?.length ?? 0) > LONG_RESULT && !before.has(entry));
    } while (!long && performance.now() < until);
    this.#before = hiddenBefore(this.#story.entries, this.#more);
    this.#writing = this.#story.writing;
    if (!left && this.#queue.length === 0) this.#failedCalls = this.#story.finished ? this.#story.failedCalls : 0;
    if (changed) this.#changes += 1;
    return !left;
  }
}
