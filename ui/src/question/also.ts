// What a proposed rule lets through besides the call at hand. The server says it in English, in sentences that are known
// here: they are said again in the page's words, and what others wrote is set off. What is not known is shown as it came.
import { i18n } from '../lib/i18n.svelte';
import type { Bit } from './reasonTexts';

/** Text, and the places of what others wrote, by their order in the server's sentence. */
type Clause = readonly (string | number)[];
interface Known {
  said: Clause;
  en: Clause;
  ja: Clause;
  /** The same of several, which are listed behind it. */
  several?: { en: string; ja: string };
}

/** A sentence, and what it is about where that is a list. */
export interface Also {
  bits: Bit[];
  list: string[];
}

/** So many of a list are shown before one asks for all of it. */
export const LISTED = 40;

/** What is done to a path. */
const DOINGS: readonly (readonly [said: string, en: string, ja: string])[] = [
  ['reading', 'Reading', '読み取り'],
  ['searching', 'Searching', '検索'],
  ['deleting', 'Deleting', '削除'],
  ['any edit of', 'Any edit of', '編集'],
  ['writing anything to', 'Writing anything to', '書き込み'],
];

const KNOWN: readonly Known[] = [
  {
    said: ['every command that begins with `', 0, '`, with any options and operands, in any directory'],
    en: ['Every command that begins with ', 0, ', with any options, in any directory.'],
    ja: [0, ' で始まるすべてのコマンド（オプションやディレクトリは問いません）'],
    several: { en: 'Every command that begins with one of these, with any options, in any directory:', ja: '次のいずれかで始まるすべてのコマンド（オプションやディレクトリは問いません）：' },
  },
  {
    said: ['every command of the form `', 0, '`, where `*` is any text, options included, in any directory'],
    en: ['Every command of the form ', 0, ', where ', '*', ' is any text, options too, in any directory.'],
    ja: [0, ' の形のすべてのコマンド（* はオプションを含む任意の文字列。ディレクトリは問いません）'],
  },
  {
    said: ['`', 0, '` and nothing else, in any directory, whatever the files it uses then hold'],
    en: ['Only ', 0, ', in any directory, even when files it uses have changed.'],
    ja: [0, ' だけ（ディレクトリは問いません。使うファイルの内容が変わっていてもかまいません）'],
    several: { en: 'Only these, in any directory, even when files they use have changed:', ja: '次のものだけ（ディレクトリは問いません。使うファイルの内容が変わっていてもかまいません）：' },
  },
  ...DOINGS.flatMap(([said, en, ja]): Known[] => [
    { said: [`${said} every file below \``, 0, '`'], en: [`${en} every file below `, 0, '.'], ja: [0, ` の下にあるすべてのファイルの${ja}`] },
    {
      said: [`${said} \``, 0, '`, and what is below it if it is a directory'],
      en: [`${en} `, 0, ', and what is below it if it is a directory.'],
      ja: [0, ` の${ja}（ディレクトリならその中もすべて）`],
    },
  ]),
  {
    said: ['every address of the host `', 0, '`, whatever is asked of it'],
    en: ['Every address of ', 0, ', whatever is asked of it.'],
    ja: ['ホスト ', 0, ' のすべてのアドレス（内容は問いません）'],
  },
  {
    said: ['loading the skill `', 0, '`, whatever it then says'],
    en: ['Loading the skill ', 0, ', whatever it says by then.'],
    ja: ['スキル ', 0, ' の読み込み（内容が変わっていてもかまいません）'],
  },
  {
    said: ['every call of `', 0, '` of the server `', 1, '`, with any input'],
    en: ['Every call of ', 0, ' of the server ', 1, ', with any input.'],
    ja: ['サーバー ', 1, ' の ', 0, ' のすべての呼び出し（入力は問いません）'],
  },
  {
    said: ['every call of `', 0, '` and of what other agents call it, with any input'],
    en: ['Every call of ', 0, ', whatever an agent calls it, with any input.'],
    ja: [0, ' のすべての呼び出し（エージェントごとの別名も含み、入力は問いません）'],
  },
  {
    said: ['every call of a tool named `', 0, "`, an MCP server's included, with any input"],
    en: ['Every call of a tool named ', 0, ', also one of an MCP server, with any input.'],
    ja: [0, ' という名前のツールのすべての呼び出し（MCP サーバーのものも含み、入力は問いません）'],
  },
];

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const PATTERNS = KNOWN.map(({ said }) => new RegExp(`^${said.map((part) => (typeof part === 'number' ? '(.+?)' : escaped(part))).join('')}(?:; |$)`, 's'));

/** The clauses of a sentence, and what others wrote in each. Nothing where one of them is not known. */
function clauses(also: string): { known: Known; words: string[] }[] | undefined {
  const found: { known: Known; words: string[] }[] = [];
  let rest = also;
  while (rest !== '') {
    const at = PATTERNS.findIndex((pattern) => pattern.test(rest));
    const [known, match] = [KNOWN[at], PATTERNS[at]?.exec(rest)];
    if (known === undefined || match == null) return undefined;
    found.push({ known, words: match.slice(1) });
    rest = rest.slice(match[0].length);
  }
  return found;
}

/** What is let through, in the page's language; what is of one kind together. */
export function alsoOf(also: string): Also[] {
  const found = clauses(also);
  if (found === undefined) return [{ bits: [{ text: also, as: 'english' }], list: [] }];
  return [...new Set(found.map(({ known }) => known))].flatMap((known): Also[] => {
    const alike = found.filter((clause) => clause.known === known);
    if (alike.length > 1 && known.several !== undefined) return [{ bits: [{ text: known.several[i18n.locale] }], list: alike.map(({ words }) => words[0] ?? '') }];
    return alike.map(({ words }) => ({ bits: known[i18n.locale].map((part) => bitOf(part, words)), list: [] }));
  });
}

/** How many are in the longest list of it. */
export function listed(also: string): number {
  return Math.max(0, ...alsoOf(also).map(({ list }) => list.length));
}

function bitOf(part: string | number, words: readonly string[]): Bit {
  if (typeof part === 'number') return { text: words[part] ?? '', as: 'code' };
  return part === '*' ? { text: part, as: 'code' } : { text: part };
}
