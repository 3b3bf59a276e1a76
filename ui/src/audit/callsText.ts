import type { Schemas } from '../lib/client';
import { texts } from '../lib/i18n.svelte';

type Outcome = Schemas['CallOutcome'];

/** Texts of the log by call. */
export const c = texts({
  en: {
    list: 'Calls, newest first',
    more: 'Show older calls',
    allShown: 'No more calls.',
    fresh: (count: number, many: boolean) => (count === 1 ? 'Show 1 new call' : `Show ${count}${many ? ' or more' : ''} new calls`),
    none: 'No matching calls',
    events: 'Events',
    others: (count: number, topics: string) => `${count} other events: ${topics}`,
    topics: { signIns: 'sign-ins', runs: 'runs', agents: 'agents', server: 'server' },
    comma: ', ',
    you: 'you',
    items: (count: number) => (count === 1 ? '(1 item)' : `(${count} items)`),
    fields: (count: number) => (count === 1 ? '(1 field)' : `(${count} fields)`),
    failed: (text: string) => `${text}, failed`,
    outcome(outcome: Outcome, who: string | undefined, time: string | undefined): string {
      const by = who === undefined ? '' : ` by ${who}`;
      const after = time === undefined ? '' : ` in ${time}`;
      const late = time === undefined ? '' : ` after ${time}`;
      switch (outcome) {
        case 'allowed': return 'allowed by a rule';
        case 'denied_by_rule': return 'denied by a rule';
        case 'waiting': return 'waiting for you';
        case 'approved': return `approved${by}${after}`;
        case 'turned_back': return `approved${by}${after}, then refused`;
        case 'denied': return `denied${by}${after}`;
        case 'expired': return `expired${late}`;
        case 'aborted': return `withdrawn${late}`;
      }
    },
  },
  ja: {
    list: '呼び出し（新しい順）',
    more: '古い呼び出しを表示',
    allShown: 'これ以上の呼び出しはありません。',
    fresh: (count: number, many: boolean) => `新しい呼び出し ${count} 件${many ? '以上' : ''}を表示`,
    none: '該当する呼び出しはありません',
    events: '経過',
    others: (count: number, topics: string) => `ほかの記録 ${count} 件：${topics}`,
    topics: { signIns: 'ログイン', runs: '実行', agents: 'エージェント', server: 'サーバー' },
    comma: '、',
    you: 'あなた',
    items: (count: number) => `（${count} 件）`,
    fields: (count: number) => `（${count} 項目）`,
    failed: (text: string) => `${text}、失敗`,
    outcome(outcome: Outcome, who: string | undefined, time: string | undefined): string {
      const by = who === undefined ? '' : `${who} が`;
      const after = time === undefined ? '' : `（${time}）`;
      switch (outcome) {
        case 'allowed': return 'ルールにより許可';
        case 'denied_by_rule': return 'ルールにより拒否';
        case 'waiting': return '回答待ち';
        case 'approved': return `${by}承認${after}`;
        case 'turned_back': return `${by}承認${after}、その後拒否`;
        case 'denied': return `${by}拒否${after}`;
        case 'expired': return `期限切れ${after}`;
        case 'aborted': return `取り下げ${after}`;
      }
    },
  },
});
