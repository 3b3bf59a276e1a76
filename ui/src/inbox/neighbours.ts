// Next and previous question.

/** The item `step` places away, clamped to the list. Without a current item, the first. */
export function neighbour(ids: readonly string[], from: string | undefined, step: number): string | undefined {
  const at = from === undefined ? -1 : ids.indexOf(from);
  if (at === -1) return ids[0];
  return ids[Math.min(ids.length - 1, Math.max(0, at + step))];
}

/**
 * The question to show after an answer: the next, else the previous, else any open one.
 * `before` is the list as it was when the answer was given, `open` as it is now.
 */
export function successor(before: readonly string[], answered: string, open: readonly string[]): string | undefined {
  const still = new Set(open);
  still.delete(answered);
  const at = before.indexOf(answered);
  const after = before.slice(at + 1).find((id) => still.has(id));
  const ahead = before.slice(0, Math.max(0, at)).findLast((id) => still.has(id));
  return after ?? ahead ?? open.find((id) => id !== answered);
}
