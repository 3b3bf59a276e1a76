// Filters of the list of runs: in the address, so that a list can be saved or sent. The server filters by agent and by
// whether a run goes on; the rest is done here, page by page.
import type { Schemas } from '../lib/client';

type RunView = Schemas['RunView'];
type Status = Schemas['RunStatus'];

const HOUR = 3_600_000;
export const SPANS = { '1h': HOUR, '24h': 24 * HOUR, '7d': 7 * 24 * HOUR, '30d': 30 * 24 * HOUR } as const;
export type Span = keyof typeof SPANS | 'any';
export const STATUSES = ['running', 'suspended', 'completed', 'failed', 'aborted'] as const satisfies readonly Status[];

export interface RunFilters {
  text: string;
  agent: string;
  status: Status | '';
  span: Span;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The filters in an address; invalid values are dropped. */
export function runFilters(query: URLSearchParams): RunFilters {
  const agent = query.get('agent') ?? '';
  return {
    text: query.get('text')?.trim() ?? '',
    agent: UUID.test(agent) ? agent : '',
    status: STATUSES.find((status) => status === query.get('state')) ?? '',
    span: (Object.keys(SPANS) as (keyof typeof SPANS)[]).find((span) => span === query.get('span')) ?? 'any',
  };
}

export function isFiltered(filters: RunFilters): boolean {
  return filters.text !== '' || filters.agent !== '' || filters.status !== '' || filters.span !== 'any';
}

/** What the server filters by. */
export function serverQuery(filters: RunFilters): { roots: true; agentId?: string; active?: boolean } {
  const { agent, status } = filters;
  return { roots: true, ...(agent !== '' && { agentId: agent }), ...(status !== '' && { active: status === 'running' || status === 'suspended' }) };
}

/** Whether a run matches what the server does not filter by, its text excepted. */
export function matchesRun(run: RunView, filters: RunFilters, now: number): boolean {
  return (filters.status === '' || run.status === filters.status) && !isTooOld(run, filters, now);
}

/** Whether each word of the search is in what is known of a run: its task among it. */
export function matchesText(run: RunView, { text }: RunFilters, task: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== '');
  const told = [task, run.agentName, run.model, run.workspace ?? '', run.id, run.error ?? '', ...run.pending.map((call) => call.toolName)].join('\n').toLowerCase();
  return words.every((word) => told.includes(word));
}

/** Whether this run, and all that come after it in the list, are older than the filter allows. */
export function isTooOld(run: RunView, filters: RunFilters, now: number): boolean {
  return filters.span !== 'any' && Date.parse(run.createdAt) < now - SPANS[filters.span];
}
