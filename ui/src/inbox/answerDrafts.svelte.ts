// Answers that were begun and not given. What was typed stays with its question as long as that is open, whatever else one
// looks at meanwhile. Only the words stay: what is laid open, and a first yes to something dangerous, do not.
import type { Question } from '../lib/live.svelte';
import { InputEdit } from '../question/inputEdit.svelte';
import { RememberDraft } from './rememberDraft.svelte';

export class AnswerDraft {
  readonly #question: Question;
  /** Why not, as typed so far. */
  reason = $state('');
  #edit: InputEdit | undefined = $state.raw();
  #remembering: RememberDraft | undefined = $state.raw();

  constructor(question: Question) {
    this.#question = question;
  }

  /** Another input in the place of the asked one. */
  edit(): InputEdit {
    return (this.#edit ??= new InputEdit(this.#question));
  }

  remembering(): RememberDraft {
    return (this.#remembering ??= new RememberDraft(this.#question));
  }

  /** For which ways to answer something was typed or chosen. */
  get by(): { deny: boolean; edit: boolean; remember: boolean } {
    return {
      deny: this.reason.trim() !== '',
      edit: this.#edit !== undefined && this.#edit.made.state !== 'unchanged',
      remember: this.#remembering?.touched === true,
    };
  }

  /** It was asked about something else than this. */
  differs(question: Question): boolean {
    return question.digest !== this.#question.digest;
  }
}

export class AnswerDrafts {
  #begun: ReadonlyMap<string, AnswerDraft> = $state.raw(new Map());

  /** What was begun for a question; where nothing was, a clean sheet that is kept from now on. */
  of(question: Question): AnswerDraft {
    const kept = this.#begun.get(question.id);
    if (kept !== undefined && !kept.differs(question)) return kept;
    const sheet = new AnswerDraft(question);
    this.#begun = new Map([...this.#begun, [question.id, sheet]]);
    return sheet;
  }

  /** Whether an answer to a question is half-written. */
  has(id: string): boolean {
    const by = this.#begun.get(id)?.by;
    return by !== undefined && (by.deny || by.edit || by.remember);
  }

  /** The question was answered, or has ended. */
  forget(id: string): void {
    this.keep((each) => each !== id);
  }

  /** Drops what belongs to questions that are not open any more. */
  keep(open: (id: string) => boolean): void {
    const kept = [...this.#begun].filter(([id]) => open(id));
    if (kept.length !== this.#begun.size) this.#begun = new Map(kept);
  }
}
