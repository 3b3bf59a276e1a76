// The fields of a cited rule, as text.
import type { Schemas } from '../lib/client';

/** Fields that are shown elsewhere, or that do not say what the rule matches. */
const NOT_SHOWN = new Set(['effect', 'priority', 'note', 'id', 'examples', 'description', 'timeout_s', 'on_timeout', 'timeoutS', 'onTimeout']);
const LONGEST = 200;

function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** The rule's fields. Others wrote both names and values. */
export function citedRuleFields(rule: Schemas['CitedRule']): [string, string][] {
  const fields = rule.rule;
  if (typeof fields !== 'object' || fields === null) return [];
  return Object.entries(fields)
    .filter(([name, value]) => !NOT_SHOWN.has(name) && value !== null && value !== undefined)
    .slice(0, 12)
    .map(([name, value]) => [name, valueText(value)]);
}
