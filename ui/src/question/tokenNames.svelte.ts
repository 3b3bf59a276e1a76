// What tokens are called. Only admins are told; one question names them for all.
import { client } from '../lib/client';
import { session } from '../lib/session.svelte';

let names: ReadonlyMap<string, string> = $state.raw(new Map());
/** Those that were looked for already: one that is not known does not become known by asking again. */
const sought = new Set<string>();

/** What people called a token, where that is known. */
export function tokenName(id: string): string | undefined {
  return names.get(id);
}

/** Finds out what a token is called, where one may. Without an answer the page does without. */
export function seekTokenName(id: string): void {
  if (names.has(id) || sought.has(id) || !session.may('admin')) return;
  sought.add(id);
  client.tokens.list().then(
    (told) => (names = new Map(told.tokens.map((token) => [token.id, token.name]))),
    () => sought.delete(id),
  );
}
