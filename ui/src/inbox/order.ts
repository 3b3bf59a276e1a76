// Order and search of open questions.
import type { Question } from '../lib/live.svelte';
import { visible } from '../lib/visible';

export const ORDERS = ['oldest', 'danger', 'deadline'] as const;
export type Order = (typeof ORDERS)[number];

/** From this many questions on there is a search field. */
export const SEARCH_FROM = 8;

const CARE = { danger: 0, caution: 1, none: 2 } as const;

/** Sorted questions. The sort is stable; the input is in the order of asking. */
export function ordered(questions: readonly Question[], order: Order): readonly Question[] {
  switch (order) {
    case 'oldest':
      return questions;
    case 'danger':
      return questions.toSorted((a, b) => CARE[a.shown.danger.level] - CARE[b.shown.danger.level]);
    case 'deadline':
      return questions.toSorted((a, b) => deadline(a) - deadline(b));
  }
}

/** When a question expires, in milliseconds; infinite if never. */
export function deadline(question: Pick<Question, 'expiresAt'>): number {
  return question.expiresAt === undefined ? Number.MAX_VALUE : Date.parse(question.expiresAt);
}

/** Questions that contain every word of the search text. */
export function matching(questions: readonly Question[], text: string): readonly Question[] {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return questions;
  return questions.filter((question) => {
    const { toolName, serverId, agentId, workspaceId, cwd, shown } = question;
    const all = [toolName, serverId, agentId, workspaceId, cwd, shown.title, shown.message].join('\n').toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

export interface Clipped {
  text: string;
  /** How many characters were cut off. */
  more: number;
}

/** The start of a text and the number of cut characters, so that a cut text does not look complete. */
export function clipped(text: string, most: number): Clipped {
  // A character may take two UTF-16 units, so this many units hold at least half as many characters.
  const characters = Array.from(text.slice(0, most * 2));
  if (text.length <= most || (characters.length <= most && text.length <= most * 2)) return { text, more: 0 };
  const kept = characters.slice(0, most).join('');
  let more = 0;
  for (let at = kept.length; at < text.length; more += 1) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return { text: kept, more };
}

/** What a question is about, without the tool name, which is shown beside it. */
export function summaryText(question: Pick<Question, 'toolName' | 'serverId' | 'shown'>): string {
  const { toolName, serverId, shown } = question;
  const names = [`${visible(toolName)}: `, ...(serverId === undefined ? [] : [`${visible(serverId)}/${visible(toolName)}: `])];
  const name = names.find((name) => shown.message.startsWith(name) && shown.message.length > name.length);
  return name === undefined ? shown.message : shown.message.slice(name.length);
}
