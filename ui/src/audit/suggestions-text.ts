import { texts } from '../lib/i18n.svelte';

/** Rules that answers speak for. */
export const s = texts({
  en: {
    intro: 'People answered these the same way again and again, and never otherwise. A rule could answer in their place. Nothing changes until you add it.',
    none: 'No rule suggests itself yet',
    noneText: 'When people have answered the same thing in the same way five times within thirty days, and never otherwise, the rule that would have answered for them is shown here.',
    noneThen: 'What a rule already settles is not shown.',
    covers: 'Covers',
    evidence: (count: string, first: string, last: string) => `${count} equal answers, from ${first} to ${last}`,
    latest: (count: number) => (count === 1 ? 'The latest answer' : `The latest ${count} answers`),
    by: 'by',
    tryIt: 'Try it in the bench',
    tryRule: (index: number) => `Try rule ${index} in the bench`,
    together: (count: number) => `${count} rules, one for each part of the command`,
    allow: (count: string) => `Approved ${count} times`,
    deny: (count: string) => `Denied ${count} times`,
  },
  ja: {
    intro: '人が繰り返し同じ回答をし、一度も違う回答をしなかったものです。ルールが代わりに答えられます。追加するまで何も変わりません。',
    none: 'まだ提案はありません',
    noneText: '30 日以内に同じ質問に 5 回同じ回答があり、違う回答が一度もなければ、代わりに答えるルールをここに提案します。',
    noneThen: 'すでにルールで決まるものは表示しません。',
    covers: '対象',
    evidence: (count: string, first: string, last: string) => `同じ回答 ${count} 件（${first}〜${last}）`,
    latest: (count: number) => `最近の回答 ${count} 件`,
    by: '回答者:',
    tryIt: '判定を試す',
    tryRule: (index: number) => `ルール ${index} の判定を試す`,
    together: (count: number) => `コマンドの各部分に 1 つずつ、計 ${count} 個のルール`,
    allow: (count: string) => `${count} 回承認`,
    deny: (count: string) => `${count} 回拒否`,
  },
});
