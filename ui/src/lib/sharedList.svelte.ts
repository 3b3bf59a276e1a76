// Lists that every open window shows as they are now. The server's event stream does not report changes of agents and
// pipelines, so a visible window asks again every two seconds, and windows of one browser tell each other at once.
import { live } from './live.svelte';

const EVERY_MS = 2000;

export class SharedList<T> {
  readonly #fetch: () => Promise<T>;
  readonly #channel: BroadcastChannel;
  #text = '';
  #value: T | undefined = $state.raw();
  #error: unknown = $state.raw();
  #turn = 0;

  constructor(name: string, fetch: () => Promise<T>) {
    this.#fetch = fetch;
    this.#channel = new BroadcastChannel(`sekisho.${name}`);
    this.#channel.onmessage = () => void this.load();
  }

  get value(): T | undefined {
    return this.#value;
  }

  /** Why the last attempt failed; undefined if it did not. The earlier value is kept. */
  get error(): unknown {
    return this.#error;
  }

  /** Fetches the value. The response to the latest request wins. An equal value causes no update. */
  readonly load = async (): Promise<void> => {
    const turn = (this.#turn += 1);
    try {
      const value = await this.#fetch();
      if (turn !== this.#turn) return;
      const text = JSON.stringify(value);
      if (text !== this.#text) this.#value = value;
      this.#text = text;
      this.#error = undefined;
    } catch (error) {
      if (turn === this.#turn) this.#error = error;
    }
  };

  /** Call it after a change of this window: loads the list here and in the other windows. */
  async changed(): Promise<void> {
    this.#channel.postMessage('changed');
    await this.load();
  }

  /** Keeps the list up to date until the returned function is called. In a component: `$effect(() => list.follow())`. */
  follow(): () => void {
    void this.load();
    const again = (): void => {
      // While the connection is lost, the page says so already.
      if (document.visibilityState === 'visible' && live.link.state === 'open') void this.load();
    };
    const timer = setInterval(again, EVERY_MS);
    document.addEventListener('visibilitychange', again);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', again);
    };
  }
}
