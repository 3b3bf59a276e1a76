// Which rules are shown, and in which order.
import type { Schemas } from '../lib/client';
import type { Effect } from './draft';

export type Item = Schemas['RuleItem'];
export type Source = Schemas['RuleSource'];

export const SOURCES: readonly Source[] = ['managed', 'global', 'project', 'database', 'session', 'built-in'];
export const EFFECTS: readonly Effect[] = ['allow', 'confirm', 'deny'];
export const KEYS = ['priority', 'effect', 'tool', 'server', 'source', 'hits', 'lastHit', 'updated'] as const;
export type Key = (typeof KEYS)[number];

export interface ListQuery {
  key: Key;
  /** Whether the order is the reverse of the usual one. */
  reversed: boolean;
  effect: Effect | undefined;
  source: Source | undefined;
  text: string;
  /** Whether built-in rules are shown as well. */
  builtIn: boolean;
}

function one<T extends string>(all: readonly T[], value: string | null): T | undefined {
  return all.find((known) => known === value);
}

/** The list that the URL asks for. Invalid parameters are ignored. */
export function listQuery(query: URLSearchParams): ListQuery {
  const sort = query.get('sort') ?? '';
  const source = one(SOURCES, query.get('source'));
  return {
    key: one(KEYS, sort.replace(/^-/, '')) ?? 'priority',
    reversed: sort.startsWith('-'),
    effect: one(EFFECTS, query.get('effect')),
    source,
    text: query.get('text') ?? '',
    builtIn: source === 'built-in' || query.get('builtin') === '1',
  };
}

/** The sort order as a URL parameter. */
export function sortParam(key: Key, turned: boolean): string | undefined {
  return key === 'priority' && !turned ? undefined : `${turned ? '-' : ''}${key}`;
}

const STRICT: Record<Effect, number> = { deny: 0, confirm: 1, allow: 2 };
const tool = (item: Item): string => (item.rule.tool ?? item.rule.toolPattern ?? '').toLowerCase();

const byText = (a: string, b: string): number => (a === b ? 0 : a === '' ? 1 : b === '' ? -1 : a < b ? -1 : 1);

/**
 * The order in which rules decide: built-in rules come after every priority, and stricter effects come first.
 */
function deciding(a: Item, b: Item): number {
  return (
    Number(a.source === 'built-in') - Number(b.source === 'built-in') || b.priority - a.priority || STRICT[a.effect] - STRICT[b.effect]
  );
}

const ORDERS: Record<Key, (a: Item, b: Item) => number> = {
  priority: deciding,
  effect: (a, b) => STRICT[a.effect] - STRICT[b.effect],
  tool: (a, b) => byText(tool(a), tool(b)),
  server: (a, b) => byText(a.rule.server ?? '', b.rule.server ?? ''),
  source: (a, b) => SOURCES.indexOf(a.source) - SOURCES.indexOf(b.source),
  hits: (a, b) => b.hits - a.hits,
  lastHit: (a, b) => Date.parse(b.lastHit ?? '1970-01-01') - Date.parse(a.lastHit ?? '1970-01-01'),
  updated: (a, b) => Date.parse(b.updatedAt ?? '1970-01-01') - Date.parse(a.updatedAt ?? '1970-01-01'),
};

export function sorted(items: readonly Item[], key: Key, turned: boolean): Item[] {
  const order = ORDERS[key];
  const way = turned ? -1 : 1;
  // Equal ones are in the order in which they decide, so that no row moves without a reason; the sort is
  // stable.
  return [...items].sort((a, b) => way * order(a, b) || deciding(a, b) || byText(tool(a), tool(b)));
}

/** All text of a rule that can be searched for. */
export function wordsOf(item: Item): string {
  const { rule } = item;
  const examples = [...(rule.examples?.match ?? []), ...(rule.examples?.notMatch ?? [])];
  const found = [
    item.id, item.source, item.effect, item.file, item.createdBy, rule.server, rule.tool, rule.toolPattern, rule.agent, rule.command,
    rule.commandGlob, rule.skillName, rule.input, rule.path, rule.host, rule.note, ...examples.map((example) => JSON.stringify(example)),
  ];
  return found.filter((word) => word !== undefined).join('\n').toLowerCase();
}

export interface VisibleRules {
  items: Item[];
  /** Built-in rules that the filters would show, if they were not folded away. */
  folded: number;
}

/** The rules to show. Every word of the search text must occur in the rule. */
export function visibleRules(all: readonly Item[], wanted: ListQuery): VisibleRules {
  const words = wanted.text.toLowerCase().split(/\s+/).filter((word) => word !== '');
  const fits = all.filter((item) => {
    if (wanted.effect !== undefined && item.effect !== wanted.effect) return false;
    if (wanted.source !== undefined && item.source !== wanted.source) return false;
    if (words.length === 0) return true;
    const text = wordsOf(item);
    return words.every((word) => text.includes(word));
  });
  const own = wanted.builtIn ? fits : fits.filter((item) => item.source !== 'built-in');
  return { items: sorted(own, wanted.key, wanted.reversed), folded: fits.length - own.length };
}

/** Whether there is any rule that is not built in. */
export function hasUserRules(all: readonly Item[]): boolean {
  return all.some((item) => item.source !== 'built-in');
}
