// Tests any call against the rules without running it.
import type { Schemas } from '../lib/client';
import { type Fields } from './draft';
import { type CallForm, fieldsIn } from './linkParams';
import type { Item, Source } from './listing';

export type Call = Pick<Schemas['Decide'], 'toolName' | 'input' | 'serverId' | 'agentId' | 'cwd'> & { namesProven?: boolean };
export type CallFormError = 'tool' | 'json' | 'object' | 'cwd';
type Cited = Schemas['CitedRule'];

/** The typed call, or why it is not a call yet; `undefined` while nothing is typed. */
export function callOf(typed: CallForm): { call: Call } | { fault: CallFormError } | undefined {
  if (typed.quick) {
    return typed.command.trim() === '' ? undefined : { call: { toolName: 'bash', input: { command: typed.command } } };
  }
  if (typed.tool.trim() === '') {
    return typed.input.trim() === '' && typed.server.trim() === '' ? undefined : { fault: 'tool' };
  }
  let input: unknown = {};
  if (typed.input.trim() !== '') {
    try {
      input = JSON.parse(typed.input);
    } catch {
      return { fault: 'json' };
    }
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return { fault: 'object' };
  const cwd = typed.cwd.trim();
  if (cwd !== '' && !cwd.startsWith('/')) return { fault: 'cwd' };
  const call: Call = { toolName: typed.tool.trim(), input: input as Record<string, unknown> };
  if (typed.server.trim() !== '') call.serverId = typed.server.trim();
  if (typed.agent.trim() !== '') call.agentId = typed.agent.trim();
  if (cwd !== '') call.cwd = cwd;
  if (typed.proven && (call.serverId != null || call.agentId != null)) call.namesProven = true;
  return { call };
}

/** Switches between one line and all fields, and keeps as much of what was typed as possible. */
export function toggleQuick(typed: CallForm): CallForm {
  if (typed.quick) {
    const same = commandIn(typed.input) === typed.command && typed.tool !== '';
    const input = same ? typed.input : typed.command === '' ? typed.input : JSON.stringify({ command: typed.command }, null, 2);
    return { ...typed, quick: false, tool: typed.tool || 'bash', input };
  }
  return { ...typed, quick: true, command: commandIn(typed.input) ?? typed.command };
}

function commandIn(input: string): string | undefined {
  try {
    const read = JSON.parse(input) as { command?: unknown } | null;
    return typeof read?.command === 'string' ? read.command : undefined;
  } catch {
    return undefined;
  }
}

/** The fields of a rule that a verdict cites, under the names that the page uses. */
export function citedFields(cited: Cited): Fields {
  return typeof cited.rule === 'object' && cited.rule !== null ? fieldsIn(cited.rule as Record<string, unknown>) : {};
}

/** Where a cited rule comes from, under the name that the list uses. */
export function sourceOf(cited: Cited): Source {
  return cited.layer === 'built_in' ? 'built-in' : cited.layer;
}

/** A key that is equal for different spellings of the same rule. */
function key(effect: string, rule: Fields): string {
  const all = Object.entries({ ...rule, priority: rule.priority ?? 0 }).filter(([, value]) => value !== undefined);
  return JSON.stringify([effect, ...all.sort(([a], [b]) => (a < b ? -1 : 1))]);
}

/** The cited rule in the list; `undefined` if it belongs to a session or no longer exists. */
export function itemOf(cited: Cited, items: readonly Item[]): Item | undefined {
  if (cited.id !== undefined) {
    const known = items.find((item) => item.id === cited.id);
    if (known !== undefined) return known;
  }
  const here = items.filter((item) => item.source === sourceOf(cited));
  const placed = here.filter((item) => item.file === cited.source && item.line === cited.line);
  const wanted = key(cited.effect, citedFields(cited));
  return (placed.length > 0 ? placed : here).find((item) => key(item.effect, item.rule) === wanted) ?? placed[0];
}

const RANK: Record<Schemas['Outcome'], number> = {
  decided: 0, limited: 1, outranked: 2, not_evaluated: 3, unproven: 4, cannot_loosen: 5, expired: 6,
};

/** The rules considered for a call: first those that decided, then the others, closest first. */
export function ranked(considered: readonly Schemas['Considered'][]): Schemas['Considered'][] {
  return [...considered].sort((a, b) => RANK[a.outcome] - RANK[b.outcome] || b.rule.priority - a.rule.priority);
}

/** The id under which a verdict cites the draft rule. */
export function draftId(replaces: string | undefined): string {
  return replaces ?? '00000000-0000-0000-0000-000000000000';
}

/** Whether a rule was considered for the call. */
export function wasConsidered(decided: Schemas['Decided'], id: string): boolean {
  return (decided.considered ?? []).some(({ rule }) => rule.id === id);
}
