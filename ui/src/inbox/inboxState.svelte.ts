// State of the inbox: the list, the question in focus, recent answers. Kept while other pages are open.
import type { AnswerNote } from './answerNote';
import { isWhole } from '@sekisho/client';
import { MediaQuery } from 'svelte/reactivity';
import { SekishoError, client } from '../lib/client';
import { type QuestionEnded, type Question, live } from '../lib/live.svelte';
import { router } from '../lib/router.svelte';
import { questionHref } from './questionHref';
import { AnswerDrafts } from './answerDrafts.svelte';
import { InputGuard } from './inputGuard.svelte';
import { type Order, matching, ordered } from './sortAndSearch';
import { Selection } from './selection.svelte';
import { successor } from './neighbours';

/** A question that ended while the page was open. */
export interface Recent {
  question: Question;
  ended: QuestionEnded;
  /** It was answered from this page. */
  mine: boolean;
}

/** A question that was fetched because it is not open. */
type Lookup =
  | { state: 'none'; id: undefined }
  | { state: 'looking'; id: string }
  | { state: 'unknown'; id: string }
  | { state: 'found'; id: string; question: Question }
  | { state: 'failed'; id: string; error: unknown };

/** How many ended questions are kept, and how many of these are listed. */
const KEPT = 200;
export const LISTED = 6;

class InboxState {
  readonly selection = new Selection();
  /** Answers that are half-written. */
  readonly drafts = new AnswerDrafts();
  readonly guard = new InputGuard();
  readonly #wide = new MediaQuery('(min-width: 56rem)', true);
  readonly #mine = new Set<string>();
  order: Order = $state('oldest');
  searchText = $state('');
  #held: string | undefined = $state();
  #last: Question | undefined = $state.raw();
  #recent: readonly Recent[] = $state.raw([]);
  #note: { note: AnswerNote; before: string | undefined } | undefined = $state.raw();
  #lookup: Lookup = $state.raw({ state: 'none', id: undefined });

  /** The open questions as they are listed. */
  readonly shown = $derived(matching(ordered(live.questions, this.order), this.searchText));
  readonly ids = $derived(this.shown.map((question) => question.id));

  constructor() {
    live.onEnded((ended) => this.#departed(ended));
  }

  /** Whether there is room for the list and a question. */
  get wide(): boolean {
    return this.#wide.current;
  }

  /** The question that the address names. */
  get chosen(): string | undefined {
    return router.place.page === 'inbox' ? router.place.question : undefined;
  }

  /** The question in focus. If the address names none and the screen is wide enough: the last one in focus. */
  readonly id: string | undefined = $derived(this.chosen ?? (this.wide ? this.#held : undefined));
  readonly #open: Question | undefined = $derived(live.questions.find((question) => question.id === this.id));
  readonly #gone: Question | undefined = $derived(this.#recent.find((recent) => recent.question.id === this.id)?.question);
  readonly #found: Question | undefined = $derived.by(() => {
    const found = this.#lookup;
    return found.state === 'found' && found.id === this.id ? found.question : undefined;
  });
  readonly question: Question | undefined = $derived(
    this.#open ?? this.#gone ?? this.#found ?? (this.#last?.id === this.id ? this.#last : undefined),
  );
  /** How the question in focus ended; nothing while it is open. */
  readonly ended: QuestionEnded | undefined = $derived.by(() => {
    if (this.id === undefined || this.#open !== undefined) return undefined;
    const found = this.#found;
    if (found === undefined || found.state === 'pending') return live.ending(this.id);
    return { id: found.id, state: found.state, toolName: found.toolName, ...(found.outcome && { outcome: found.outcome }) };
  });
  /** Why no question can be shown. */
  readonly missing: Extract<Lookup, { state: 'unknown' | 'failed' }> | undefined = $derived.by(() => {
    const found = this.#lookup;
    return (found.state === 'unknown' || found.state === 'failed') && found.id === this.id ? found : undefined;
  });

  /** Those that ended last, newest first. */
  get recent(): readonly Recent[] {
    return this.#recent;
  }

  /** What is said about the last answer. Where only one question fits, only above the one that came after it. */
  get note(): AnswerNote | undefined {
    return this.#note !== undefined && (this.wide || this.#note.before === this.id) ? this.#note.note : undefined;
  }

  /** Called after the next question came into focus. */
  say(note: AnswerNote): void {
    this.#note = { note, before: this.id };
  }

  dismissNote(): void {
    this.#note = undefined;
  }

  /** Called when the inbox opens: questions that ended meanwhile are not focused again. */
  enter(): void {
    this.#note = undefined;
    if (!live.questions.some((question) => question.id === this.#held)) this.#held = undefined;
  }

  /** Follows the address and the list. Call it whenever they change. */
  follow(): void {
    if (this.chosen !== undefined) this.#held = this.chosen;
    // A question answered from here may still be listed for a moment.
    else if (this.wide) this.#held ??= this.ids.find((id) => !this.#mine.has(id));
    if (this.question !== undefined) this.#last = this.question;
    if (this.id !== undefined && live.loaded && this.#open === undefined && this.#gone === undefined) void this.look();
    const open = new Set(live.questions.map((question) => question.id));
    this.selection.keep((id) => open.has(id));
    if (live.loaded) this.drafts.keep((id) => open.has(id));
  }

  /** Fetches the question in focus once; `again` repeats it. */
  async look(again = false): Promise<void> {
    const id = this.id;
    if (id === undefined || (this.#lookup.id === id && !again)) return;
    if (this.#lookup.id !== id) this.#lookup = { state: 'looking', id };
    let found: Lookup;
    try {
      const question = await client.approvals.show(id);
      found = isWhole(question) ? { state: 'found', id, question } : { state: 'unknown', id };
    } catch (error) {
      const unknown = error instanceof SekishoError && error.status === 404;
      found = unknown ? { state: 'unknown', id } : { state: 'failed', id, error };
    }
    if (this.#lookup.id === id) this.#lookup = found;
  }

  /** Puts a question into focus. */
  show(id: string): void {
    router.go(questionHref(id), { replace: this.wide || this.chosen !== undefined });
  }

  /** Moves to the next question of `before`, the list as it was before the answer. */
  showNext(from: string, before: readonly string[] = this.ids): void {
    if (this.id !== from) return;
    const open = (questions: readonly Question[]): string[] =>
      questions.map((question) => question.id).filter((id) => id !== from && !this.#mine.has(id));
    const listed = open(this.shown);
    const next = successor(before, from, listed.length > 0 ? listed : open(live.questions));
    this.#held = next;
    if (this.chosen !== undefined) router.go(next === undefined ? '/' : questionHref(next), { replace: true });
  }

  /** Marks whether an answer is being sent from here. */
  mine(id: string, taken = true): void {
    if (taken) this.#mine.add(id);
    else this.#mine.delete(id);
  }

  isMine(id: string): boolean {
    return this.#mine.has(id);
  }

  #departed(ended: QuestionEnded): void {
    this.drafts.forget(ended.id);
    const question = live.questions.find((question) => question.id === ended.id);
    if (question === undefined) return;
    this.#recent = [{ question, ended, mine: this.#mine.has(ended.id) }, ...this.#recent].slice(0, KEPT);
  }
}

export const inboxState = new InboxState();
