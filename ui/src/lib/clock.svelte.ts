// The server's time, as well as it can be told here; one timer for every countdown of the page.
import { serverAhead } from './client';

class Clock {
  #now = $state(Date.now());

  /** The server's time in milliseconds, to within half a second. Whoever reads it is told every half second. */
  get now(): number {
    return this.#now;
  }

  /** The same at this very moment, for those who do not want to be told again. */
  exact(): number {
    return Date.now() + serverAhead();
  }

  start(): void {
    setInterval(() => (this.#now = this.exact()), 500);
  }
}

export const clock = new Clock();
