// What a question is about, in one line that may be cut.
import { fieldName, textValue } from '../lib/fieldText';
import { visible } from '../lib/hiddenCharacters';
import type { Question } from '../lib/live.svelte';
import { inexact, isInput } from '../question/inputJson';
import { isGraveSwitch } from '../question/graveSwitch';

export interface Clipped {
  text: string;
  /** How many characters were cut off. */
  more: number;
}

/** The start of a text and the number of cut characters, so that a cut text does not look complete. */
export function clipped(text: string, most: number): Clipped {
  // A character may take two UTF-16 units, so this many units hold at least half as many characters.
  const characters = Array.from(text.slice(0, most * 2));
  if (text.length <= most || (characters.length <= most && text.length <= most * 2)) return { text, more: 0 };
  const kept = characters.slice(0, most).join('');
  let more = 0;
  for (let at = kept.length; at < text.length; more += 1) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return { text: kept, more };
}

/** What a question is about, without the tool name, which is shown beside it. */
export function summaryText(question: Pick<Question, 'toolName' | 'serverId' | 'shown'>): string {
  const { toolName, serverId, shown } = question;
  const names = [`${visible(toolName)}: `, ...(serverId === undefined ? [] : [`${visible(serverId)}/${visible(toolName)}: `])];
  const name = names.find((name) => shown.message.startsWith(name) && shown.message.length > name.length);
  return name === undefined ? shown.message : shown.message.slice(name.length);
}

/** A path inside the agent's directory, without that directory. */
export function withoutHome(text: string, home: string | undefined): string {
  const before = home === undefined || home === '' ? undefined : `${visible(home).replace(/\/+$/, '')}/`;
  return before !== undefined && before !== '/' && text.startsWith(before) && text.length > before.length ? text.slice(before.length) : text;
}

/** A field of an input, as a row of the list shows it. */
export interface SummaryField {
  name: string;
  value: string;
  /** It makes the call worse, like `cascade true`. */
  grave?: boolean;
}
export interface SummaryFields {
  fields: SummaryField[];
  /** How many fields were left out. */
  more: number;
}

/** Characters of one value, and of all fields together. */
const LONGEST_VALUE = 60;
const LONGEST_FIELDS = 120;

/** The fields of an input that has no form of its own; `undefined` if the server's message says more. */
export function summaryFields({ input, shown }: Pick<Question, 'input' | 'shown'>): SummaryFields | undefined {
  if (shown.form.form !== 'json' || (shown.titleCode !== undefined && shown.titleCode !== 'run_tool') || !isInput(input) || inexact(input)) return undefined;
  const all = flat(input, shown.danger.level === 'danger');
  if (all.length === 0) return undefined;
  const fields: SummaryField[] = [];
  let room = LONGEST_FIELDS;
  for (const field of all) {
    room -= field.name.length + field.value.length + 3;
    if (room < 0 && fields.length > 0) break;
    fields.push(field);
  }
  return { fields, more: all.length - fields.length };
}

/** The fields with the names of objects in front. Lists and deeper objects are one value. */
function flat(input: Record<string, unknown>, dangerous: boolean, before = ''): SummaryField[] {
  return Object.entries(input).flatMap(([key, value]): SummaryField[] => {
    const name = before + fieldName(key);
    if (before === '' && isInput(value) && Object.keys(value).length > 0) return flat(value, dangerous, `${name}.`);
    return [{ name: brief(visible(name), LONGEST_VALUE / 2), value: brief(visible(valueText(value)), LONGEST_VALUE), ...(dangerous && isGraveSwitch(key, value) && { grave: true }) }];
  });
}

/** A text without quotes, unless it could be mistaken for something else. Other values are JSON. */
function valueText(value: unknown): string {
  return typeof value === 'string' ? textValue(value) : (JSON.stringify(value) ?? '');
}

function brief(text: string, most: number): string {
  const { text: kept, more } = clipped(text, most);
  return more > 0 ? `${kept}…` : kept;
}

/** What a question is about in one plain line, for places that show no fields. */
export function lineText(question: Pick<Question, 'toolName' | 'serverId' | 'shown' | 'input'>): string {
  const found = summaryFields(question);
  return found === undefined ? summaryText(question) : found.fields.map(({ name, value }) => `${name} ${value}`).join(' · ') + (found.more > 0 ? ' …' : '');
}
