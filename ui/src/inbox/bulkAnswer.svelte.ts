// One answer for several questions: which are included, and the result of each.
import type { Schemas } from '../lib/client';
import type { Question } from '../lib/live.svelte';
import { type BulkResult, bodyFor, reviewOrder, sendAll, needsOwnTick } from './bulkSend';

export interface BulkAnswerDeps {
  send: (id: string, body: Schemas['AnswerBody']) => Promise<unknown>;
  /** Whether a question has ended. */
  ended: (id: string) => boolean;
}

export class BulkAnswer {
  readonly questions: readonly Question[];
  readonly behavior: Schemas['Behavior'];
  readonly #means: BulkAnswerDeps;
  readonly #stop = new AbortController();
  #ticked: ReadonlySet<string> = $state.raw(new Set());
  #results: ReadonlyMap<string, BulkResult> = $state.raw(new Map());
  #phase: 'asking' | 'running' | 'over' = $state('asking');
  reason = $state('');

  constructor(questions: readonly Question[], behavior: Schemas['Behavior'], means: BulkAnswerDeps) {
    this.questions = behavior === 'allow' ? reviewOrder(questions) : questions;
    this.behavior = behavior;
    this.#means = means;
    // A denial needs no review. A dangerous or abridged call is approved only if it is ticked by hand.
    const meant = this.questions.filter((question) => behavior === 'deny' || !needsOwnTick(question));
    this.#ticked = new Set(meant.map((question) => question.id));
  }

  get phase(): 'asking' | 'running' | 'over' {
    return this.#phase;
  }

  ticked(id: string): boolean {
    return this.#ticked.has(id);
  }

  tick(id: string): void {
    if (this.#phase !== 'asking') return;
    const ticked = new Set(this.#ticked);
    if (!ticked.delete(id)) ticked.add(id);
    this.#ticked = ticked;
  }

  result(id: string): BulkResult | undefined {
    return this.#results.get(id);
  }

  /** Questions to answer: ticked and still open. */
  get meant(): Question[] {
    return this.questions.filter((question) => this.#ticked.has(question.id) && !this.#means.ended(question.id));
  }

  count(state: BulkResult['state']): number {
    return [...this.#results.values()].filter((result) => result.state === state).length;
  }

  get all(): number {
    return this.#results.size;
  }

  run(): Promise<void> {
    return this.#phase === 'asking' ? this.#answer(this.meant) : Promise.resolve();
  }

  /** Resends the answers that did not arrive. */
  again(): Promise<void> {
    const failed = this.questions.filter((question) => this.#results.get(question.id)?.state === 'failed');
    return this.#phase === 'over' ? this.#answer(failed) : Promise.resolve();
  }

  /** Cancels the answers that are not sent yet. */
  halt(): void {
    this.#stop.abort();
  }

  async #answer(questions: readonly Question[]): Promise<void> {
    this.#phase = 'running';
    await sendAll({
      questions,
      answer: (question) => this.#means.send(question.id, bodyFor(question, this.behavior, this.reason)),
      tell: (id, result) => (this.#results = new Map([...this.#results, [id, result]])),
      signal: this.#stop.signal,
    });
    this.#phase = 'over';
  }
}
