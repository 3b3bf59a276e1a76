// Sends many answers, a few at a time. Each is independent: one failure says nothing about
// the others.
import { SekishoError } from '@sekisho/client';
import type { Schemas } from '../lib/client';
import type { Question } from '../lib/live.svelte';
import { isInput } from '../question/inputJson';
import { escapeHidden } from '../lib/hiddenCharacters';
import { summaryText } from './questionSummary';

export type BulkResult =
  | { state: 'waiting' }
  | { state: 'sending' }
  | { state: 'done' }
  /** The question had already ended; `why` is the server's text. */
  | { state: 'late'; why: string }
  | { state: 'failed'; error: unknown };

export interface BulkJob {
  questions: readonly Question[];
  answer: (question: Question) => Promise<unknown>;
  tell: (id: string, result: BulkResult) => void;
  signal: AbortSignal;
  /** Requests at a time. */
  lanes?: number;
  pause?: (ms: number) => Promise<void>;
}

const LANES = 8;
/** Retries when the server is busy. */
const PATIENCE = 20;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Characters that fit into a row of the review on a phone. */
const ROW = 200;

type Asked = Pick<Question, 'toolName' | 'serverId' | 'shown' | 'input'>;

/** Whether a row of the review shows less than the whole question: file contents, further lines, text that is cut or must be scrolled. */
export function isAbridged(question: Asked): boolean {
  const { shown } = question;
  const text = summaryText(question);
  const asked = shown.form.form === 'command' ? shown.form.text : '';
  if ((shown.besides ?? []).length > 0 || shown.directory !== undefined || !saysAll(question, text)) return true;
  return !shown.whole || shown.form.form === 'diff' || text.length > ROW || asked.length > ROW || /[\n\r]/.test(text) || /[\n\r]/.test(asked.trim());
}

/** Whether the row shows the whole input. */
function saysAll({ input, shown }: Asked, text: string): boolean {
  if (shown.form.form === 'url') return shown.form.addresses.every(({ url }) => text.includes(url));
  if (shown.form.form !== 'json' || text.length > ROW) return true;
  const values = isInput(input) ? Object.values(input) : [];
  if (values.length === 1 && typeof values[0] === 'string' && escapeHidden(values[0]) === text) return true;
  return values.length === 0 || text.replace(/\s/g, '') === shown.json.replace(/\s/g, '');
}

/** Whether a question must be ticked by itself for a bulk approval. */
export function needsOwnTick(question: Asked): boolean {
  return question.shown.danger.level === 'danger' || isAbridged(question);
}

/** What is ticked from the beginning comes first, then dangerous questions, then the others that need a look. */
export function reviewOrder(questions: readonly Question[]): Question[] {
  const rank = (question: Question): number => (question.shown.danger.level === 'danger' ? 1 : needsOwnTick(question) ? 2 : 0);
  return questions.toSorted((a, b) => rank(a) - rank(b));
}

/** Request body for one question of a bulk answer. */
export function bodyFor(question: Question, behavior: Schemas['Behavior'], reason: string): Schemas['AnswerBody'] {
  const said = reason.trim();
  return { behavior, digest: question.digest, ...(behavior === 'deny' && said !== '' ? { message: said } : {}) };
}

/** Sends all answers. Ends when each has a result or was cancelled by the signal. */
export async function sendAll(work: BulkJob): Promise<void> {
  const waiting = [...work.questions];
  for (const { id } of waiting) work.tell(id, { state: 'waiting' });
  // When one request must wait, all wait: the limit is per client.
  let hold: Promise<void> = Promise.resolve();
  const pause = work.pause ?? sleep;
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const question = next;
      for (let tries = 0; ; tries += 1) {
        await hold;
        if (work.signal.aborted) return;
        work.tell(question.id, { state: 'sending' });
        const result = await once(question, work.answer);
        if (result.state === 'failed' && tries < PATIENCE && busy(result.error)) {
          hold = pause(Math.max(0.2, result.error.retryAfter ?? 1) * 1000);
          continue;
        }
        work.tell(question.id, result);
        break;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(work.lanes ?? LANES, waiting.length) }, lane));
}

function busy(error: unknown): error is SekishoError {
  return error instanceof SekishoError && error.status === 429;
}

async function once(question: Question, answer: BulkJob['answer']): Promise<BulkResult> {
  try {
    await answer(question);
    return { state: 'done' };
  } catch (error) {
    if (isTooLate(error)) return { state: 'late', why: error.message };
    return { state: 'failed', error };
  }
}

/** Whether the question had ended before the answer. */
export function isTooLate(error: unknown): error is SekishoError {
  return error instanceof SekishoError && ((error.status === 409 && error.code === 'Conflict') || error.status === 410);
}
