import { texts } from '../lib/i18n.svelte';

export const tt = texts({
  en: {
    title: 'What it would have changed',
    none: 'There are no calls in the log to try it on yet.',
    nothing: (tried: number) => `Tried on the last ${tried} calls: it would have changed none.`,
    changed: (changed: number, tried: number) => `Tried on the last ${tried} calls: it would have changed ${changed}.`,
    matched: (matched: number) => (matched === 1 ? '1 call matches.' : `${matched} calls match.`),
    calls: 'Changed calls',
    same: 'Calls that match and stay as they are',
    shown: (shown: number, all: number) => `The newest ${shown} of ${all}.`,
    becomes: 'becomes',
    then: 'Decided then:',
    again: 'Look again',
  },
  ja: {
    title: 'これまでの呼び出しへの影響',
    none: '記録に呼び出しがまだありません。',
    nothing: (tried: number) => `直近 ${tried} 件で試しました。変わる呼び出しはありません。`,
    changed: (changed: number, tried: number) => `直近 ${tried} 件で試しました。${changed} 件の結果が変わります。`,
    matched: (matched: number) => `${matched} 件に一致します。`,
    calls: '結果が変わる呼び出し',
    same: '一致するが結果は同じ呼び出し',
    shown: (shown: number, all: number) => `${all} 件のうち新しい ${shown} 件です。`,
    becomes: '→',
    then: '当時の判定:',
    again: '調べ直す',
  },
});
