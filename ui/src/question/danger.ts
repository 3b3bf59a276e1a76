// Why a call wants care. The server says it in English; what it says most often is known here in Japanese as well.
import { i18n } from '../lib/i18n.svelte';
import { sentence } from './reasonTexts';

const JAPANESE: Record<string, string> = {
  'changes files': 'ファイルを変更します',
  'reads files': 'ファイルを読みます',
  'reaches the network': 'ネットワークに接続します',
  'runs programs': 'プログラムを実行します',
  'what the tool does is not known here': 'このツールが何をするかは分かりません',
  'a tool of an MCP server: what it does is not known here': 'MCP サーバーのツールです。何をするかは分かりません',
  'downloads and runs code': 'コードをダウンロードして実行します',
  'runs another command': '別のコマンドを実行します',
  'runs a program': 'プログラムを実行します',
  'deletes files': 'ファイルを削除します',
  'writes files': 'ファイルを書き込みます',
  'writes a file': 'ファイルを書き込みます',
  'writes or overwrites files': 'ファイルを書き込み、上書きすることもあります',
  'can overwrite files': 'ファイルを上書きすることがあります',
  'manages packages': 'パッケージを管理します',
  'publishes a package': 'パッケージを公開します',
  'sends data to the network': 'データをネットワークに送信します',
  'sends commits to a remote repository': 'コミットをリモートリポジトリに送信します',
  'contacts a remote repository': 'リモートリポジトリに接続します',
  'discards uncommitted changes': 'コミットしていない変更を破棄します',
  'runs a command with another user\'s rights': '別のユーザーの権限でコマンドを実行します',
  'runs a text or a file as commands': 'テキストまたはファイルをコマンドとして実行します',
  'runs the project\'s own code': 'プロジェクトのコードを実行します',
  'runs what the project says': 'プロジェクトが指定したものを実行します',
  'runs a script of the package': 'パッケージのスクリプトを実行します',
  'runs the commands of a makefile': 'makefile のコマンドを実行します',
  'downloads packages and runs their code': 'パッケージをダウンロードしてそのコードを実行します',
  'downloads packages and runs their install scripts': 'パッケージをダウンロードし、インストール用スクリプトを実行します',
  'hides text: it holds a terminal sequence': '文字を隠しています。端末の制御シーケンスが含まれています',
  'hides text: it holds a control character': '文字を隠しています。制御文字が含まれています',
  'hides text: it holds a character that turns the direction of reading': '文字を隠しています。読む向きを変える文字が含まれています',
  'hides text: it holds characters that spell out text nobody sees': '文字を隠しています。見えない文章を綴る文字が含まれています',
  'hides text: it holds a letter that shows nothing': '文字を隠しています。何も表示されない文字が含まれています',
  'hides text: it holds a character that takes no room': '文字を隠しています。幅のない文字が含まれています',
  'what stands before the `@` of an address is a user name, not the host': 'アドレスの `@` の前はユーザー名で、ホストではありません',
};

export interface Said {
  text: string;
  /** In which language it is, where that is not the page's. */
  lang: 'en' | undefined;
}

/** A sentence about danger, in the language of the page where it is known. */
export function dangerText(why: string): Said {
  if (why === '') return { text: '', lang: undefined };
  if (i18n.locale === 'en') return { text: sentence(why), lang: undefined };
  const known = why.split('; ').map((clause) => JAPANESE[clause]);
  if (known.every((clause) => clause !== undefined)) return { text: `${known.join('。')}。`, lang: undefined };
  return { text: sentence(why), lang: 'en' };
}
