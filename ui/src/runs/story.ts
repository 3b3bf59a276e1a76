// The story of a run: its events, reduced to what is shown. Entries are replaced when they change, never modified, so
// that unchanged ones need no work.
import type { RunEvent } from '@sekisho/client';
import { TextBuffer } from './textBuffer';
import { reportsFailure } from './toolResult';

export type CallState = 'started' | 'waits' | 'done' | 'failed' | 'denied' | 'interrupted';

export interface UserEntry {
  kind: 'user';
  key: number;
  text: string;
}
export interface TextEntry {
  kind: 'text';
  key: number;
  /** Shared by all versions of the entry. */
  text: TextBuffer;
  /** The length of the text in this version. */
  length: number;
  /** Whether the model still writes it. */
  open: boolean;
}
export interface CallEntry {
  kind: 'call';
  key: number;
  callId: string;
  tool: string;
  args: unknown;
  state: CallState;
  /** The question about it, if there was one. */
  approval?: string;
  /** What the tool returned, or why it did not. */
  result?: string;
  /** The input that a person put in the place of the model's. */
  edited?: unknown;
  /** When it was seen to begin and end on this page, in milliseconds. */
  began?: number;
  ended?: number;
}
export interface FoldEntry {
  kind: 'folded';
  key: number;
  messages: number;
  bytes: number;
}
export interface FinishEntry {
  kind: 'finish';
  key: number;
  reason: string;
  detail?: string;
}
export type Entry = UserEntry | TextEntry | CallEntry | FoldEntry | FinishEntry;

export interface Tokens {
  input: number;
  output: number;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
}
function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

