// Live events of the server: open questions, their outcomes, changes of rules.
import { type EventClient, type EventData, type Question, isWhole } from '@sekisho/client';
import { client } from './client';
import { session } from './session.svelte';

export type { Question } from '@sekisho/client';
/** How a question ended. */
export type QuestionEnded = EventData['tool_approval_resolved'];
export type StreamState = { state: 'connecting' } | { state: 'open' } | { state: 'lost'; again: number };

/** How many outcomes are kept for open views. */
const KEPT = 200;

class Live {
  #client: EventClient | undefined;
  #stale = false;
  #known = false;
  #questions: readonly Question[] = $state.raw([]);
  #ended: ReadonlyMap<string, QuestionEnded> = $state.raw(new Map());
  #link: StreamState = $state.raw({ state: 'connecting' });
  #rules = $state(0);
  #loaded = $state(false);
  readonly #arrived = new Set<(question: Question) => void>();
  readonly #departed = new Set<(ended: QuestionEnded) => void>();

  /** The open questions, in the order they were asked. */
  get questions(): readonly Question[] {
    return this.#questions;
  }

  /** Whether the open questions are loaded. */
  get loaded(): boolean {
    return this.#loaded;
  }

  get link(): StreamState {
    return this.#link;
  }

  /** Grows whenever a rule changes. Reactive. */
  get rules(): number {
    return this.#rules;
  }

  /** How a recently open question ended. */
  ending(id: string): QuestionEnded | undefined {
    return this.#ended.get(id);
  }

  /** Calls a handler for every new question, not for those already open. */
  onOpened(handler: (question: Question) => void): () => void {
    this.#arrived.add(handler);
    return () => this.#arrived.delete(handler);
  }

  /** Calls a handler for every question that ends. */
  onEnded(handler: (ended: QuestionEnded) => void): () => void {
    this.#departed.add(handler);
    return () => this.#departed.delete(handler);
  }

  /** Follows the event stream until the returned function is called. */
  start(): () => void {
    const events = client.events({ backoff: { firstMs: 300, longestMs: 5000 } });
    this.#client = events;
    this.#link = { state: 'connecting' };
    events.on('snapshot', () => this.#refresh());
    events.on('tool_approval_request', (question) => {
      this.#refresh();
      if (isWhole(question)) for (const handler of this.#arrived) handler(question);
    });
    events.on('tool_approval_resolved', (ended) => {
      const kept = [...this.#ended].slice(1 - KEPT);
      this.#ended = new Map([...kept, [ended.id, ended]]);
      this.#refresh();
      for (const handler of this.#departed) handler(ended);
    });
    events.on('rules_changed', () => (this.#rules += 1));
    events.onConnection((connection) => {
      if (events !== this.#client) return;
      if (connection.state === 'open') {
        // Rules may have changed while disconnected.
        if (this.#known) this.#rules += 1;
        this.#known = true;
        this.#link = { state: 'open' };
      } else if (connection.state === 'lost') {
        // The server disconnects a browser that was signed out. Check now instead of at the next retry.
        if (this.#link.state === 'open') void session.check();
        this.#link = { state: 'lost', again: Date.now() + connection.pauseMs };
      } else if (connection.error !== undefined) session.lost();
    });
    return () => {
      events.close();
      if (this.#client === events) this.#client = undefined;
      this.#questions = [];
      this.#loaded = false;
      this.#known = false;
    };
  }

  /** Updates the list once for all events of one chunk. */
  #refresh(): void {
    if (this.#stale) return;
    this.#stale = true;
    queueMicrotask(() => {
      this.#stale = false;
      this.#questions = [...(this.#client?.open.values() ?? [])].filter(isWhole);
      this.#loaded = true;
    });
  }
}

export const live = new Live();
