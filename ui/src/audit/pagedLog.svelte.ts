// Loaded entries of the log, and the number of newer ones. An entry is a row or a call.
import type { FilterQuery } from './filters';

const PAGE = 100;

/** A page of entries, newest first. `next` is absent on the last page. */
export interface Page<T> {
  entries: readonly T[];
  next: string | undefined;
}

export interface Source<T> {
  fetch: (query: FilterQuery & { limit: number; before?: string }, options: { signal: AbortSignal }) => Promise<Page<T>>;
  /** Identifies an entry, whatever was added to it. */
  id: (entry: T) => string;
  /** Changes when something is added to an entry. */
  version: (entry: T) => string;
  /** When something was last added to it. */
  at: (entry: T) => string;
}

/** Entries that are not loaded yet, or that have changed. */
export function unknown<T>(source: Pick<Source<T>, 'version'>, known: readonly T[], page: readonly T[]): T[] {
  const versions = new Set(known.map(source.version));
  return page.filter((entry) => !versions.has(source.version(entry)));
}

/** Merges two lists, newest first. A changed entry replaces the earlier one. */
export function merged<T>(source: Pick<Source<T>, 'id' | 'version' | 'at'>, known: readonly T[], fresh: readonly T[]): T[] {
  const added = unknown(source, known, fresh);
  const ids = new Set(added.map(source.id));
  const all = [...added, ...known.filter((entry) => !ids.has(source.id(entry)))];
  return all.sort((a, b) => Date.parse(source.at(b)) - Date.parse(source.at(a)));
}

export class PagedLog<T> {
  #source: Source<T>;
  #entries: readonly T[] = $state.raw([]);
  #fresh: readonly T[] = $state.raw([]);
  #next: string | undefined = $state();
  #state: 'loading' | 'ready' | 'failed' = $state('loading');
  #error: unknown = $state.raw();
  #turning = $state(false);
  /** More entries are new than one page holds. */
  #gap = false;
  #wanted: FilterQuery = {};
  #going = new AbortController();

  constructor(source: Source<T>) {
    this.#source = source;
  }

  get entries(): readonly T[] {
    return this.#entries;
  }

  /** Number of newer entries. They appear on request, so that nothing moves while somebody reads. */
  get fresh(): number {
    return this.#fresh.length;
  }

  /** Whether there are more newer entries than were counted. */
  get many(): boolean {
    return this.#fresh.length >= PAGE;
  }

  get state(): 'loading' | 'ready' | 'failed' {
    return this.#state;
  }

  get error(): unknown {
    return this.#error;
  }

  /** Whether there are older entries. */
  get more(): boolean {
    return this.#next !== undefined;
  }

  get turning(): boolean {
    return this.#turning;
  }

  /** Searches from the newest entry on. */
  async load(wanted: FilterQuery): Promise<void> {
    this.#wanted = wanted;
    this.#fresh = [];
    this.#state = 'loading';
    const signal = this.#anew();
    try {
      const page = await this.#source.fetch({ ...wanted, limit: PAGE }, { signal });
      this.#entries = page.entries;
      this.#next = page.next;
      this.#state = 'ready';
    } catch (error) {
      if (signal.aborted) return;
      this.#error = error;
      this.#state = 'failed';
    }
  }

  /** Loads the next page of older entries. */
  async turn(): Promise<void> {
    const before = this.#next;
    if (before === undefined || this.#turning) return;
    this.#turning = true;
    const signal = this.#going.signal;
    try {
      const page = await this.#source.fetch({ ...this.#wanted, limit: PAGE, before }, { signal });
      const known = new Set(this.#entries.map(this.#source.id));
      this.#entries = [...this.#entries, ...page.entries.filter((entry) => !known.has(this.#source.id(entry)))];
      this.#next = page.next;
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#turning = false;
    }
  }

  /** Fetches and counts newer entries. */
  async peek(): Promise<void> {
    if (this.#state !== 'ready') return;
    const signal = this.#going.signal;
    const page = await this.#source.fetch({ ...this.#wanted, limit: PAGE }, { signal });
    if (signal.aborted) return;
    this.#fresh = unknown(this.#source, this.#entries, page.entries);
    this.#gap = this.#entries.length > 0 && this.#fresh.length === page.entries.length && page.next !== undefined;
    if (this.#entries.length === 0) this.take();
  }

  /** Shows the newer entries. */
  take(): void {
    if (this.#gap) {
      void this.load(this.#wanted);
      return;
    }
    this.#entries = merged(this.#source, this.#entries, this.#fresh);
    this.#fresh = [];
  }

  /** Cancels running requests. */
  end(): void {
    this.#going.abort();
  }

  #anew(): AbortSignal {
    this.#going.abort();
    this.#going = new AbortController();
    this.#turning = false;
    return this.#going.signal;
  }
}
