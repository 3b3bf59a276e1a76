import { texts } from '../lib/i18n.svelte';

/** Texts of the presets. */
export const x = texts({
  en: {
    title: 'Presets:',
    intro: 'Lists of rules that you can switch on. They are off by default, and your own rules come before them.',
    noneOn: 'all off',
    someOn: (count: number) => (count === 1 ? '1 is on' : `${count} are on`),
    on: 'on',
    off: 'off',
    effect: {
      dev: 'Allows commands that build, test, lint and format the project in the workspace.',
      'local-work': 'Allows creating directories in the workspace and `git add`; with `dev` also commits and new branches.',
      'network-read': 'Allows commands that read from GitHub, clusters, containers and cloud services, without secrets.',
      strict: 'Denies recursive deletion, git push, showing the environment, and writing to system directories.',
    },
    trusts: {
      dev: 'You trust the project\'s own code, build scripts and dependencies, which these commands run.',
      'local-work': 'You trust what is already in the workspace and its repository; with `dev` also the repository\'s hooks.',
      'network-read': 'You trust the services you are signed in to, with your rights to read.',
      strict: 'You trust nothing more: it only denies.',
    },
    effects: { allow: 'Allows', confirm: 'Asks', deny: 'Denies' },
    rules: (count: number) => (count === 1 ? 'Show its rule' : `Show its ${count} rules`),
    onIn: 'Switched on in',
    ignoredIn: 'Named without effect, because the file is not trusted, in',
    switchOn: 'To switch it on, run on the machine of the server:',
    switchOff: 'To switch it off, run on the machine of the server:',
  },
  ja: {
    title: 'プリセット：',
    intro: '必要に応じて有効にできるルールの一覧です。初期状態では無効で、ご自身のルールが先に適用されます。',
    noneOn: 'すべて無効',
    someOn: (count: number) => `${count} 件が有効`,
    on: '有効',
    off: '無効',
    effect: {
      dev: 'ワークスペースのプロジェクトのビルド、テスト、静的解析、整形のコマンドを許可します。',
      'local-work': 'ワークスペースでのディレクトリの作成、Git への変更の追加を許可します。`dev` も有効なら、コミットと新しいブランチも許可します。',
      'network-read': 'GitHub、クラスター、コンテナ、クラウドサービスから読み取るコマンドを許可します。機密情報は除きます。',
      strict: '再帰的な削除、git のプッシュ、環境変数の表示、システムディレクトリへの書き込みを拒否します。',
    },
    trusts: {
      dev: 'これらのコマンドが実行する、プロジェクト自身のコード、ビルドスクリプト、依存パッケージを信頼します。',
      'local-work': 'ワークスペースとそのリポジトリの現在の内容を信頼します。`dev` も有効なら、リポジトリのフックも信頼します。',
      'network-read': 'サインイン済みのサービスを、ご自身の読み取り権限の範囲で信頼します。',
      strict: '新たに信頼するものはありません。拒否するだけです。',
    },
    effects: { allow: '許可', confirm: '質問', deny: '拒否' },
    rules: (count: number) => `ルール ${count} 件を表示`,
    onIn: '有効にしているファイル：',
    ignoredIn: 'ファイルが信頼されていないため無効な指定：',
    switchOn: '有効にするには、サーバーのマシンで次を実行してください：',
    switchOff: '無効にするには、サーバーのマシンで次を実行してください：',
  },
});
