// The name of a tool in plain words, and the fields of its input that say what it is about: "Refund payment: 120 EUR".
import { isInput } from './inputJson';

const LONGEST_NAME = 60;

/** `delete_customer` and `deleteCustomer` as "Delete customer"; `undefined` if the name is not made of plain words. */
export function wordsOfName(name: string): string | undefined {
  // The names of Claude Code: mcp__server__tool.
  const own = /^mcp__.+?__(.+)$/.exec(name)?.[1] ?? name;
  if (own.length > LONGEST_NAME || !/^[A-Za-z][A-Za-z0-9]*(?:[_.:-]+[A-Za-z0-9]+)*$/.test(own)) return undefined;
  const words = own.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').replaceAll(/[_.:-]+/g, ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const LONGEST_VALUE = 40;
const MOST = 2;
/** Fields that name what a call is about, in the order in which they say most. */
const TELLING = [/^(?:title|name|subject|full_?name|display_?name)$/i, /(?:^|_)(?:to|email|recipient|channel|phone|url|repo|repository|branch|table|path|file|bucket|database|host|key|slug|query|command)$/i, /(?:^|_|[a-z])(?:id|Id|ID|number|uuid)$/, /^(?:customer|user|account|order|item|record|issue|ticket|project|service|resource|target)$/i];

/** The values that say what a call is about: an amount of money, then a name or an id. */
export function keyFields(input: unknown): string[] {
  if (!isInput(input)) return [];
  const all = scalars(input);
  const money = amountOf(all);
  const told = TELLING.flatMap((pattern) => all.filter(([name]) => pattern.test(name.split('.').at(-1) ?? '')).map(([, value]) => value));
  return [...new Set([...money, ...told])].slice(0, MOST);
}

/** Short texts and numbers, also those of one object inside. */
function scalars(input: Record<string, unknown>, before = ''): [string, string][] {
  return Object.entries(input).slice(0, 40).flatMap(([name, value]): [string, string][] => {
    if (before === '' && isInput(value)) return scalars(value, `${name}.`);
    const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
    return text === '' || text.length > LONGEST_VALUE || /[\n\r]/.test(text) ? [] : [[before + name, text]];
  });
}

function amountOf(all: readonly [string, string][]): string[] {
  const amount = all.find(([name, value]) => /(?:^|[._])(?:amount|total|price|sum)(?:_?(?:cents|usd|eur|jpy))?$/i.test(name) && /^\d[\d.,]*$/.test(value));
  if (amount === undefined) return [];
  const currency = all.find(([name, value]) => /(?:^|[._])currency$/i.test(name) && /^[A-Za-z]{3}$/.test(value))?.[1].toUpperCase();
  const unit = /cents$/i.test(amount[0]) ? ' cents' : '';
  return [`${amount[1]}${unit}${currency === undefined ? '' : ` ${currency}`}`];
}
