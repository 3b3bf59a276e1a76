// The rules, as they are on the server now.
import { client } from '../lib/client';
import type { Schemas } from '../lib/client';

class RuleListState {
  #list: Schemas['RuleList'] | undefined = $state.raw();
  #error: unknown = $state.raw();
  #running: AbortController | undefined;

  get list(): Schemas['RuleList'] | undefined {
    return this.#list;
  }

  /** Why the list could not be read. What was read before is kept. */
  get error(): unknown {
    return this.#error;
  }

  async load(): Promise<void> {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    try {
      this.#list = await client.rules.list(undefined, { signal: running.signal });
      this.#error = undefined;
    } catch (error) {
      if (!running.signal.aborted) this.#error = error;
    }
  }
}

export const ruleListState = new RuleListState();
