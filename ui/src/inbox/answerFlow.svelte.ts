// What one person is about to answer to one question, from the first press to the answer. What was typed is kept elsewhere.
import type { Schemas } from '../lib/client';
import type { Question } from '../lib/live.svelte';
import { AnswerDraft } from './answerDrafts.svelte';
import type { InputGuard } from './inputGuard.svelte';
import { isTooLate } from './bulkSend';

export type Panel = 'deny' | 'edit' | 'remember' | 'stop';
export type Body = Schemas['AnswerBody'];
export type AnswerResponse = Schemas['AnswerTaken'];

/** What the model reads before a reason, and where there is none. */
export const DENY_PREFIX = 'Permission denied: ';
export const NO_REASON = 'User denied tool execution';

export interface AnswerFlowDeps {
  guard: Pick<InputGuard, 'settle'>;
  send: (id: string, body: Body) => Promise<AnswerResponse>;
  /** Brings what has not been in view of the question there. Gives whether there was anything. */
  readOn: () => boolean;
  /** It was taken. */
  taken: (taken: AnswerResponse, body: Body) => void;
  /** It came too late, or what was asked is not what was shown: look again. */
  stale: (error: unknown) => void;
}

export class AnswerFlow {
  readonly question: Question;
  /** What was typed so far; it outlives this. */
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

  /** What is laid open beside the plain answers. */
  get panel(): Panel | undefined {
    return this.#panel;
  }

  /** A yes that has to be said a second time, and the danger of what it lets through; none where that could not be told. */
  get confirming(): { body: Body; danger: Schemas['Danger'] | undefined } | undefined {
    return this.#confirming;
  }

  get sending(): boolean {
    return this.#sending;
  }

  /** An answer that did not arrive, or was not taken. */
  get failed(): { error: unknown; body: Body } | undefined {
    return this.#failed;
  }

  get dangerous(): boolean {
    return this.question.shown.danger.level === 'danger';
  }

  /** Why this cannot be remembered; nothing where it can. */
  get rememberObstacle(): 'notWhole' | 'noProposal' | undefined {
    if (!this.question.shown.whole) return 'notWhole';
    return this.question.proposals.length === 0 ? 'noProposal' : undefined;
  }

  /** Lays something open. Where a pointer did it, what is under the pointer now must not be pressed by the same hand. */
  open(panel: Panel, pointer = false): void {
    if (this.#sending || (panel === 'remember' && this.rememberObstacle !== undefined)) return;
    if (this.#panel === panel) return;
    this.#panel = panel;
    this.#confirming = undefined;
    this.#failed = undefined;
    if (pointer) this.#deps.guard.settle('pointer');
  }

  /** Steps back once: from the second yes, from what is open. Gives whether there was anything to step back from. */
  back(): boolean {
    if (this.#sending) return true;
    if (this.#confirming !== undefined) this.#confirming = undefined;
    else if (this.#panel !== undefined) this.#panel = undefined;
    else return false;
    this.#failed = undefined;
    // The plain yes is back where something else was.
    this.#deps.guard.settle();
    return true;
  }

  /**
   * Yes. To something dangerous it has to be said again. What counts for an edit is the danger of what was written, which is
   * `edited`; where that is not known, it may be any.
   */
  approve(more: Pick<Body, 'updatedInput' | 'remember'> = {}, edited?: Schemas['Danger']): Promise<void> {
    const body: Body = { behavior: 'allow', digest: this.question.digest, ...more };
    // What was not in view yet comes first; the press counts for that alone. An edit keeps what it does not change.
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

  /** No, and why. */
  deny(reason = this.begun.reason, more: Pick<Body, 'interrupt' | 'remember'> = {}): Promise<void> {
    const said = reason.trim();
    return this.#send({ behavior: 'deny', digest: this.question.digest, ...(said === '' ? {} : { message: said }), ...more });
  }

  /** No, and the run ends. */
  stop(): Promise<void> {
    return this.deny(this.begun.reason, { interrupt: true });
  }

  /** The same once more, after it did not arrive. */
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
      // A way to try again has come up, and everything below it has moved.
      this.#deps.guard.settle();
      if (isTooLate(error) || mismatched(error)) this.#deps.stale(error);
    } finally {
      this.#sending = false;
    }
  }
}

/** What was shown is not what is asked now. */
function mismatched(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'DigestMismatch';
}

/** What the model will read. */
export function modelMessage(reason: string): string {
  return DENY_PREFIX + (reason.trim() === '' ? NO_REASON : reason.trim());
}
