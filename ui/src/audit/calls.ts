// Calls of the audit log: all records of one call together.
import type { Schemas } from '../lib/client';
import { fieldName, textValue } from '../lib/fieldText';
import { duration } from '../lib/format';
import { personName } from '../lib/personNames';
import { c } from './callsText';
import { type Row, keyOf } from './rows';

export type LoggedCall = Schemas['AuditCall'];

/** Identifies a call. A record that is not about a call stands for itself. */
export function callId(call: LoggedCall): string {
  const first = call.rows[0]!;
  return first.approval ?? first.call ?? keyOf(first);
}

/** The newest record of a call. */
export function lastRow(call: LoggedCall): Row {
  return call.rows.at(-1)!;
}

/** The record that a call is opened at: what was asked or decided. */
export function firstRow(call: LoggedCall): Row {
  return call.rows[0]!;
}

/** Records of calls, and those that change what is decided, stand by themselves. */
const ALONE: ReadonlySet<string> = new Set(['verdict', 'question', 'outcome', 'claim', 'execution', 'rules', 'trust']);

/** What records are about that are no calls. */
export type Topic = 'signIns' | 'runs' | 'agents' | 'server';

/** The topics of records, each once. */
export function topicsOf(records: readonly Row[]): Topic[] {
  return [...new Set(records.map(({ kind }): Topic => (kind === 'token' ? 'signIns' : /^agent\.(?:\w+_)?run_/.test(kind) ? 'runs' : kind.startsWith('agent.') ? 'agents' : 'server')))];
}

/** What one line of the list is: a call, or other records that follow each other. */
export type ListEntry = { call: LoggedCall } | { records: Row[] };

/** The lines of the list. Records that are no calls share a line, so that they do not stand among the calls. */
export function listEntries(calls: readonly LoggedCall[]): ListEntry[] {
  const found: ListEntry[] = [];
  for (const call of calls) {
    const row = lastRow(call);
    const last = found.at(-1);
    if (call.outcome !== undefined || ALONE.has(row.kind)) found.push({ call });
    else if (last !== undefined && 'records' in last) last.records.push(row);
    else found.push({ records: [row] });
  }
  return found;
}

/** The tool, with its server. */
export function toolName(call: LoggedCall): string {
  const { tool = '', server } = firstRow(call);
  return server === undefined ? tool : `${server}/${tool}`;
}

/** What a call does: `code` is a command, a path or an address as recorded; `fields` are those of its input. */
export type CallText = { code: string } | { fields: [name: string, value: string][] };

/** What a call does, without its tool. Undefined if the record does not say it. */
export function callText(call: LoggedCall): CallText | undefined {
  const { message } = call;
  const tool = toolName(call);
  if (message === undefined || message === '' || message === tool) return undefined;
  const main = message.startsWith(`${tool}: `) ? message.slice(tool.length + 2) : message;
  const fields = inputFields(main);
  return fields === undefined ? { code: main } : { fields };
}

/** The fields of an input that was recorded as JSON. What a nested value contains is only counted. */
function inputFields(text: string): [string, string][] | undefined {
  if (!text.startsWith('{')) return undefined;
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    // Too long to be recorded whole.
    return undefined;
  }
  return Object.entries(input as Record<string, unknown>).map(([name, value]) => [fieldName(name), fieldValue(value)]);
}

function fieldValue(value: unknown): string {
  if (typeof value === 'string') return textValue(value);
  if (Array.isArray(value)) {
    const plain = value.length > 0 && value.every((item) => typeof item !== 'object' || item === null);
    return plain ? `[${value.map(fieldValue).join(', ')}]` : c.items(value.length);
  }
  if (typeof value === 'object' && value !== null) return c.fields(Object.keys(value).length);
  return String(value);
}

export type Tone = 'good' | 'bad' | 'open' | 'quiet';

/** How a call was decided, by whom and how long that took. */
export function outcomeOf(call: LoggedCall, own: string | undefined): { text: string; tone: Tone } | undefined {
  const { outcome } = call;
  if (outcome === undefined) return undefined;
  const by = call.by === undefined ? undefined : personName(call.by);
  const who = by === undefined ? undefined : own !== undefined && by === personName(own) ? c.you : by;
  const text = c.outcome(outcome, who, call.answeredAfterMs === undefined ? undefined : duration(call.answeredAfterMs));
  return { text: call.failed === true ? c.failed(text) : text, tone: TONES[outcome] };
}

const TONES: Record<NonNullable<LoggedCall['outcome']>, Tone> = {
  allowed: 'good',
  denied_by_rule: 'bad',
  waiting: 'open',
  approved: 'good',
  turned_back: 'bad',
  denied: 'bad',
  expired: 'quiet',
  aborted: 'quiet',
};
