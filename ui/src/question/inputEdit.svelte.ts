// An edit in progress: as text fields or as JSON, with its errors and its result.
import type { Question } from '../lib/live.svelte';
import { editableFields, type Field, hiddenCount, withLineEnds } from './editableFields';
import { inexact, type Input, isEqual, isInput, jsonText } from './inputJson';
import { type JsonError, readJson } from './jsonErrors';

export type Mode = 'text' | 'json';
export type EditResult =
  | { state: 'made'; input: Input }
  | { state: 'unchanged' }
  | { state: 'wrong'; wrong: JsonError }
  | { state: 'no_object' };

export class InputEdit {
  readonly #question: Question;
  /** The fields that can be edited as plain text. */
  readonly fields: readonly Field[];
  /** Whether the input contains a number that editing would change. */
  readonly inexact: boolean;
  mode: Mode = $state('json');
  #json = $state('');
  /** What was typed into the fields, by name. */
  #typed: Record<string, string> = $state({});
  /** The input to which the typed fields are applied. */
  #base: unknown = $state.raw();

  constructor(question: Question) {
    this.#question = question;
    this.#base = question.input;
    this.#json = jsonText(question.input);
    this.fields = editableFields(question.shown.form.form, question.input);
    this.inexact = inexact(question.input);
    // Hidden characters are not visible in a text area, but in JSON they are.
    if (this.fields.length > 0 && this.hidden === 0) this.mode = 'text';
  }

  get json(): string {
    return this.#json;
  }

  set json(text: string) {
    this.#json = text;
  }

  /** How many characters of the fields are not visible in a text area. */
  get hidden(): number {
    return this.fields.reduce((sum, field) => sum + hiddenCount(this.text(field.name)), 0);
  }

  /** Current text of a field. */
  text(name: string): string {
    const kept = isInput(this.#base) ? this.#base[name] : undefined;
    return this.#typed[name] ?? (typeof kept === 'string' ? kept : '');
  }

  type(name: string, typed: string): void {
    const kept = isInput(this.#base) ? this.#base[name] : undefined;
    this.#typed[name] = withLineEnds(typeof kept === 'string' ? kept : '', typed);
  }

  /**
   * Whether it is possible to go back to the text fields: the JSON is valid and still has all of them as
   * texts.
   */
  get canBeText(): boolean {
    if (this.fields.length === 0) return false;
    if (this.mode === 'text') return true;
    const read = readJson(this.#json);
    const found = read.ok ? editableFields(this.#question.shown.form.form, read.value) : [];
    return this.fields.every(({ name }) => found.some((field) => field.name === name));
  }

  change(mode: Mode): void {
    if (mode === this.mode) return;
    if (mode === 'json') this.#json = jsonText(this.#withTyped());
    else {
      const read = readJson(this.#json);
      if (!read.ok || !this.canBeText) return;
      this.#base = read.value;
      this.#typed = {};
    }
    this.mode = mode;
  }

  #withTyped(): unknown {
    return isInput(this.#base) ? { ...this.#base, ...this.#typed } : this.#base;
  }

  /** Result of the edit. */
  get made(): EditResult {
    const read = this.mode === 'text' ? ({ ok: true, value: this.#withTyped() } as const) : readJson(this.#json);
    if (!read.ok) return { state: 'wrong', wrong: read.wrong };
    if (!isInput(read.value)) return { state: 'no_object' };
    return isEqual(read.value, this.#question.input) ? { state: 'unchanged' } : { state: 'made', input: $state.snapshot(read.value) as Input };
  }
}
