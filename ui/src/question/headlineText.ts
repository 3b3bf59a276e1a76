import { texts } from '../lib/i18n.svelte';
import type { HeadlineKind } from './headline';

type Template = string | ((count: number) => string);

/** Headlines. `{names}` and `{to}` are names from the agent; `[…]` is left out if it has none. */
export const h = texts({
  en: {
    lines: {
      run: 'Run {names}',
      run_script: 'Run the project’s script {names}',
      run_program: (count) => (count === 1 ? 'Run a line of {to}' : `Run a {to} program of ${count} lines`),
      run_deleting: 'Run a {to} program that deletes files or data',
      run_sending: 'Run a {to} program that sends data over the network',
      run_downloaded: 'Download a script[ from {names}] and run it',
      run_decoded: 'Run decoded text as commands',
      run_on: 'Run {to} on {names}',
      delete: 'Delete {names}',
      delete_all: 'Delete {names} and everything inside',
      delete_found: 'Delete every file found[ in the directory {to}]',
      delete_named: 'Delete all files named {names}[ in the directory {to}]',
      delete_untracked: 'Delete files that git does not track',
      delete_remote: 'Delete {names}[ on {to}]',
      push: 'Push {names} to {to}',
      push_head: 'Push the current branch to {to}',
      push_all: 'Push commits[ to {to}]',
      force_push: 'Force-push {names} to {to}',
      force_push_all: 'Force-push[ to {to}]',
      commit: 'Commit changes',
      commit_as: 'Commit: {names}',
      discard: 'Discard all uncommitted changes',
      check_out: 'Check out {names}',
      install: 'Install {names} with {to}',
      install_all: 'Install the project’s dependencies with {to}',
      fetch: 'Fetch from {names}',
      send: 'Send data to {names}',
      send_mail: 'Send an email',
      move: 'Move {names} to {to}',
      copy: 'Copy {names} to {to}',
      make_directory: 'Create the directory {names}',
      write: 'Write to {names}',
      create: 'Create {names}',
      edit: 'Edit {names}',
      permissions: 'Change the permissions of {names} to {to}',
      stop_processes: 'Kill the process {names}',
      read: 'Read {names}',
      search: 'Search files for {names}',
      search_web: 'Search the web for {names}',
      change_files: (count) => `Change ${count} files: {names}`,
      delete_file: 'Delete {names}',
      automation: 'Change what CI runs: {names}',
      delegate: 'Start the sub-agent {names}',
      call: '{names}',
      call_with: '{names}: {to}',
    } as Record<HeadlineKind, Template>,
    noBranch: 'The command names no branch: the settings of git decide which one.',
    more: (count: number) => (count === 1 ? 'and 1 more step' : `and ${count} more steps`),
    others: (count: number) => `and ${count} more`,
    and: ' and ',
    comma: ', ',
  },
  ja: {
    lines: {
      run: '{names} を実行する',
      run_script: 'プロジェクトのスクリプト {names} を実行する',
      run_program: (count) => `${count} 行の {to} プログラムを実行する`,
      run_deleting: 'ファイルやデータを削除する {to} プログラムを実行する',
      run_sending: 'データをネットワークに送信する {to} プログラムを実行する',
      run_downloaded: '[{names} から]スクリプトをダウンロードして実行する',
      run_decoded: 'デコードした内容をコマンドとして実行する',
      run_on: '{names} で {to} を実行する',
      delete: '{names} を削除する',
      delete_all: '{names} を中身ごと削除する',
      delete_found: '[ディレクトリ {to} で]見つかったファイルをすべて削除する',
      delete_named: '[ディレクトリ {to} にある]名前が {names} のファイルをすべて削除する',
      delete_untracked: 'git が管理していないファイルを削除する',
      delete_remote: '[{to} の ]{names} を削除する',
      push: '{names} を {to} にプッシュする',
      push_head: '現在のブランチを {to} にプッシュする',
      push_all: 'コミットを[ {to} に]プッシュする',
      force_push: '{names} を {to} に強制プッシュする',
      force_push_all: '[{to} に]強制プッシュする',
      commit: '変更をコミットする',
      commit_as: 'コミットする：{names}',
      discard: 'コミットしていない変更をすべて破棄する',
      check_out: '{names} をチェックアウトする',
      install: '{to} で {names} をインストールする',
      install_all: '{to} でプロジェクトの依存関係をインストールする',
      fetch: '{names} から取得する',
      send: '{names} にデータを送信する',
      send_mail: 'メールを送信する',
      move: '{names} を {to} に移動する',
      copy: '{names} を {to} にコピーする',
      make_directory: 'ディレクトリ {names} を作成する',
      write: '{names} に書き込む',
      create: '{names} を作成する',
      edit: '{names} を編集する',
      permissions: '{names} の権限を {to} に変更する',
      stop_processes: 'プロセス {names} を終了する',
      read: '{names} を読む',
      search: 'ファイルから {names} を検索する',
      search_web: 'Web で {names} を検索する',
      change_files: (count) => `${count} 個のファイルを変更する：{names}`,
      delete_file: '{names} を削除する',
      automation: 'CI が実行する内容を変更する：{names}',
      delegate: 'サブエージェント {names} を開始する',
      call: '{names}',
      call_with: '{names}：{to}',
    } as Record<HeadlineKind, Template>,
    noBranch: 'コマンドにブランチの指定がなく、git の設定で決まります。',
    more: (count: number) => `ほか ${count} ステップ`,
    others: (count: number) => `ほか ${count} 件`,
    and: '、',
    comma: '、',
  },
});

export interface TemplatePiece {
  text: string;
  names?: readonly string[];
}

/** A template with its names, in pieces. */
export function pieces(template: string, given: { names: readonly string[]; to: readonly string[] }): TemplatePiece[] {
  const kept = template.replaceAll(/\[([^\]]*)\]/g, (_, optional: string) => (/\{names\}/.test(optional) ? given.names : given.to).length === 0 ? '' : optional);
  return kept.split(/(\{names\}|\{to\})/).flatMap((text): TemplatePiece[] => {
    if (text === '') return [];
    return text === '{names}' ? [{ text, names: given.names }] : text === '{to}' ? [{ text, names: given.to }] : [{ text }];
  });
}
