// Checks of a rule before it is sent. The server repeats all of these checks, and does more.
import { type RuleDraft, type Effect, type Field, MATCHING, type Matching, exampleOf, instantOf, lines, unrestrictedCounts, wholeNumber } from './draft';
import { type Kind, canBe } from './toolKinds';

/** Why a field has no effect in the rule as it is. */
export type UnusedReason = Kind | 'confirm' | 'whole';
/** What is wrong with a field: a key of the texts in `formText.ts`. */
export type FieldError = Kind | 'plain' | 'wildcard' | 'url' | 'star' | 'port' | 'number' | 'positive' | 'moment' | 'example' | 'json';
/** Why an allow would let through a lot. */
export type Caution = 'everything' | 'server' | 'shell' | 'unrestricted' | 'runsAnything' | 'over';

const NEEDS: Partial<Record<Field, Kind>> = {
  command: 'shell',
  commandGlob: 'shell',
  path: 'file',
  host: 'web',
  skillName: 'skill',
};

/** Programs that run any code they are given: allowing one of them allows everything. */
const RUN_ANYTHING = new Set(
  ('bash sh zsh fish dash python python3 node deno bun perl ruby php lua awk sed make npx uvx sqlite3 vim sudo doas env xargs find ' +
    'ssh docker podman kubectl eval exec command nohup timeout time watch parallel').split(' '),
);

/** Why a field has no effect in the rule; `undefined` if it has one. */
export function unusedReason(field: Field, draft: RuleDraft, effect: Effect): UnusedReason | undefined {
  const kind = NEEDS[field];
  if (kind !== undefined) return canBe(kind, draft.tool.trim(), draft.toolPattern.trim()) ? undefined : kind;
  if (field === 'timeoutS' || field === 'onTimeout') return effect === 'confirm' ? undefined : 'confirm';
  if (field === 'unrestricted') {
    return unrestrictedCounts(draft, effect) && canBe('shell', draft.tool.trim(), draft.toolPattern.trim()) ? undefined : 'whole';
  }
  return undefined;
}

/** The fields that say what a rule matches, in the order in which people think of them. */
export const PRIMARY_FIELDS: readonly Matching[] = ['tool', 'command', 'path', 'host', 'skillName', 'toolPattern', 'server', 'commandGlob', 'input', 'agent'];

/** Whether a field is shown without unfolding: it says what the rule is about, or it is not empty. */
export function isPrimary(field: Matching, draft: RuleDraft, effect: Effect): boolean {
  if (field === 'tool' || draft[field] !== '') return true;
  if (field === 'commandGlob' || field === 'input' || field === 'agent') return false;
  if (NEEDS[field] !== undefined) return unusedReason(field, draft, effect) === undefined && draft.toolPattern === '';
  // A known tool needs no pattern and belongs to no server.
  const tool = draft.tool.trim();
  return !(['shell', 'file', 'web', 'skill'] as const).some((kind) => canBe(kind, tool, ''));
}

export function fieldErrors(draft: RuleDraft, effect: Effect): Partial<Record<Field, FieldError>> {
  const found: Partial<Record<Field, FieldError>> = {};
  const say = (field: Field, wrong: FieldError | undefined): void => {
    if (wrong !== undefined) found[field] = wrong;
  };
  for (const field of MATCHING) {
    const kind = NEEDS[field];
    if (kind !== undefined && draft[field].trim() !== '' && unusedReason(field, draft, effect) !== undefined) say(field, kind);
  }
  found.command ?? say('command', commandFault(draft.command));
  found.host ?? say('host', hostFault(draft.host.trim()));
  say('input', inputFault(draft.input));
  say('priority', priorityFault(draft.priority));
  if (effect === 'confirm') say('timeoutS', secondsFault(draft.timeoutS));
  if (draft.expiresAt.trim() !== '' && instantOf(draft.expiresAt) === undefined) say('expiresAt', 'moment');
  for (const field of ['match', 'notMatch'] as const) {
    if (lines(draft[field]).some((line) => exampleOf(line) === undefined)) say(field, 'example');
  }
  return found;
}

function commandFault(command: string): FieldError | undefined {
  if (/[*?]/.test(command)) return 'wildcard';
  // Characters with a special meaning in a shell, and invisible ones.
  return /[|&;<>()$`"'\\\p{Cc}]/u.test(command) ? 'plain' : undefined;
}

function hostFault(host: string): FieldError | undefined {
  if (host === '') return undefined;
  if (host.includes('/')) return 'url';
  if (host.replace(/^\*\./, '').includes('*')) return 'star';
  // The colons of an address such as `[::1]` are inside its brackets.
  const port = /^(?:\[[^\]]*\]|[^[\]]*):([^:\]]*)$/.exec(host)?.[1];
  return port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535) ? 'port' : undefined;
}

function inputFault(text: string): FieldError | undefined {
  if (text.trim() === '') return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return 'json';
  }
}

function priorityFault(text: string): FieldError | undefined {
  if (text.trim() === '') return undefined;
  const value = wholeNumber(text);
  return value === undefined || Math.abs(value) > 2 ** 31 - 1 ? 'number' : undefined;
}

function secondsFault(text: string): FieldError | undefined {
  if (text.trim() === '') return undefined;
  const value = wholeNumber(text);
  return value === undefined || value < 1 || value > 2 ** 32 - 1 ? 'positive' : undefined;
}

export function cautions(draft: RuleDraft, effect: Effect, now: number): Caution[] {
  const found: Caution[] = [];
  const until = instantOf(draft.expiresAt);
  if (until !== undefined && Date.parse(until) <= now) found.push('over');
  if (effect !== 'allow') return found;
  const has = (field: Matching): boolean => draft[field].trim() !== '';
  const wholeTool = !['command', 'commandGlob', 'path', 'host', 'skillName', 'input'].some((field) => has(field as Matching));
  const anyTool = !has('tool') && (!has('toolPattern') || /^\*+$/.test(draft.toolPattern.trim()));
  if (anyTool && wholeTool) found.push(has('server') ? 'server' : 'everything');
  if (draft.unrestricted && unusedReason('unrestricted', draft, effect) === undefined) found.push('unrestricted');
  else if (!anyTool && wholeTool && canBe('shell', draft.tool.trim(), draft.toolPattern.trim()) && !has('server')) found.push('shell');
  const program = draft.command.trim().split(/\s+/);
  if (program.length === 1 && RUN_ANYTHING.has(program[0] ?? '')) found.push('runsAnything');
  return found;
}

/** The field of the form that an error from the server is about. */
export function fieldOfError(name: string | undefined): Field | 'effect' | undefined {
  if (name === undefined) return undefined;
  const spelled: Record<string, Field> = { serverId: 'server', toolName: 'tool', examples: 'match' };
  const field = Object.hasOwn(spelled, name) ? spelled[name]! : name;
  const known = field === 'effect' || (MATCHING as readonly string[]).includes(field) ||
    ['priority', 'timeoutS', 'onTimeout', 'expiresAt', 'note', 'match', 'notMatch', 'unrestricted'].includes(field);
  return known ? (field as Field) : undefined;
}
