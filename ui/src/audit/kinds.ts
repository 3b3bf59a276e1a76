// What kinds of rows are called.
import { KINDS } from './filters';
import { t } from './text';

/** The name of a kind for people. One that the page does not know, of another part or a newer server, is shown as it is. */
export function kindName(kind: string): string {
  const known = KINDS.find((name) => name === kind);
  return known === undefined ? kind : t[known];
}
