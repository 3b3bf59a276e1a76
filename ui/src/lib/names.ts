// Who somebody is, in words.

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
const SIGNED = new RegExp(` \\(${ID.source}\\)$`);
const TOKEN = new RegExp(`^token:(${ID.source})$`);

/** A person's name without the id of their device, which tells people nothing. Only the one at the end is the server's. */
export function personName(by: string): string {
  const name = by.replace(SIGNED, '');
  return name === '' ? by : name;
}

/** What somebody who is signed in is called; nothing where the server did not know. */
export function knownName(name: string): string | undefined {
  const said = name.trim();
  return said === '' || said.toLowerCase() === 'unknown' ? undefined : name;
}

/** The id of the token that asked; nothing where it was something else. */
export function tokenId(credential: string): string | undefined {
  return TOKEN.exec(credential)?.[1];
}

/** The beginning of an id, as the terminal shows it too; other texts as they are. */
export function briefId(text: string): string {
  return new RegExp(`^${ID.source}$`).test(text) ? text.slice(0, 8) : text;
}
