// Whether a rule is still what it was when somebody began to change it.
import { type Effect, type Fields, draftOf, fieldsOf } from './draft';
import type { Item } from './listing';

/** What became elsewhere of the rule that is being changed here. */
export type Elsewhere = 'changed' | 'removed' | undefined;

/** The same rule always gives the same text. */
export function print(effect: Effect, rule: Fields): string {
  return JSON.stringify([effect, fieldsOf(draftOf(rule), effect)]);
}

export function elsewhere(began: Item, now: readonly Item[]): Elsewhere {
  const same = now.find((item) => item.id === began.id && item.editable);
  if (same === undefined) return 'removed';
  return print(same.effect, same.rule) === print(began.effect, began.rule) ? undefined : 'changed';
}
