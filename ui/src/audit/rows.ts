// Rows of the audit log, as listed.
import type { Schemas } from '../lib/client';
import { personName } from '../lib/personNames';

export type Row = Schemas['AuditRow'];

/** Id of a row in a URL. */
export function keyOf(row: { writer: string; seq: number }): string {
  return `${row.writer}/${row.seq}`;
}

/** Parses the row id of a URL. */
export function rowOf(key: string | null): { writer: string; seq: number } | undefined {
  const found = /^([0-9a-f-]{32,36})\/([0-9]{1,15})$/i.exec(key ?? '');
  return found === null ? undefined : { writer: found[1]!.toLowerCase(), seq: Number(found[2]) };
}

/** Link to a row that keeps the filters. */
export function rowHref(query: URLSearchParams, row: { writer: string; seq: number }): string {
  const changed = new URLSearchParams(query);
  changed.set('row', keyOf(row));
  // A slash needs no escape in a query, and is easier to read without.
  return `/audit?${changed.toString().replaceAll('%2F', '/')}`;
}

/** A field of an unknown value. */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** What a row is about, without who did it. */
export function aboutOf(row: Row): unknown {
  return field(row.body, 'about') ?? row.body;
}

/** Who decided, otherwise the agent that asked. */
export function who(row: Row): string | undefined {
  return row.approver === undefined ? row.agent : personName(row.approver);
}

/** The decision, if the page has a badge for it. */
export function decisionOf(row: Row): Schemas['Decision'] | undefined {
  const { decision } = row;
  return decision === 'allow' || decision === 'confirm' || decision === 'deny' ? decision : undefined;
}

export interface Day<T> {
  /** Start of the day in local time. */
  at: number;
  entries: T[];
}

/** Entries by day, in their original order. */
export function days<T>(entries: readonly T[], atOf: (entry: T) => string): Day<T>[] {
  const found: Day<T>[] = [];
  for (const entry of entries) {
    const at = new Date(atOf(entry)).setHours(0, 0, 0, 0);
    const last = found.at(-1);
    if (last?.at === at) last.entries.push(entry);
    else found.push({ at, entries: [entry] });
  }
  return found;
}

/** Known values of a field, for autocompletion. */
export function valuesOf(rows: readonly Row[], name: 'tool' | 'agent' | 'approver'): string[] {
  const found = new Set(rows.map((row) => row[name]).filter((value) => value !== undefined));
  return [...found].sort().slice(0, 50);
}

/** Loaded rows before and after a row in its chain. */
export function neighbours(seq: number, chain: Schemas['AuditChain']): { before: number | undefined; after: number | undefined } {
  const first = (chain.removedTo ?? 0) + 1;
  return { before: seq > first ? seq - 1 : undefined, after: seq < chain.last ? seq + 1 : undefined };
}
