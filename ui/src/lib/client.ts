// The API client of this page. It tracks how far this device's clock is from the server's, because the server decides when
// a countdown ends.
import { Sekisho, type components } from '@sekisho/client';

export { SekishoError } from '@sekisho/client';
export type Schemas = components['schemas'];

/** Storage key of the page's half of the session secret. It belongs to this origin alone. */
const KEPT = 'sekisho.page';

let ahead = 0;

/** How many milliseconds the server's clock is ahead of this device's. */
export function serverAhead(): number {
  return ahead;
}

export const pageKey = {
  get: (): string | null => localStorage.getItem(KEPT),
  keep: (key: string): void => localStorage.setItem(KEPT, key),
  /** Forgets a key, unless another tab has signed in meanwhile. */
  forget(key: string | null): void {
    if (key === null || this.get() === key) localStorage.removeItem(KEPT);
  },
};

/** Calls a handler when another tab has signed in or out. */
export function onPageKey(handler: (key: string | null) => void): void {
  addEventListener('storage', (event) => {
    // A null key means that the storage was cleared.
    if (event.key === KEPT || event.key === null) handler(event.key === null ? null : event.newValue);
  });
}

const timed: typeof fetch = async (input, init) => {
  const asked = Date.now();
  const response = await fetch(input, { ...init, cache: 'no-store', redirect: 'error' });
  const told = Date.parse(response.headers.get('date') ?? '');
  // The `Date` header has whole seconds, so on average half a second is missing.
  if (Number.isFinite(told)) {
    const difference = told + 500 - (asked + Date.now()) / 2;
    ahead = Math.abs(difference) > 1500 ? difference : 0;
  }
  return response;
};

export const client = new Sekisho({ baseUrl: '', pageKey: () => pageKey.get(), fetch: timed });
