// Loaded rows of the log, and the number of newer ones.
import { client } from '../lib/client';
import type { FilterQuery } from './filters';
import { type Row, merged, unknown } from './rows';

const PAGE = 100;

export class Log {
  #rows: readonly Row[] = $state.raw([]);
  #fresh: readonly Row[] = $state.raw([]);
  #next: string | undefined = $state();
  #state: 'loading' | 'ready' | 'failed' = $state('loading');
  #error: unknown = $state.raw();
  #turning = $state(false);
  /** More rows are new than one page holds. */
  #gap = false;
  #wanted: FilterQuery = {};
  #going = new AbortController();

  get rows(): readonly Row[] {
    return this.#rows;
  }

  /** Number of newer rows. They appear on request, so that nothing moves while somebody reads. */
  get fresh(): number {
    return this.#fresh.length;
  }

  /** Whether there are more newer rows than were counted. */
  get many(): boolean {
    return this.#fresh.length >= PAGE;
  }

  get state(): 'loading' | 'ready' | 'failed' {
    return this.#state;
  }

  get error(): unknown {
    return this.#error;
  }

  /** Whether there are older rows. */
  get more(): boolean {
    return this.#next !== undefined;
  }

  get turning(): boolean {
    return this.#turning;
  }

  /** Searches from the newest row on. */
  async load(wanted: FilterQuery): Promise<void> {
    this.#wanted = wanted;
    this.#fresh = [];
    this.#state = 'loading';
    const signal = this.#anew();
    try {
      const page = await client.audit.search({ ...wanted, limit: PAGE }, { signal });
      this.#rows = page.rows;
      this.#next = page.next;
      this.#state = 'ready';
    } catch (error) {
      if (signal.aborted) return;
      this.#error = error;
      this.#state = 'failed';
    }
  }

  /** Loads the next page of older rows. */
  async turn(): Promise<void> {
    const before = this.#next;
    if (before === undefined || this.#turning) return;
    this.#turning = true;
    const signal = this.#going.signal;
    try {
      const page = await client.audit.search({ ...this.#wanted, limit: PAGE, before }, { signal });
      this.#rows = [...this.#rows, ...unknown(this.#rows, page.rows)];
      this.#next = page.next;
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#turning = false;
    }
  }

  /** Fetches and counts newer rows. */
  async peek(): Promise<void> {
    if (this.#state !== 'ready') return;
    const signal = this.#going.signal;
    const page = await client.audit.search({ ...this.#wanted, limit: PAGE }, { signal });
    if (signal.aborted) return;
    this.#fresh = unknown(this.#rows, page.rows);
    this.#gap = this.#rows.length > 0 && this.#fresh.length === page.rows.length && page.next !== undefined;
    if (this.#rows.length === 0) this.take();
  }

  /** Shows the newer rows. */
  take(): void {
    if (this.#gap) {
      void this.load(this.#wanted);
      return;
    }
    this.#rows = merged(this.#rows, this.#fresh);
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
