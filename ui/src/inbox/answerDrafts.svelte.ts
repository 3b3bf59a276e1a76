// Half-written answers. Typed text stays while its question is open, whichever page is shown.
// Open panels and an unconfirmed approval are not kept.
import type { Question } from '../lib/live.svelte';
import { InputEdit } from '../question/inputEdit.svelte';
import { RememberDraft } from './rememberDraft.svelte';

export class AnswerDraft {
  readonly #question: Question;
  /** Reason to deny, as typed so far. */
  reason = $state('');
  #edit: InputEdit | undefined = $state.raw();
  #remembering: RememberDraft | undefined = $state.raw();

  constructor(question: Question) {
    this.#question = question;
  }

  /** Edit of the input. */
  edit(): InputEdit {
    return (this.#edit ??= new InputEdit(this.#question));
  }

  remembering(): RememberDraft {
    return (this.#remembering ??= new RememberDraft(this.#question));
  }

  /** Panels in which something was typed or chosen. */
  get by(): { deny: boolean; edit: boolean; remember: boolean } {
    return {
      deny: this.reason.trim() !== '',
      edit: this.#edit !== undefined && this.#edit.made.state !== 'unchanged',
      remember: this.#remembering?.touched === true,
    };
  }

  /** Whether it belongs to a different version of the question. */
  differs(question: Question): boolean {
    return question.digest !== this.#question.digest;
  }
}

export class AnswerDrafts {
  #begun: ReadonlyMap<string, AnswerDraft> = $state.raw(new Map());

  /** The draft of a question; creates and keeps an empty one if there is none. */
  of(question: Question): AnswerDraft {
    const kept = this.#begun.get(question.id);
    if (kept !== undefined && !kept.differs(question)) return kept;
    const sheet = new AnswerDraft(question);
    this.#begun = new Map([...this.#begun, [question.id, sheet]]);
    return sheet;
  }

  /** Whether a question has a half-written answer. */
  has(id: string): boolean {
    const by = this.#begun.get(id)?.by;
    return by !== undefined && (by.deny || by.edit || by.remember);
  }

  /** Drops the draft of a question that ended. */
  forget(id: string): void {
    this.keep((each) => each !== id);
  }

  /** Drops drafts of questions that are no longer open. */
  keep(open: (id: string) => boolean): void {
    const kept = [...this.#begun].filter(([id]) => open(id));
    if (kept.length !== this.#begun.size) this.#begun = new Map(kept);
  }
}
