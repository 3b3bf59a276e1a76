// Filters of the log: parsed from the URL, and as a query for the server.
import type { Schemas } from '../lib/client';

export const KINDS = ['verdict', 'question', 'outcome', 'claim', 'execution', 'rules', 'trust', 'token', 'upkeep', 'checkpoint'] as const satisfies readonly Schemas['RecordKind'][];
/** Any kind of row; other parts of the server add their own, such as `agent.run_started`. */
const KIND = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?$/;
export const DECISIONS = ['allow', 'confirm', 'deny'] as const satisfies readonly Schemas['Decision'][];

const HOUR = 3_600_000;
/** Presets that end now, in milliseconds. */
export const TIME_RANGES = { '1h': HOUR, '24h': 24 * HOUR, '7d': 7 * 24 * HOUR, '30d': 30 * 24 * HOUR } as const;
export type Preset = keyof typeof TIME_RANGES;
export type TimeRange = Preset | 'custom' | 'all';

/** An empty field does not filter. */
export interface Filters {
  text: string;
  tool: string;
  agent: string;
  approver: string;
  approval: string;
  decision: Schemas['Decision'] | '';
  kind: Schemas['RecordKind'] | '';
  span: TimeRange;
  /** Bounds of a custom range, RFC 3339. */
  from: string;
  to: string;
}

/** Filters besides the time range. */
export const FIELDS = ['text', 'tool', 'agent', 'approver', 'approval', 'decision', 'kind'] as const;
export type Field = (typeof FIELDS)[number];

/** Parameters of search and export. */
export type FilterQuery = Partial<Record<'text' | 'tool' | 'agent' | 'approver' | 'approval' | 'from' | 'to', string>> & {
  decision?: Schemas['Decision'];
  kind?: Schemas['RecordKind'];
};

function oneOf<T extends string>(known: readonly T[], told: string | null): T | '' {
  return known.find((name) => name === told) ?? '';
}

function momentOf(told: string | null): string {
  const at = Date.parse(told ?? '');
  return Number.isFinite(at) ? new Date(at).toISOString() : '';
}

/** The filters in a URL; invalid values are dropped. */
export function filtersOf(query: URLSearchParams): Filters {
  const said = (name: string): string => query.get(name)?.trim() ?? '';
  const from = momentOf(query.get('from'));
  const to = momentOf(query.get('to'));
  const preset = oneOf(Object.keys(TIME_RANGES) as Preset[], query.get('span'));
  const own = from !== '' || to !== '' || query.get('span') === 'custom';
  return {
    text: said('text'),
    tool: said('tool'),
    agent: said('agent'),
    approver: said('approver'),
    approval: said('approval'),
    decision: oneOf(DECISIONS, query.get('decision')),
    kind: KIND.test(said('kind')) ? said('kind') : '',
    span: preset !== '' ? preset : own ? 'custom' : 'all',
    from: preset === '' ? from : '',
    to: preset === '' ? to : '',
  };
}

/** Bounds of the range relative to `now`; open ends are left out. */
export function bounds(filters: Filters, now: number): { from?: string; to?: string } {
  if (filters.span === 'all') return {};
  if (filters.span !== 'custom') return { from: new Date(now - TIME_RANGES[filters.span]).toISOString() };
  return { ...(filters.from !== '' && { from: filters.from }), ...(filters.to !== '' && { to: filters.to }) };
}

/** Parameters for the server. */
export function filterQuery(filters: Filters, now: number): FilterQuery {
  const named = FIELDS.filter((field) => filters[field] !== '').map((field) => [field, filters[field]]);
  return { ...(Object.fromEntries(named) as FilterQuery), ...bounds(filters, now) };
}

/** Whether a custom range ends before it begins. */
export function isReversed(filters: Filters): boolean {
  return filters.span === 'custom' && filters.from !== '' && filters.to !== '' && filters.from >= filters.to;
}

/** Fields that filter, without the time range. */
export function activeFields(filters: Filters): Field[] {
  return FIELDS.filter((field) => filters[field] !== '');
}

/** URL change for another range. A custom range starts with the bounds of the previous one. */
export function spanChange(filters: Filters, span: TimeRange, now: number): Record<'span' | 'from' | 'to', string | undefined> {
  if (span === 'all') return { span: undefined, from: undefined, to: undefined };
  if (span !== 'custom') return { span, from: undefined, to: undefined };
  const ms = filters.span === 'all' || filters.span === 'custom' ? TIME_RANGES['24h'] : TIME_RANGES[filters.span];
  return { span, from: new Date(now - ms).toISOString(), to: new Date(now).toISOString() };
}

/** A moment as the value of a `datetime-local` input, in local time. */
export function toField(at: string): string {
  if (at === '') return '';
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function fromField(value: string): string | undefined {
  return momentOf(value) || undefined;
}

/** Link to the log with only these filters. */
export function auditHref(query: Record<string, string>): string {
  const search = new URLSearchParams(query).toString();
  return search === '' ? '/audit' : `/audit?${search}`;
}
