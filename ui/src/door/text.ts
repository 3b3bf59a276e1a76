import { texts } from '../lib/i18n.svelte';

export const t = texts({
  en: {
    title: 'The checkpoint',
    outside: 'You are not signed in',
    refused: 'This link was not taken',
    unreachable: 'The server cannot be reached',
    how: 'To sign in, open a link. Whoever has the machine makes one in a terminal:',
    phone: 'For a phone, the same command shows a code to scan. An admin who is signed in can make links under Settings.',
    once: 'A link signs in one browser, once, and only for a short while.',
    paste: 'Or paste a link here',
    go: 'Sign in',
    notALink: 'This is not a link of this server. It ends with #link=skl_ and 64 characters.',
    down: 'It may be starting or stopped. In a terminal:',
  },
  ja: {
    title: '関所',
    outside: 'ログインしていません',
    refused: 'このリンクは使えませんでした',
    unreachable: 'サーバーに接続できません',
    how: 'ログインにはリンクを開きます。サーバーの端末で次を実行すると作れます。',
    phone: 'スマートフォンには、同じコマンドが読み取り用のコードを表示します。管理者は「設定」からもリンクを作れます。',
    once: 'リンクは一つのブラウザーで一度だけ、短い間だけ使えます。',
    paste: 'または、リンクをここに貼り付けてください',
    go: 'ログイン',
    notALink: 'このサーバーのリンクではありません。末尾は #link=skl_ と 64 文字です。',
    down: '起動中か停止中かもしれません。端末で次を実行してください。',
  },
});
