// Whether a rule is still the same as when somebody began to edit it.
import { type Effect, type Fields, draftOf, editableFields } from './draft';
import type { Item } from './listing';

/** What happened elsewhere to the rule that is being edited here. */
export type RemoteChange = 'changed' | 'removed' | undefined;

/** A text that is always the same for the same rule. */
export function fingerprint(effect: Effect, rule: Fields): string {
  return JSON.stringify([effect, editableFields(draftOf(rule), effect)]);
}

/** The rule as it is now. A rule in a file has a different id if only its line has changed. */
export function nowOf(began: Item, now: readonly Item[]): Item | undefined {
  const editable = now.filter((item) => item.editable);
  const said = fingerprint(began.effect, began.rule);
  const moved = (item: Item): boolean => item.file !== undefined && item.file === began.file && fingerprint(item.effect, item.rule) === said;
  return editable.find((item) => item.id === began.id) ?? editable.find(moved);
}

export function remoteChange(began: Item, now: readonly Item[]): RemoteChange {
  const same = nowOf(began, now);
  if (same === undefined) return 'removed';
  return fingerprint(same.effect, same.rule) === fingerprint(began.effect, began.rule) ? undefined : 'changed';
}
