// One answer to one question, from the first press to the response. `AnswerDrafts` keeps the typed text.
import type { Schemas } from '../lib/client';
import type { Question } from '../lib/live.svelte';
import { AnswerDraft } from './answerDrafts.svelte';
import type { InputGuard } from './inputGuard.svelte';
import { isTooLate } from './bulkSend';

export type Panel = 'deny' | 'edit' | 'remember' | 'stop';
export type Body = Schemas['AnswerBody'];
export type AnswerResponse = Schemas['AnswerTaken'];

/** Text that the model reads before a reason, and without one. */
export const DENY_PREFIX = 'Permission denied: ';
export const NO_REASON = 'User denied tool execution';

export interface AnswerFlowDeps {
  guard: Pick<InputGuard, 'settle'>;
  send: (id: string, body: Body) => Promise<AnswerResponse>;
  /** Scrolls to what was not yet in view. Returns whether there was anything. */
  readOn: () => boolean;
  /** The server accepted the answer. */
  taken: (taken: AnswerResponse, body: Body) => void;
  /** The answer was too late, or the question changed: look again. */
  stale: (error: unknown) => void;
}

export class AnswerFlow {
  readonly question: Question;
  /** Typed so far; outlives this object. */
  readonly begun: AnswerDraft;
  readonly #deps: AnswerFlowDeps;
  #panel: Panel | undefined = $state();
  #confirming: { body: Body; danger: Schemas['Danger'] | undefined } | undefined = $state.raw();
  #sending = $state(false);
  #failed: { error: unknown; body: Body } | undefined = $state.raw();

  constructor(question: Question, means: AnswerFlowDeps, begun = new AnswerDraft(question)) {
    this.question = question;
    this.begun = begun;
    this.#deps = means;
  }

  /** The open panel. */
  get panel(): Panel | undefined {
    return this.#panel;
  }

  /** An approval that needs confirmation, and its danger; undefined danger if unknown. */
  get confirming(): { body: Body; danger: Schemas['Danger'] | undefined } | undefined {
    return this.#confirming;
  }

  get sending(): boolean {
    return this.#sending;
  }

  /** An answer that did not arrive or was refused. */
  get failed(): { error: unknown; body: Body } | undefined {
    return this.#failed;
  }

  get dangerous(): boolean {
    return this.question.shown.danger.level === 'danger';
  }

  /** Why no rule can be remembered; undefined if one can. */
  get rememberObstacle(): 'notWhole' | 'noProposal' | undefined {
    if (!this.question.shown.whole) return 'notWhole';
    return this.question.proposals.length === 0 ? 'noProposal' : undefined;
  }

  /** Opens a panel. After a pointer press, pointers must settle first: the panel may now be under the pointer. */
  open(panel: Panel, pointer = false): void {
    if (this.#sending || (panel === 'remember' && this.rememberObstacle !== undefined)) return;
    if (this.#panel === panel) return;
    // Created here, because rendering must not change state.
    if (panel === 'remember') this.begun.remembering();
    this.#panel = panel;
    this.#confirming = undefined;
    this.#failed = undefined;
    if (pointer) this.#deps.guard.settle('pointer');
  }

  /** Closes the confirmation, else the open panel. Returns whether there was one. */
  back(): boolean {
    if (this.#sending) return true;
    if (this.#confirming !== undefined) this.#confirming = undefined;
    else if (this.#panel !== undefined) this.#panel = undefined;
    else return false;
    this.#failed = undefined;
    // The approve button is back in its place.
    this.#deps.guard.settle();
    return true;
  }

  /**
   * Approves. A dangerous call needs a confirmation. For an edit, `edited` is the danger of the edited input;
   * if it is undefined, the edit counts as dangerous.
   */
  approve(more: Pick<Body, 'updatedInput' | 'remember'> = {}, edited?: Schemas['Danger']): Promise<void> {
    const body: Body = { behavior: 'allow', digest: this.question.digest, ...more };
    // The first press only scrolls to what was not yet in view. An edit keeps what it does not change.
    if (!this.#sending && this.#confirming === undefined && this.#deps.readOn()) {
      this.#deps.guard.settle();
      return Promise.resolve();
    }
    const danger = 'updatedInput' in more ? edited : this.question.shown.danger;
    if (danger !== undefined && danger.level !== 'danger') return this.#send(body);
    if (this.#confirming === undefined && !this.#sending) {
      this.#confirming = { body, danger };
      this.#failed = undefined;
      this.#deps.guard.settle();
    }
    return Promise.resolve();
  }

  approveAnyway(): Promise<void> {
    return this.#confirming === undefined ? Promise.resolve() : this.#send(this.#confirming.body);
  }

  /** Denies with a reason. */
  deny(reason = this.begun.reason, more: Pick<Body, 'interrupt' | 'remember'> = {}): Promise<void> {
    const said = reason.trim();
    return this.#send({ behavior: 'deny', digest: this.question.digest, ...(said === '' ? {} : { message: said }), ...more });
  }

  /** Denies and ends the run. */
  stop(): Promise<void> {
    return this.deny(this.begun.reason, { interrupt: true });
  }

  /** Sends the same answer again. */
  again(): Promise<void> {
    return this.#failed === undefined ? Promise.resolve() : this.#send(this.#failed.body);
  }

  async #send(body: Body): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    this.#failed = undefined;
    try {
      const taken = await this.#deps.send(this.question.id, body);
      this.#deps.taken(taken, body);
    } catch (error) {
      this.#failed = { error, body };
      // A retry button appeared, so everything below it moved.
      this.#deps.guard.settle();
      if (isTooLate(error) || mismatched(error)) this.#deps.stale(error);
    } finally {
      this.#sending = false;
    }
  }
}

/** Whether the question changed after it was shown. */
function mismatched(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'DigestMismatch';
}

/** What the model will read. */
export function modelMessage(reason: string): string {
  return DENY_PREFIX + (reason.trim() === '' ? NO_REASON : reason.trim());
}
