// Names of the kinds of rows.
import { KINDS } from './filters';
import { t } from './text';

/** Name of a kind for people. An unknown kind is shown as it is. */
export function kindName(kind: string): string {
  const known = KINDS.find((name) => name === kind);
  return known === undefined ? kind : t[known];
}
