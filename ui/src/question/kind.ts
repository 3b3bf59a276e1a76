// What kind of question it is, as far as the page shows it otherwise.
import type { Schemas } from '../lib/client';
import type { IconName } from '../parts/icons';

type Question = Schemas['Question'];

/** The name the built-in demo asks under. */
const DEMO = 'demo';

export function isDemo(question: Pick<Question, 'agentId' | 'askedBy'>): boolean {
  return question.agentId === DEMO || question.askedBy === DEMO;
}

const SIGNS: Record<string, IconName> = {
  'Run command?': 'terminal',
  'Read file?': 'file',
  'Search files?': 'search',
  'Write file?': 'edit',
  'Delete file?': 'trash',
  'Edit file?': 'edit',
  'Fetch from the web?': 'globe',
  'Search the web?': 'globe',
  'Load skill?': 'file',
};

/** The drawing beside its title. */
export function signOf(question: Pick<Question, 'shown'>): IconName {
  return SIGNS[question.shown.title] ?? 'tool';
}
