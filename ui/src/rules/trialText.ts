import { texts } from '../lib/i18n.svelte';

/** Texts about what a rule would have done to past calls. */
export const tt = texts({
  en: {
    title: 'Effect on past calls',
    none: 'There are no past calls to try it on yet.',
    nothing: (tried: number) => `Of the last ${tried} calls, none would have been decided differently.`,
    changed: (changed: number, tried: number) => `Of the last ${tried} calls, ${changed} would have been decided differently.`,
    matched: (matched: number) => (matched === 1 ? '1 call matches.' : `${matched} calls match.`),
    calls: 'Calls decided differently',
    same: 'Matching calls that stay the same',
    shown: (shown: number, all: number) => `The newest ${shown} of ${all}.`,
    becomes: 'becomes',
    then: 'Decided then:',
    again: 'Recalculate',
  },
  ja: {
    title: 'これまでの呼び出しへの影響',
    none: '試せる過去の呼び出しがまだありません。',
    nothing: (tried: number) => `直近 ${tried} 件の呼び出しで、判定が変わるものはありません。`,
    changed: (changed: number, tried: number) => `直近 ${tried} 件の呼び出しのうち、${changed} 件の判定が変わります。`,
    matched: (matched: number) => `${matched} 件に一致します。`,
    calls: '判定が変わる呼び出し',
    same: '一致するが判定は同じ呼び出し',
    shown: (shown: number, all: number) => `${all} 件のうち新しい ${shown} 件です。`,
    becomes: '→',
    then: '当時の判定：',
    again: '再計算',
  },
});
