// What rules would have done to the calls in the log.
import type { Schemas } from '../lib/client';
import type { Effect, Fields } from './draft';

type Decision = Schemas['Decision'];
export type TrialResult = Omit<Schemas['RuleTried'], 'matches'> & {
  /** The latest calls that match, changed or not. */
  matches?: Schemas['ChangedCall'][];
};

export interface TrialInput {
  effect: Effect;
  rules: readonly Fields[];
  /** The id of the stored rule that it would replace. */
  replaces?: string | undefined;
  /** Calls before this time are left out. */
  since?: string | undefined;
}

/** The request to the server. A single rule is sent as `rule`: only then can it replace another. */
export function trialOf({ effect, rules, replaces, since }: TrialInput): Schemas['RuleTrial'] {
  const [rule] = rules;
  const asked = {
    effect,
    ...(rules.length === 1 ? { rule } : { rules }),
    ...(replaces !== undefined && rules.length === 1 && { replaces }),
    ...(since !== undefined && { since }),
  };
  return asked as Schemas['RuleTrial'];
}

export interface Change {
  before: Decision;
  after: Decision;
  count: number;
}

const STRICT: Record<Decision, number> = { allow: 0, confirm: 1, deny: 2 };

/** The counts of changed decisions. Those that get looser come first, because they matter most. */
export function changes(tried: Pick<TrialResult, 'counts'>): Change[] {
  const step = ({ before, after }: Change): number => STRICT[after] - STRICT[before];
  return tried.counts.filter(({ before, after }) => before !== after).sort((a, b) => step(a) - step(b) || b.count - a.count);
}

/** The calls that match and whose decision stays the same. */
export function untouched(tried: TrialResult): Schemas['ChangedCall'][] {
  return (tried.matches ?? []).filter(({ before, after }) => before === after);
}
