// Letters that run from right to left. The page shows every text in the order of its characters; who reads such letters
// would otherwise take them to stand the other way around.

/** The blocks that Unicode keeps for scripts that run so. */
const LEFTWARD = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

export function runsLeft(...texts: readonly (string | undefined)[]): boolean {
  return texts.some((text) => text !== undefined && LEFTWARD.test(text));
}
