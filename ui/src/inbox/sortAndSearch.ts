// Order and search of open questions.
import type { Question } from '../lib/live.svelte';

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
