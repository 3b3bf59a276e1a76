// Ids of tokens in credentials and names.

/** Pattern of an id. */
export const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
const TOKEN = new RegExp(`^token:(${ID.source})$`);

/** Id of the token that asked; undefined for other credentials. */
export function tokenId(credential: string): string | undefined {
  return TOKEN.exec(credential)?.[1];
}

/** Start of an id, as the terminal shows it; other texts unchanged. */
export function briefId(text: string): string {
  return new RegExp(`^${ID.source}$`).test(text) ? text.slice(0, 8) : text;
}
