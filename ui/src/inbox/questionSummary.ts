// What a question is about, in one line that may be cut.
import { visible } from '../lib/hiddenCharacters';
import type { Question } from '../lib/live.svelte';

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