export class Story {
  readonly #entries: Entry[] = [];
  /** Where each call is among the entries. */
  readonly #calls = new Map<string, number>();
  readonly #now: () => number;
  #keys = 0;
  /** Where the text is that the model still writes. */
  #open: number | undefined;
  #lastEventId: string | undefined;
  #last = 0;
  #events = 0;
  #finished = false;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }
  /** Where a new connection continues. */
  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }
  get events(): number {
    return this.#events;
  }
  /** Whether the last event was the end of the run. A further message continues it. */
  get finished(): boolean {
    return this.#finished;
  }
  /** Whether the model writes at the moment. */
  get writing(): boolean {
    return this.#open !== undefined;
  }

  /** The calls that wait for an answer. */
  get waiting(): CallEntry[] {
    return this.#entries.filter((entry): entry is CallEntry => entry.kind === 'call' && entry.state === 'waits');
  }

  /** How many calls failed so far, by themselves or in the program they ran. */
  get failedCalls(): number {
    return this.#entries.filter((entry) => entry.kind === 'call' && (entry.state === 'failed' || (entry.state === 'done' && reportsFailure(entry.result ?? '')))).length;
  }

  /** Adds an event. Returns whether anything that is shown has changed. Events that were seen before change nothing. */
  add(event: Pick<RunEvent, 'payload' | 'id'> & { type: string }, live = true): boolean {
    if (event.id !== undefined) {
      const number = Number(event.id);
      if (Number.isFinite(number)) {
        if (number <= this.#last) return false;
        this.#last = number;
      }
      this.#lastEventId = event.id;
    }
    this.#events += 1;
    const payload = fieldsOf(event.payload);
    switch (event.type) {
      case 'user-message':
        this.#close();
        this.#finished = false;
        this.#push({ kind: 'user', key: this.#key(), text: textOf(payload['text']) });
        return true;
      case 'text-start':
        // Without an end before it, it takes back what was sent.
        return this.#drop();
      case 'text-delta':
        return this.#delta(textOf(payload['text']));
      case 'text-end':
        return this.#end(textOf(payload['text']));
      case 'tool-call':
        this.#close();
        return this.#call(payload, { state: 'started', ...(live && { began: this.#now() }) });
      case 'tool-call-approval':
        return this.#call(payload, { state: 'waits', approval: textOf(payload['approvalId']) });
      case 'tool-result':
        return this.#call(payload, { state: 'done', result: textOf(payload['result']), ...this.#edited(payload), ...(live && { ended: this.#now() }) });
      case 'tool-error': {
        const message = textOf(fieldsOf(payload['error'])['message']);
        const state = payload['interrupted'] === true ? 'interrupted' : 'failed';
        return this.#call(payload, { state, result: message, ...(live && { ended: this.#now() }) });
      }
      case 'tool-output-denied':
        return this.#call(payload, { state: 'denied', result: textOf(fieldsOf(payload['approval'])['reason']) });
      case 'context-folded':
        this.#push({ kind: 'folded', key: this.#key(), messages: countOf(payload['messages']), bytes: countOf(payload['bytes']) });
        return true;
      case 'finish': {
        this.#close();
        this.#finished = true;
        const step = fieldsOf(payload['stepResult']);
        const detail = textOf(step['detail']);
        this.#push({ kind: 'finish', key: this.#key(), reason: textOf(step['reason']) || 'other', ...(detail !== '' && { detail }) });
        return true;
      }
      default:
        return false;
    }
  }

  /** A call is no longer waiting: its question was answered. It runs, or its end follows. */
  answered(approval: string): boolean {
    const at = this.#entries.findIndex((entry) => entry.kind === 'call' && entry.approval === approval && entry.state === 'waits');
    const entry = this.#entries[at];
    if (entry?.kind !== 'call') return false;
    this.#entries[at] = { ...entry, state: 'started', began: this.#now() };
    return true;
  }

  #edited(payload: Record<string, unknown>): { edited?: unknown } {
    return payload['editedArgs'] === undefined ? {} : { edited: payload['editedArgs'] };
  }
  #key(): number {
    return (this.#keys += 1);
  }
  #push(entry: Entry): void {
    this.#entries.push(entry);
  }
  #openEntry(): TextEntry | undefined {
    const entry = this.#open === undefined ? undefined : this.#entries[this.#open];
    return entry?.kind === 'text' ? entry : undefined;
  }
  /** A text whose end never came, because the run ended before. */
  #close(): void {
    const entry = this.#openEntry();
    if (entry !== undefined && this.#open !== undefined) this.#entries[this.#open] = { ...entry, open: false };
    this.#open = undefined;
  }
  #drop(): boolean {
    const at = this.#open;
    this.#open = undefined;
    if (at === undefined) return false;
    // An open text is the last entry, except for notes about folding.
    this.#entries.splice(at, 1);
    return true;
  }
  #delta(text: string): boolean {
    if (text === '') return false;
    const entry = this.#openEntry();
    if (entry === undefined || this.#open === undefined) {
      const buffer = new TextBuffer(text);
      this.#open = this.#entries.length;
      this.#push({ kind: 'text', key: this.#key(), text: buffer, length: buffer.length, open: true });
      return true;
    }
    entry.text.append(text);
    this.#entries[this.#open] = { ...entry, length: entry.text.length };
    return true;
  }
  #end(text: string): boolean {
    const entry = this.#openEntry();
    const at = this.#open;
    this.#open = undefined;
    if (entry === undefined || at === undefined) {
      if (text === '') return false;
      const buffer = new TextBuffer(text);
      this.#push({ kind: 'text', key: this.#key(), text: buffer, length: buffer.length, open: false });
      return true;
    }
    // The stored text counts, whatever the pieces were.
    const buffer = entry.text.length === text.length ? entry.text : new TextBuffer(text);
    this.#entries[at] = { ...entry, text: buffer, length: buffer.length, open: false };
    return true;
  }
  #call(payload: Record<string, unknown>, change: Partial<CallEntry> & { state: CallState }): boolean {
    const callId = textOf(payload['toolCallId']);
    const at = this.#calls.get(callId);
    const before = at === undefined ? undefined : this.#entries[at];
    if (at === undefined || before?.kind !== 'call' || change.state === 'started') {
      this.#calls.set(callId, this.#entries.length);
      this.#push({ kind: 'call', key: this.#key(), callId, tool: textOf(payload['toolName']), args: payload['args'], ...change });
    } else this.#entries[at] = { ...before, ...change };
    return true;
  }
}
