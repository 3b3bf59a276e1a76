// What the frameworks' tests share: a tool that has an effect, and the answers of people.
import { type SeenQuestion } from '@sekisho/client';
import type { TestServer } from '../../../sdk/typescript/test/test-server.js';
import { answerTo, questions } from './inbox.js';

/** A tool that only remembers what it was called with. */
export class Notes {
  readonly written: string[] = [];

  write = ({ text }: { text: string }): string => {
    this.written.push(text);
    return `wrote ${text}`;
  };
}

/** A call of the tool. */
export const note = (text: string, id: string) => ({ tool: 'write_note', id, input: { text } });

/** Answers a number of questions that are open at once: those with the text `bad` are denied. */
export async function answerAll(server: TestServer, count: number): Promise<SeenQuestion[]> {
  const open = await questions(server, count);
  const textOf = ({ input }: SeenQuestion) => (input as { text: string }).text;
  // The one that was asked last is answered first.
  const sorted = [...open].sort((one, other) => textOf(other).localeCompare(textOf(one)));
  for (const question of sorted) {
    const bad = textOf(question).startsWith('bad');
    await answerTo(server.as('approver') as never, question, bad ? { behavior: 'deny', message: 'no bad notes' } : { behavior: 'allow' });
  }
  return open;
}
