// Whether a rule is still what it was when somebody began to change it.
import { type Effect, type Fields, draftOf, fieldsOf } from './draft';
import type { Item } from './listing';

/** What became elsewhere of the rule that is being changed here. */
export type Elsewhere = 'changed' | 'removed' | undefined;

/** The same rule always gives the same text. */
export function print(effect: Effect, rule: Fields): string {
  return JSON.stringify([effect, fieldsOf(draftOf(rule), effect)]);
}

/** The rule as it is now. One of a file has another id where only its line has changed. */
export function nowOf(began: Item, now: readonly Item[]): Item | undefined {
  const editable = now.filter((item) => item.editable);
  const said = print(began.effect, began.rule);
  const moved = (item: Item): boolean => item.file !== undefined && item.file === began.file && print(item.effect, item.rule) === said;
  return editable.find((item) => item.id === began.id) ?? editable.find(moved);
}

export function elsewhere(began: Item, now: readonly Item[]): Elsewhere {
  const same = nowOf(began, now);
  if (same === undefined) return 'removed';
  return print(same.effect, same.rule) === print(began.effect, began.rule) ? undefined : 'changed';
}
