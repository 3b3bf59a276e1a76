// Parameters of the rules page: `?draft=` a rule to edit, `?call=` a call to test.
import { type Effect, type Fields, MATCHING } from './draft';

export interface LinkedDraft {
  effect: Effect;
  rule: Fields;
}

function object(text: string | null): Record<string, unknown> | undefined {
  if (text === null || text === '') return undefined;
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A rule from the URL. Anybody can write a URL, so only fields that a rule has are taken, and only if their
 * types are right.
 */
export function parseDraftParam(text: string | null): LinkedDraft | undefined {
  const read = object(text);
  const effect = read?.['effect'];
  if (effect !== 'allow' && effect !== 'confirm' && effect !== 'deny') return undefined;
  const written = read?.['rule'];
  if (typeof written !== 'object' || written === null) return undefined;
  return { effect, rule: fieldsIn(written as Record<string, unknown>) };
}

/** The fields of a rule, under the page's names or under those used in files (`command_glob`). */
export function fieldsIn(written: Record<string, unknown>): Fields {
  const rule: Fields = {};
  const value = (name: string): unknown => written[name] ?? written[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
  for (const field of [...MATCHING, 'expiresAt', 'note'] as const) {
    const text = value(field);
    if (typeof text === 'string' && text !== '') rule[field] = text;
  }
  for (const field of ['priority', 'timeoutS'] as const) {
    const number = value(field);
    if (typeof number === 'number' && Number.isInteger(number)) rule[field] = number;
  }
  const then = value('onTimeout');
  if (then === 'deny' || then === 'park') rule.onTimeout = then;
  if (value('unrestricted') === true) rule.unrestricted = true;
  const examples = value('examples');
  if (typeof examples === 'object' && examples !== null) {
    const told = examples as Record<string, unknown>;
    const list = (name: string, other: string): never[] => {
      const all = told[name] ?? told[other];
      return Array.isArray(all) ? (all as never[]) : [];
    };
    const [match, notMatch] = [list('match', 'match'), list('notMatch', 'not_match')];
    if (match.length + notMatch.length > 0) rule.examples = { match, notMatch };
  }
  return rule;
}

/** The call form as typed. */
export interface CallForm {
  /** Whether one line of shell is typed; otherwise all fields. */
  quick: boolean;
  command: string;
  tool: string;
  server: string;
  agent: string;
  cwd: string;
  /** JSON. */
  input: string;
  /** Test as if the server and the agent had proven their identity. */
  proven: boolean;
}

export const EMPTY_CALL_FORM: CallForm = { quick: true, command: '', tool: '', server: '', agent: '', cwd: '', input: '', proven: false };
/** Longer texts are not put into the URL. */
const LONGEST = 4000;

/** The call in the URL; undefined if there is none. */
export function parseCallParams(query: URLSearchParams): CallForm | undefined {
  const call = object(query.get('call'));
  if (call !== undefined) return typedOf(call);
  const text = (name: string): string => query.get(name) ?? '';
  const [tool, command, input] = [text('tool'), text('command'), text('input')];
  const rest = { server: text('server'), agent: text('agent'), cwd: text('cwd') };
  if (tool === '' && command === '' && input === '') return undefined;
  if (input === '' && (tool === '' || tool === 'bash') && Object.values(rest).every((value) => value === '')) {
    return { ...EMPTY_CALL_FORM, command };
  }
  const given = input === '' && command !== '' ? JSON.stringify({ command }) : input;
  return { ...EMPTY_CALL_FORM, ...rest, quick: false, tool: tool || 'bash', command, input: given, proven: query.get('proven') === '1' };
}

function typedOf(call: Record<string, unknown>): CallForm | undefined {
  const text = (...names: string[]): string => names.map((name) => call[name]).find((value): value is string => typeof value === 'string') ?? '';
  const tool = text('toolName', 'tool');
  const rest = { server: text('serverId', 'server'), agent: text('agentId', 'agent'), cwd: text('cwd') };
  const input = call['input'] ?? {};
  if (tool === '' || typeof input !== 'object' || input === null) return undefined;
  const { command, ...more } = input as Record<string, unknown>;
  const line = typeof command === 'string' ? command : '';
  const plain = line !== '' && !line.includes('\n') && Object.keys(more).length === 0 && Object.values(rest).every((value) => value === '');
  if (plain && /^bash$/i.test(tool)) return { ...EMPTY_CALL_FORM, command: line };
  return { ...EMPTY_CALL_FORM, quick: false, command: line, tool, ...rest, input: JSON.stringify(input, null, 2) };
}

/** The URL parameters of a call. `call` itself is removed once somebody has typed. */
export function callParams(typed: CallForm): Record<string, string | undefined> {
  const kept = (text: string): string | undefined => (text === '' || text.length > LONGEST ? undefined : text);
  const none = { call: undefined, tool: undefined, command: undefined, input: undefined, server: undefined, agent: undefined, cwd: undefined, proven: undefined };
  if (typed.quick) return { ...none, command: kept(typed.command) };
  const { tool, input, server, agent, cwd, proven } = typed;
  return { ...none, tool: kept(tool), input: kept(input), server: kept(server), agent: kept(agent), cwd: kept(cwd), proven: proven ? '1' : undefined };
}
