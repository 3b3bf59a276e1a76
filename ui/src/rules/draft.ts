// A rule being edited: the fields as typed, so that nothing is lost, and the conversion to and from the API's
// form.
import type { Schemas } from '../lib/client';

export type Fields = Schemas['RuleFields'];
export type Effect = Schemas['Effect'];
type Example = Schemas['Example'];

/** The fields that say what a rule matches, in the order they are shown. */
export const MATCHING = ['tool', 'toolPattern', 'server', 'command', 'commandGlob', 'path', 'host', 'skillName', 'input', 'agent'] as const;
export type Matching = (typeof MATCHING)[number];

export interface RuleDraft extends Record<Matching, string> {
  priority: string;
  timeoutS: string;
  onTimeout: '' | Schemas['OnTimeout'];
  /** In the time zone of this device, in the format of `<input type="datetime-local">`. */
  expiresAt: string;
  note: string;
  /** One example per line: a text, or a call in JSON. */
  match: string;
  notMatch: string;
  unrestricted: boolean;
}
export type Field = keyof RuleDraft;

/** Fields in which blanks at the ends mean nothing. In a glob they do. */
const TRIMMED: readonly Matching[] = ['tool', 'toolPattern', 'server', 'command', 'host', 'skillName', 'input', 'agent'];

export function draftOf(rule: Fields): RuleDraft {
  return {
    tool: rule.tool ?? rule.toolName ?? '',
    toolPattern: rule.toolPattern ?? '',
    server: rule.server ?? rule.serverId ?? '',
    command: rule.command ?? '',
    commandGlob: rule.commandGlob ?? '',
    path: rule.path ?? '',
    host: rule.host ?? '',
    skillName: rule.skillName ?? '',
    input: rule.input ?? '',
    agent: rule.agent ?? '',
    priority: String(rule.priority ?? 0),
    timeoutS: rule.timeoutS === undefined ? '' : String(rule.timeoutS),
    onTimeout: rule.onTimeout ?? '',
    expiresAt: rule.expiresAt === undefined ? '' : localOf(rule.expiresAt),
    note: rule.note ?? '',
    match: linesOf(rule.examples?.match),
    notMatch: linesOf(rule.examples?.notMatch),
    unrestricted: rule.unrestricted === true,
  };
}

/**
 * The rule as it is sent. Fields that have no meaning for the effect stay in the draft and are left out here;
 * a field that narrows the rule is never left out, because the rule would then match more than intended.
 */
export function editableFields(draft: RuleDraft, effect: Effect): Fields {
  const rule: Fields = {};
  for (const field of MATCHING) {
    const text = draft[field];
    if (text.trim() !== '') rule[field] = TRIMMED.includes(field) ? text.trim() : text;
  }
  const priority = wholeNumber(draft.priority);
  if (priority !== undefined) rule.priority = priority;
  if (effect === 'confirm') {
    const seconds = wholeNumber(draft.timeoutS);
    if (seconds !== undefined) rule.timeoutS = seconds;
    if (draft.onTimeout !== '') rule.onTimeout = draft.onTimeout;
  }
  const expires = instantOf(draft.expiresAt);
  if (expires !== undefined) rule.expiresAt = expires;
  if (draft.note.trim() !== '') rule.note = draft.note.trim();
  const [match, notMatch] = [examplesOf(draft.match), examplesOf(draft.notMatch)];
  if (match.length + notMatch.length > 0) {
    rule.examples = { ...(match.length > 0 && { match }), ...(notMatch.length > 0 && { notMatch }) };
  }
  if (draft.unrestricted && unrestrictedCounts(draft, effect)) rule.unrestricted = true;
  return rule;
}

/** Whether `unrestricted` has a meaning: only in an allow rule for a whole tool. */
export function unrestrictedCounts(draft: RuleDraft, effect: Effect): boolean {
  return effect === 'allow' && draft.command.trim() === '' && draft.commandGlob.trim() === '';
}

/** The text as a whole number; `undefined` if it is none. */
export function wholeNumber(text: string): number | undefined {
  return /^\s*[+-]?\d{1,15}\s*$/.test(text) ? Number(text) : undefined;
}

/** A time in the time zone of this device, with seconds unless they are zero. */
export function localOf(instant: string): string {
  const at = new Date(instant);
  if (Number.isNaN(at.getTime())) return '';
  const two = (value: number): string => String(value).padStart(2, '0');
  const seconds = at.getSeconds() === 0 ? '' : `:${two(at.getSeconds())}`;
  return `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}${seconds}`;
}

/** The time that a text in this device's time zone means. */
export function instantOf(local: string): string | undefined {
  const at = new Date(local.trim());
  return local.trim() === '' || Number.isNaN(at.getTime()) ? undefined : at.toISOString().replace('.000Z', 'Z');
}

function linesOf(examples: readonly Example[] | undefined): string {
  // A call is written as JSON, and so is a text that could be mistaken for JSON or has several lines.
  const line = (example: Example): string =>
    typeof example === 'string' && !/^\s*[{"]|\n/.test(example) ? example : JSON.stringify(example);
  return (examples ?? []).map(line).join('\n');
}

/**
 * The examples in a text. Lines that look like JSON but are invalid are left out here and reported by
 * `checks`.
 */
export function examplesOf(text: string): Example[] {
  return lines(text).flatMap((line) => exampleOf(line) ?? []);
}

export function lines(text: string): string[] {
  return text.split('\n').map((line) => line.trim()).filter((line) => line !== '');
}

/** One example; `undefined` if it cannot be read. */
export function exampleOf(line: string): Example | undefined {
  if (!/^[{"]/.test(line)) return line;
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof read === 'string') return read;
  if (typeof read !== 'object' || read === null || !('tool' in read) || typeof read.tool !== 'string') return undefined;
  return read as Example;
}
