// The rule to remember while it is chosen: proposal, scope and changes.
import type { Schemas } from '../lib/client';
import type { Question } from '../lib/live.svelte';
import { isDemo } from '../question/questionOrigin';

export class RememberDraft {
  readonly #question: Question;
  /** Available scopes. */
  readonly scopes: readonly Schemas['Scope'][];
  behavior: Schemas['Behavior'] = $state('allow');
  scope: Schemas['Scope'] = $state('global');
  /** Index of the chosen proposal. */
  chosen = $state(0);
  #adjusts = $state(false);
  /** Sends the answer; set while the panel is open. Its button is among the other answers. */
  send: (() => void) | undefined = $state.raw();
  /** Edited rules of the chosen proposal. */
  rules: Schemas['RuleFields'][] = $state([]);

  constructor(question: Question) {
    this.#question = question;
    this.scopes = scopesFor(question);
    this.scope = this.scopes[0] ?? 'global';
  }

  /** Whether the rules are being edited. */
  get adjusts(): boolean {
    return this.#adjusts;
  }

  /** Starts or discards the edit. */
  adjust(on: boolean): void {
    this.rules = structuredClone(this.#question.proposals[this.chosen]?.rules ?? []);
    this.#adjusts = on;
  }

  /** The rules as they would be sent. */
  get sent(): Schemas['RuleFields'][] {
    return this.#adjusts ? $state.snapshot(this.rules) : (this.#question.proposals[this.chosen]?.rules ?? []);
  }

  /** Whether anything differs from the proposal. */
  get touched(): boolean {
    return this.#adjusts || this.behavior !== 'allow' || this.chosen !== 0 || this.scope !== (this.scopes[0] ?? 'global');
  }
}

/** Scopes a rule can have: a session needs a name, a project a directory. The demo changes no files. */
export function scopesFor(question: Pick<Question, 'conversationId' | 'runId' | 'root' | 'askedBy'>): Schemas['Scope'][] {
  if (isDemo(question)) return ['session'];
  const session = (question.conversationId ?? '') !== '' || (question.runId ?? '') !== '';
  return [...(session ? ['session' as const] : []), ...(question.root === undefined ? [] : ['project' as const]), 'global'];
}
