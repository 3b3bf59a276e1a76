// Names of people, as records and sessions have them.
import { ID } from './tokenIds';

const SIGNED = new RegExp(` \\(${ID.source}\\)$`);

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
