// The rule that an answer is to become, while it is put together: which, where it holds, and as what.
import type { Schemas } from '../lib/client';
import type { Question } from '../lib/live.svelte';
import { isDemo } from '../question/kind';

export class Remembering {
  readonly #question: Question;
  /** Where it could hold. */
  readonly scopes: readonly Schemas['Scope'][];
  behavior: Schemas['Behavior'] = $state('allow');
  scope: Schemas['Scope'] = $state('global');
  /** Which of the proposals. */
  chosen = $state(0);
  #adjusts = $state(false);
  /** The chosen proposal's rules as they are changed. */
  rules: Schemas['RuleFields'][] = $state([]);

  constructor(question: Question) {
    this.#question = question;
    this.scopes = scopesFor(question);
    this.scope = this.scopes[0] ?? 'global';
  }

  /** Whether the rules are changed before they are sent. */
  get adjusts(): boolean {
    return this.#adjusts;
  }

  /** Begins to change the chosen proposal, or goes back to it. */
  adjust(on: boolean): void {
    this.rules = structuredClone(this.#question.proposals[this.chosen]?.rules ?? []);
    this.#adjusts = on;
  }

  /** The rules as they would be sent. */
  get sent(): Schemas['RuleFields'][] {
    return this.#adjusts ? $state.snapshot(this.rules) : (this.#question.proposals[this.chosen]?.rules ?? []);
  }

  /** Whether anything is otherwise than it was proposed. */
  get touched(): boolean {
    return this.#adjusts || this.behavior !== 'allow' || this.chosen !== 0 || this.scope !== (this.scopes[0] ?? 'global');
  }
}

/** Where a rule can be remembered: a session needs a name, a project a directory. The demo changes nobody's files. */
export function scopesFor(question: Pick<Question, 'conversationId' | 'runId' | 'root' | 'askedBy'>): Schemas['Scope'][] {
  if (isDemo(question)) return ['session'];
  const session = (question.conversationId ?? '') !== '' || (question.runId ?? '') !== '';
  return [...(session ? ['session' as const] : []), ...(question.root === undefined ? [] : ['project' as const]), 'global'];
}
