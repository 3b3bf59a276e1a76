import { texts } from '../lib/i18n.svelte';

/** Texts about changes of rules. */
export const s = texts({
  en: {
    rule_added: 'Rule added',
    rule_changed: 'Rule changed',
    rule_removed: 'Rule removed',
    file_rule_changed: 'Rule changed in a file',
    file_rule_removed: 'Rule removed from a file',
    remembered: { session: 'Remembered for a conversation', project: 'Remembered for a project', global: 'Remembered everywhere' },
  },
  ja: {
    rule_added: 'ルールを追加',
    rule_changed: 'ルールを変更',
    rule_removed: 'ルールを削除',
    file_rule_changed: 'ファイルのルールを変更',
    file_rule_removed: 'ファイルのルールを削除',
    remembered: { session: '会話に記憶', project: 'プロジェクトに記憶', global: '全体に記憶' },
  },
});
