// Names of people and tokens.

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
const SIGNED = new RegExp(` \\(${ID.source}\\)$`);
const TOKEN = new RegExp(`^token:(${ID.source})$`);

/** A person's name without the device id. Only the id at the end comes from the server. */
export function personName(by: string): string {
  const name = by.replace(SIGNED, '');
  return name === '' ? by : name;
}

/** Name of a signed-in user; undefined if the server did not know it. */
export function knownName(name: string): string | undefined {
  const said = name.trim();
  return said === '' || said.toLowerCase() === 'unknown' ? undefined : name;
}

/** Id of the token that asked; undefined for other credentials. */
export function tokenId(credential: string): string | undefined {
  return TOKEN.exec(credential)?.[1];
}

/** Start of an id, as the terminal shows it; other texts unchanged. */
export function briefId(text: string): string {
  return new RegExp(`^${ID.source}$`).test(text) ? text.slice(0, 8) : text;
}
