// Cache of token names by id. Only admins may read them; one request fetches all.
import { client } from '../lib/client';
import { session } from '../lib/session.svelte';

let names: ReadonlyMap<string, string> = $state.raw(new Map());
/** Ids already requested; unknown ones are not requested again. */
const sought = new Set<string>();

/** Name of a token, if known. */
export function tokenName(id: string): string | undefined {
  return names.get(id);
}

/** Fetches the name of a token, if allowed. Failures are ignored. */
export function seekTokenName(id: string): void {
  if (names.has(id) || sought.has(id) || !session.may('admin')) return;
  sought.add(id);
  client.tokens.list().then(
    (told) => (names = new Map(told.tokens.map((token) => [token.id, token.name]))),
    () => sought.delete(id),
  );
}
