// Fields of a cited rule as written.
import type { Schemas } from '../lib/client';

/** Fields that are shown elsewhere, or that do not say what the rule matches. */
const BESIDE = new Set(['effect', 'priority', 'note', 'id', 'examples', 'description', 'timeout_s', 'on_timeout', 'timeoutS', 'onTimeout']);
const LONGEST = 200;

function told(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** The rule's fields. Others wrote both names and values. */
export function writtenRule(rule: Schemas['CitedRule']): [string, string][] {
  const written = rule.rule;
  if (typeof written !== 'object' || written === null) return [];
  return Object.entries(written)
    .filter(([name, value]) => !BESIDE.has(name) && value !== null && value !== undefined)
    .slice(0, 12)
    .map(([name, value]) => [name, told(value)]);
}
