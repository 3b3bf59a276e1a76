// Detects letters that are written from right to left. The page shows every text in the order of its
// characters, so a note warns people who read such scripts, who would otherwise read it in the wrong order.

/** The blocks that Unicode reserves for scripts written from right to left. */
const LEFTWARD = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

export function hasRightToLeft(...texts: readonly (string | undefined)[]): boolean {
  return texts.some((text) => text !== undefined && LEFTWARD.test(text));
}
