import { texts } from '../lib/i18n.svelte';

/** What became of something, in a line of the log. */
export const s = texts({
  en: {
    told: 'the caller was told',
    letThrough: 'the caller was told that it may run',
    finished: 'finished',
    failed: 'failed',
    approved: (by: string) => `approved by ${by}`,
    denied: (by: string) => `denied by ${by}`,
    expired: 'nobody answered in time',
    left: 'the caller went away',
    added: 'Rule added',
    changed: 'Rule changed',
    removed: 'Rule removed',
    remembered: { session: 'Remembered for a conversation', project: 'Remembered for a project', global: 'Remembered everywhere' },
  },
  ja: {
    told: '呼び出し元に伝えました',
    letThrough: '実行してよいと呼び出し元に伝えました',
    finished: '完了',
    failed: '失敗',
    approved: (by: string) => `${by} が承認`,
    denied: (by: string) => `${by} が拒否`,
    expired: '時間内に回答がありませんでした',
    left: '呼び出し元がいなくなりました',
    added: 'ルールを追加',
    changed: 'ルールを変更',
    removed: 'ルールを削除',
    remembered: { session: '会話に記憶', project: 'プロジェクトに記憶', global: '全体に記憶' },
  },
});
