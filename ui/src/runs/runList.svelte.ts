// The list of runs: loaded page by page until enough of them match, and kept up to date while it is open. A search also looks
// through the tasks of the runs, which lists do not contain: it reads those that it needs.
import { client } from '../lib/client';
import { clock } from '../lib/serverClock.svelte';
import { type RunFilters, isTooOld, matchesRun, matchesText, serverQuery } from './runFilters';
import type { RunView } from './runFollower.svelte';
import { readTask, searchedTask } from './tasks.svelte';

const PAGE = 100;
/** How many matching runs are sought at a time, and how many pages at most: fewer if each task has to be read. */
const WANTED = 40;
const MOST_PAGES = 10;
const MOST_PAGES_READ = 3;

export class RunListState {
  /** Runs that match, as far as the server's lists tell. */
  #listed: readonly RunView[] = $state.raw([]);
  #next: string | undefined = $state();
  #loaded = $state(false);
  #loading = $state(false);
  #failed: unknown = $state.raw();
  #turn = 0;
  #filters: RunFilters | undefined = $state.raw();
  #runs: readonly RunView[] = $derived(this.#listed.filter((run) => this.#isFound(run)));

  get runs(): readonly RunView[] {
    return this.#runs;
  }
  get more(): boolean {
    return this.#next !== undefined;
  }
  get loaded(): boolean {
    return this.#loaded;
  }
  get loading(): boolean {
    return this.#loading;
  }
  get failed(): unknown {
    return this.#failed;
  }

  /** Loads the runs that match, from the newest on. */
  async load(filters: RunFilters): Promise<void> {
    this.#filters = filters;
    this.#next = undefined;
    await this.#seek(undefined, []);
  }

  async loadMore(): Promise<void> {
    if (this.#next !== undefined && !this.#loading) await this.#seek(this.#next, this.#listed);
  }

  /** Looks for new runs and new states among the newest ones. Failures are ignored: the next time comes soon. */
  async refresh(): Promise<void> {
    const filters = this.#filters;
    if (filters === undefined || this.#loading || !this.#loaded) return;
    const turn = this.#turn;
    const query = serverQuery(filters);
    try {
      const told = await client.runs.list({ ...query, limit: PAGE });
      if (turn !== this.#turn || this.#loading) return;
      const fresh = new Set(told.runs.map((run) => run.id));
      const newest = told.runs.filter((run) => matchesRun(run, filters, clock.now));
      // Runs of the first page that no longer match are gone; older ones stay as they were.
      const oldest = told.runs[told.runs.length - 1];
      const older = told.next === undefined || oldest === undefined ? [] : this.#listed.filter((run) => !fresh.has(run.id) && run.createdAt < oldest.createdAt);
      this.#listed = [...newest, ...older];
      this.#failed = undefined;
      void this.#readTasks(newest);
    } catch {
      // Shown as a lost connection.
    }
  }

  async #seek(from: string | undefined, known: readonly RunView[]): Promise<void> {
    const filters = this.#filters;
    if (filters === undefined) return;
    const turn = (this.#turn += 1);
    const query = serverQuery(filters);
    const reads = filters.text !== '';
    this.#loading = true;
    this.#failed = undefined;
    let listed = known;
    let found = 0;
    let before = from;
    try {
      for (let page = 0; page < (reads ? MOST_PAGES_READ : MOST_PAGES) && found < WANTED; page += 1) {
        const told = await client.runs.list({ ...query, limit: PAGE, ...(before !== undefined && { before }) });
        if (turn !== this.#turn) return;
        const added = told.runs.filter((run) => matchesRun(run, filters, clock.now));
        listed = [...listed, ...added];
        // Found runs are shown while the search goes on.
        if (reads) this.#listed = listed;
        await this.#readTasks(added);
        if (turn !== this.#turn) return;
        found += added.filter((run) => this.#isFound(run)).length;
        const last = told.runs[told.runs.length - 1];
        before = last !== undefined && isTooOld(last, filters, clock.now) ? undefined : told.next;
        if (before === undefined) break;
      }
      this.#listed = listed;
      this.#next = before;
      this.#loaded = true;
    } catch (error) {
      if (turn === this.#turn) this.#failed = error;
    } finally {
      if (turn === this.#turn) this.#loading = false;
    }
  }

  #isFound(run: RunView): boolean {
    return this.#filters === undefined || matchesText(run, this.#filters, searchedTask(run.id));
  }

  /** For a search: reads the tasks of the runs that do not match without it. */
  async #readTasks(runs: readonly RunView[]): Promise<void> {
    if (this.#filters === undefined || this.#filters.text === '') return;
    await Promise.all(runs.filter((run) => !this.#isFound(run)).map((run) => readTask(run.id)));
  }
}
