// What a row says, in one line: in the page's words where what happened is known, else in the server's, as recorded.
import { i18n } from '../lib/i18n.svelte';
import { personName } from '../lib/names';
import { type Cited, type Reason, reasonText } from '../question/reason';
import { writtenRule } from '../question/rule';
import { t as q } from '../question/text';
import { t as page } from '../text';
import { type Row, aboutOf, field } from './rows';
import { s } from './said-text';

export interface Said {
  text: string;
  /** In which language it is, where that is not the page's. */
  lang: 'en' | undefined;
}

/** The sentences of the record that are met most, and the same in Japanese. */
const JAPANESE: readonly (readonly [RegExp, string])[] = [
  [/^token `(.*)` made$/s, 'トークン「$1」を作成'],
  [/^token `(.*)` revoked$/s, 'トークン「$1」を取り消し'],
  [/^token `(.*)` signed in by a link$/s, 'トークン「$1」がリンクでログイン'],
  [/^a link to sign in `(.*)` as (\w+) was made$/s, '「$1」（$2）のログイン用リンクを作成'],
  [/^a policy file changed$/, 'ルールのファイルが変更されました'],
  [/^`(.*)` trusted by (.*)$/s, '$2 が「$1」を信頼'],
  [/^`(.*)` is no longer trusted, by (.*)$/s, '$2 が「$1」の信頼を解除'],
  [/^(\d+) raw inputs of calls that ended before (\S+) are forgotten$/, '$2 より前に終わった呼び出しの入力 $1 件を消去'],
  [/^raw inputs of calls that ended before (\S+) are forgotten$/, '$1 より前に終わった呼び出しの入力を消去'],
  [/^rows from before (\S+) are removed$/, '$1 より前の行を削除'],
  [/^checkpoint over (\d+) chains$/, '$1 本のチェーンのチェックポイント'],
];

/** One line: a question by what was asked, everything else by what came of it. */
export function said(row: Row): Said {
  const own = (text: string | undefined): Said | undefined => (text === undefined ? undefined : { text, lang: undefined });
  return own(ownWords(row)) ?? recordedWords(row);
}

function ownWords(row: Row): string | undefined {
  const about = aboutOf(row);
  switch (row.kind) {
    case 'question': {
      const message = field(about, 'message');
      return typeof message === 'string' && message !== '' ? withoutTool(row, message) : undefined;
    }
    case 'verdict':
      return verdictText(about);
    case 'outcome':
      return outcomeText(row, about);
    case 'claim':
      return row.text === 'told' ? s.told : row.text === 'let through' ? s.letThrough : undefined;
    case 'execution':
      return row.text === 'finished' ? s.finished : row.text === 'failed' ? s.failed : undefined;
    case 'rules':
      return ruleText(row, about);
    default:
      return undefined;
  }
}

/** As it was recorded; in Japanese where the sentence is known. */
function recordedWords(row: Row): Said {
  const text = withoutTool(row, row.text);
  if (i18n.locale === 'en') return { text, lang: undefined };
  const known = JAPANESE.find(([pattern]) => pattern.test(text));
  return known === undefined ? { text, lang: 'en' } : { text: text.replace(known[0], known[1]), lang: undefined };
}

/** The tool has a place of its own. */
function withoutTool(row: Row, text: string): string {
  const tool = row.tool === undefined ? '' : `${row.tool}: `;
  return tool !== '' && text.startsWith(tool) ? text.slice(tool.length) : text;
}

/** The first reason. What stands in a record is what somebody wrote: anything odd is shown as it was recorded. */
function verdictText(about: unknown): string | undefined {
  const [reasons, rules] = [field(about, 'reasons'), field(about, 'rules')];
  if (!Array.isArray(reasons) || !Array.isArray(rules) || typeof field(reasons[0], 'code') !== 'string') return undefined;
  try {
    const text = reasonText(reasons[0] as Reason, rules as Cited[]);
    return text === '' ? undefined : text;
  } catch {
    return undefined;
  }
}

function outcomeText(row: Row, about: unknown): string | undefined {
  const state = field(about, 'state');
  const reason = field(about, 'reason');
  const because = typeof reason === 'string' && reason !== '' ? `: ${reason}` : '';
  const by = row.approver === undefined ? undefined : personName(row.approver);
  if ((state === 'approved' || state === 'denied') && by !== undefined) return s[state](by) + because;
  if (state === 'expired') return s.expired;
  return row.text === 'aborted: the caller went away' ? s.left : undefined;
}

/** What was done to a rule, and which it is: nobody knows them by their ids. */
function ruleText(row: Row, about: unknown): string | undefined {
  const done = /^\w+ rule \S+ (added|changed|removed) by /.exec(row.text)?.[1] as 'added' | 'changed' | 'removed' | undefined;
  const effect = field(about, 'effect');
  const rules = done === undefined ? field(about, 'rules') : [field(about, 'rule')];
  const scope = field(about, 'scope');
  if (!Array.isArray(rules) || rules.length === 0 || (effect !== 'allow' && effect !== 'confirm' && effect !== 'deny')) return undefined;
  const which = rules.map((rule: unknown) => writtenRule({ rule } as Cited).map(([name, value]) => `${q.ruleField[name] ?? name} ${value}`).join(', ')).join('; ');
  if (done !== undefined) return `${s[done]}: ${page[effect]} · ${which}`;
  return scope === 'session' || scope === 'project' || scope === 'global' ? `${s.remembered[scope]}: ${page[effect]} · ${which}` : undefined;
}
