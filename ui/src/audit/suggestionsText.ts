import { texts } from '../lib/i18n.svelte';

/** Texts about suggested rules. */
export const s = texts({
  en: {
    intro: 'People always gave these calls the same answer. A rule could answer instead. Nothing changes until you add it.',
    none: 'No suggestions yet',
    noneText: 'When people have given the same answer five times within 30 days, and never a different one, the matching rule is suggested here.',
    noneThen: 'Calls that a rule already decides are not listed.',
    covers: 'Covers',
    evidence: (count: string, first: string, last: string) => `${count} identical answers, from ${first} to ${last}`,
    latest: (count: number) => (count === 1 ? 'The latest answer' : `The latest ${count} answers`),
    by: 'by',
    tryIt: 'Try it',
    tryRule: (index: number) => `Try rule ${index}`,
    together: (count: number) => `${count} rules, one for each part of the command`,
    allow: (count: string) => `Approved ${count} times`,
    deny: (count: string) => `Denied ${count} times`,
  },
  ja: {
    intro: '人が毎回同じ回答をした呼び出しです。ルールに任せることができます。追加するまで何も変わりません。',
    none: 'まだ提案はありません',
    noneText: '30 日以内に同じ回答が 5 回あり、違う回答が一度もない場合に、対応するルールをここで提案します。',
    noneThen: 'すでにルールで決まる呼び出しは表示しません。',
    covers: '対象',
    evidence: (count: string, first: string, last: string) => `同じ回答 ${count} 件（${first}〜${last}）`,
    latest: (count: number) => `最近の回答 ${count} 件`,
    by: '回答者：',
    tryIt: '判定を試す',
    tryRule: (index: number) => `ルール ${index} の判定を試す`,
    together: (count: number) => `コマンドの各部分に 1 つずつ、計 ${count} 個のルール`,
    allow: (count: string) => `${count} 回承認`,
    deny: (count: string) => `${count} 回拒否`,
  },
});
