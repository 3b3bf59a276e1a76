// What a proposed rule also allows: the server's codes as sentences with untrusted parts
// set off. Without known codes the server's own sentence is shown.
import { i18n } from '../lib/i18n.svelte';
import type { Schemas } from '../lib/client';
import type { TextPart } from './reasonText';

type AlsoAllowed = Schemas['AlsoAllowed'];
type Code = AlsoAllowed['code'];
/** Text and untrusted fields. */
type Clause = readonly (string | { readonly field: string })[];
interface Sentence {
  en: Clause;
  ja: Clause;
  /** The sentence for several items, which are listed after it. */
  several?: { en: string; ja: string };
}

/** What a rule allows, as texts and codes. */
export type AlsoAllowedSource = Pick<Schemas['Proposal'], 'also' | 'alsoCodes'>;

/** A sentence and its list, if it has one. */
export interface AlsoAllowedText {
  bits: TextPart[];
  list: string[];
}

/** Items of a list shown before "show all". */
export const LISTED = 40;

const the = (field: string): { field: string } => ({ field });

/** Kinds of file access. */
const ACCESS: Record<Schemas['PathAccess'], { en: string; ja: string }> = {
  read: { en: 'Reading', ja: '読み取り' },
  search: { en: 'Searching', ja: '検索' },
  delete: { en: 'Deleting', ja: '削除' },
  edit: { en: 'Editing', ja: '編集' },
  write: { en: 'Writing anything to', ja: '書き込み' },
};

/** Sentences by code. */
export const SENTENCES: Record<Code, Sentence> = {
  commands_beginning: {
    en: ['Every command that starts with ', the('command'), ', with any options, in any directory.'],
    ja: [the('command'), ' で始まるすべてのコマンド（オプションやディレクトリは問いません）'],
    several: { en: 'Every command that starts with one of these, with any options, in any directory:', ja: '次のいずれかで始まるすべてのコマンド（オプションやディレクトリは問いません）：' },
  },
  commands_like: {
    en: ['Every command of the form ', the('command'), ', where ', '*', ' is any text, options too, in any directory.'],
    ja: [the('command'), ' の形のすべてのコマンド（* はオプションを含む任意の文字列。ディレクトリは問いません）'],
  },
  command_alone: {
    en: ['Only ', the('command'), ', in any directory, even if files it uses have changed.'],
    ja: [the('command'), ' だけ（ディレクトリは問いません。使うファイルの内容が変わっていてもかまいません）'],
    several: { en: 'Only these, in any directory, even if files they use have changed:', ja: '次のものだけ（ディレクトリは問いません。使うファイルの内容が変わっていてもかまいません）：' },
  },
  files_below: {
    en: [the('access'), ' every file in ', the('path'), ' and its subdirectories.'],
    ja: [the('path'), ' の下にあるすべてのファイルの', the('access')],
  },
  path: {
    en: [the('access'), ' ', the('path'), ', and everything in it if it is a directory.'],
    ja: [the('path'), ' の', the('access'), '（ディレクトリならその中もすべて）'],
  },
  host: {
    en: ['Every address on ', the('host'), ', whatever the request.'],
    ja: ['ホスト ', the('host'), ' のすべてのアドレス（内容は問いません）'],
  },
  skill: {
    en: ['Loading the skill ', the('skill'), ', even if it has changed.'],
    ja: ['スキル ', the('skill'), ' の読み込み（内容が変わっていてもかまいません）'],
  },
  server_tool_input: {
    en: ['Only ', the('tool'), ' on the server ', the('server'), ' with exactly this input.'],
    ja: ['サーバー ', the('server'), ' の ', the('tool'), ' の、この入力とまったく同じ呼び出しだけ'],
  },
  tool_input: {
    en: ['Only ', the('tool'), ' with exactly this input.'],
    ja: [the('tool'), ' の、この入力とまったく同じ呼び出しだけ'],
  },
  server_tool: {
    en: ['Every call to ', the('tool'), ' on the server ', the('server'), ', with any input.'],
    ja: ['サーバー ', the('server'), ' の ', the('tool'), ' のすべての呼び出し（入力は問いません）'],
  },
  known_tool: {
    en: ['Every call to ', the('tool'), ', whatever an agent calls it, with any input.'],
    ja: [the('tool'), ' のすべての呼び出し（エージェントごとの別名も含み、入力は問いません）'],
  },
  tool_named: {
    en: ['Every call to a tool named ', the('tool'), ', including MCP tools, with any input.'],
    ja: [the('tool'), ' という名前のツールのすべての呼び出し（MCP サーバーのものも含み、入力は問いません）'],
  },
};

/** What is allowed, translated and grouped by kind. */
export function alsoAllowedTexts({ also, alsoCodes = [] }: AlsoAllowedSource): AlsoAllowedText[] {
  if (alsoCodes.length === 0 || alsoCodes.some(({ code }) => !Object.hasOwn(SENTENCES, code))) return [{ bits: [{ text: also, as: 'english' }], list: [] }];
  return [...new Set(alsoCodes.map(({ code }) => code))].flatMap((code): AlsoAllowedText[] => {
    const [sentence, alike] = [SENTENCES[code], alsoCodes.filter((one) => one.code === code)];
    if (alike.length > 1 && sentence.several !== undefined) return [{ bits: [{ text: sentence.several[i18n.locale] }], list: alike.map((one) => ('command' in one ? one.command : '')) }];
    return alike.map((one) => ({ bits: sentence[i18n.locale].map((part) => bitOf(part, one)), list: [] }));
  });
}

/** Length of its longest list. */
export function listed(told: AlsoAllowedSource): number {
  return Math.max(0, ...alsoAllowedTexts(told).map(({ list }) => list.length));
}

function bitOf(part: Clause[number], also: AlsoAllowed): TextPart {
  if (typeof part === 'string') return part === '*' ? { text: part, as: 'code' } : { text: part };
  if (part.field === 'access' && 'access' in also) return { text: ACCESS[also.access][i18n.locale] };
  return { text: String((also as Record<string, unknown>)[part.field] ?? ''), as: 'code' };
}
