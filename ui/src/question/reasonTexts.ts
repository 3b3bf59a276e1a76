// Every reason the server knows, as a sentence in both languages.
import { texts } from '../lib/i18n.svelte';
import type { Schemas } from '../lib/client';
import { detailText } from '../codes/said.svelte';
import { sentence } from './sentence';

/** A piece of a sentence. `code` is something as it was written in a call or rule; `english` the server's own words. */
export interface Bit {
  text: string;
  as?: 'code' | 'english';
}
export type Saying = string | Bit;
type Effect = Schemas['Effect'];
type Layer = Schemas['LayerKind'];

export const code = (text: string): Bit => ({ text, as: 'code' });
export const english = (text: string): Bit => ({ text, as: 'english' });

/** A sentence with things in it. */
function say(words: TemplateStringsArray, ...things: (Saying | readonly Bit[])[]): Bit[] {
  return words.flatMap((text, at): Bit[] => {
    const thing = things[at] ?? [];
    const bits: readonly Bit[] = typeof thing === 'string' ? [{ text: thing }] : Array.isArray(thing) ? thing : [thing as Bit];
    return [{ text }, ...bits].filter((bit) => bit.text !== '');
  });
}

const LAYER: Record<Layer, string> = { built_in: 'built-in', managed: 'managed', global: 'global', project: 'project', database: 'database', session: 'session' };
const LAYER_JA: Record<Layer, string> = { built_in: '組み込み', managed: '管理者', global: 'ユーザー', project: 'プロジェクト', database: 'データベース', session: 'セッション' };
const ALLOWED: Record<Effect, (rule: readonly Bit[]) => Bit[]> = {
  allow: (rule) => say`Allowed by ${rule}.`,
  confirm: (rule) => say`Asked because of ${rule}.`,
  deny: (rule) => say`Denied by ${rule}.`,
};
const ALLOWED_JA: Record<Effect, (rule: readonly Bit[]) => Bit[]> = {
  allow: (rule) => say`${rule}で許可されています。`,
  confirm: (rule) => say`${rule}により確認が必要です。`,
  deny: (rule) => say`${rule}で拒否されています。`,
};

/** Why it is not known that a command is harmless, or what it runs. */
export type Why = Pick<Extract<Schemas['Reason'], { code: 'obstacle' }>, 'why' | 'detail' | 'name'>;

/** In the language of the page where it has a code that is known, else as the server said it. */
function whyBits(why: Why, ended: (text: string) => string): Bit {
  const said = detailText(why);
  return said === undefined ? english(sentence(why.why)) : { text: ended(said) };
}

const ended = (text: string): string => `${text}。`;

export const reasons = texts({
  en: {
    layer: LAYER,
    aRule: () => say`a rule`,
    ruleOf: (layer: Layer) => say`a ${LAYER[layer]} rule`,
    ruleAt: (layer: Layer, place: string) => say`the ${layer} rule at ${code(place)}`,
    rule: (effect: Effect, rule: readonly Bit[]) => ALLOWED[effect](rule),
    noRule: () => say`No rule matches, and the default is to ask.`,
    notEvaluated: (rule: readonly Bit[]) => say`It is not known whether ${rule} matches.`,
    protectedPath: (path: string, pattern: string) => say`${code(path)} is protected (${code(pattern)}) and never opened without a question.`,
    protectedAmong: (path: string, pattern: string) => say`It would open ${code(path)}, which is protected (${code(pattern)}).`,
    tooManyFiles: (path: string) => say`${code(path)} holds more files than are looked through, and a protected one may be among them.`,
    pathUnknown: () => say`Which file it touches is not known.`,
    fieldMissing: (field: string) => say`The tool's descriptor names the field ${code(field)}, which the input does not have.`,
    fieldUnreadable: (field: string) => say`The field ${code(field)} does not hold what the tool's descriptor says.`,
    workLimit: () => say`Matching it against the rules takes more work than one call may cost.`,
    shellUnread: () => say`What the shell command would run is not known.`,
    redirect: (word: string) => say`The redirect ${code(word)} opens a file, and no rule names it.`,
    assignment: (name: string) => say`Setting ${code(name)} may change what runs.`,
    expansion: (word: string) => say`What ${code(word)} becomes is not known.`,
    obstacle: (word: string, why: Why) => (word === '' ? say`${whyBits(why, sentence)}` : say`${code(word)}: ${whyBits(why, sentence)}`),
    mayBeOption: (word: string) => say`${code(word)} may turn into an option.`,
    changesShell: (program: string) => say`${code(program)} changes the shell that runs what follows.`,
    programText: (program: string) => say`${code(program)} runs a program of its own.`,
    walksHome: (path: string) => say`From ${code(path)} it would walk through the home directory.`,
    outsideWorkspace: (path: string) => say`${code(path)} lies outside the workspace.`,
    repositoryRuns: (directory: string, what: string) => say`The config of the repository in ${code(directory)} sets ${code(what)}, so git could run a program it names.`,
    repositoryUnproven: (problem: string, file: string, key: string | undefined) => {
      switch (problem) {
        case 'setting':
          return say`The setting ${code(key ?? '')} in ${code(file)} is not known to be harmless to git commands that only read.`;
        case 'hook':
          return key === undefined ? say`Git would run the hook ${code(file)}.` : say`Git would run the hook ${code(file)}, because of the setting ${code(key)}.`;
        case 'unreadable':
          return say`${code(file)} cannot be read the way git would read it.`;
        case 'looks_bare':
          return say`Git may take ${code(file)} for a bare repository.`;
        case 'not_repository':
          return say`${code(file)} is not as git makes it, so git may use another repository.`;
        case 'redirect':
          return say`${code(file)} sends git to a place that does not lead back here.`;
        case 'link':
          return say`${code(file)} is a symbolic link that git would follow.`;
        case 'alternates':
          return say`${code(file)} makes git read objects outside of the repository.`;
        case 'index':
          return say`${code(file)} names a file outside of the work tree.`;
        case 'user_include':
          return say`Your git config includes ${code(file)}, which lies in the workspace.`;
        case 'credential':
          return say`The setting ${code(key ?? '')} in ${code(file)} holds a password or a token, which git would print.`;
        case 'absent':
          return say`Git may find no repository at ${code(file)}.`;
        case 'too_much':
          return say`There is more at ${code(file)} than is looked at.`;
        default:
          return say`${code(file)}: ${code(problem)}`;
      }
    },
    trackedLinks: (directory: string) => say`In ${code(directory)} git would read files through a symbolic link to a directory.`,
    repositoryUnknown: () => say`What the git repository’s config would run is not known.`,
    runsUnknown: (why: Why) => say`${whyBits(why, sentence)}`,
    tooMuch: () => say`It holds more commands, or deeper ones, than are followed.`,
    nobodyCanConfirm: () => say`It needs a person’s answer, and nobody can answer.`,
    configBroken: (layer: Layer, error: string) => say`The ${layer} config does not load: ${english(error)}`,
    unknown: (name: string) => say`${code(name)}`,
    opaque: {
      too_long: 'The text is longer than is read.',
      too_deep: 'It is nested deeper than is followed.',
      hidden_character: 'It holds a character that hides or disguises text.',
      unparsed: 'It cannot be read the way bash would read it.',
      computed_name: 'The name of the program is computed.',
      expansion: 'An expansion in it can run or set something.',
      arithmetic: 'Arithmetic in it can run something.',
      function: 'It defines a function.',
      array: 'It sets an array.',
      conditional: 'A test in it can run something.',
      construct: 'It holds a construct that is not followed.',
      redirect: 'A redirect in it is not one that is followed.',
    } as Record<string, string>,
  },
  ja: {
    layer: LAYER_JA,
    aRule: () => say`ルール`,
    ruleOf: (layer: Layer) => say`${LAYER_JA[layer]}のルール`,
    ruleAt: (layer: Layer, place: string) => say`${LAYER_JA[layer]}のルール（${code(place)}）`,
    rule: (effect: Effect, rule: readonly Bit[]) => ALLOWED_JA[effect](rule),
    noRule: () => say`一致するルールがないため、既定どおり確認します。`,
    notEvaluated: (rule: readonly Bit[]) => say`${rule}に一致するかどうか分かりません。`,
    protectedPath: (path: string, pattern: string) => say`${code(path)} は保護されています（${code(pattern)}）。確認なしには開けません。`,
    protectedAmong: (path: string, pattern: string) => say`保護されている ${code(path)}（${code(pattern)}）も開かれます。`,
    tooManyFiles: (path: string) => say`${code(path)} のファイルが多すぎて調べきれません。保護されたファイルが含まれている可能性があります。`,
    pathUnknown: () => say`どのファイルに触れるか分かりません。`,
    fieldMissing: (field: string) => say`ツールの記述子にあるフィールド ${code(field)} が入力にありません。`,
    fieldUnreadable: (field: string) => say`フィールド ${code(field)} の内容がツールの記述子と合いません。`,
    workLimit: () => say`ルールとの照合が 1 回の上限を超えます。`,
    shellUnread: () => say`シェルコマンドが何を実行するか分かりません。`,
    redirect: (word: string) => say`リダイレクト ${code(word)} はファイルを開きますが、それを許すルールがありません。`,
    assignment: (name: string) => say`${code(name)} の設定で、実行されるものが変わる可能性があります。`,
    expansion: (word: string) => say`${code(word)} が何になるか分かりません。`,
    obstacle: (word: string, why: Why) => (word === '' ? say`${whyBits(why, ended)}` : say`${code(word)}: ${whyBits(why, ended)}`),
    mayBeOption: (word: string) => say`${code(word)} はオプションとして解釈される可能性があります。`,
    changesShell: (program: string) => say`${code(program)} は、続きを実行するシェルの状態を変えます。`,
    programText: (program: string) => say`${code(program)} は渡されたプログラムを実行します。`,
    walksHome: (path: string) => say`${code(path)} からホームディレクトリ全体をたどります。`,
    outsideWorkspace: (path: string) => say`${code(path)} はワークスペースの外にあります。`,
    repositoryRuns: (directory: string, what: string) => say`${code(directory)} のリポジトリの設定に ${code(what)} があり、git がそのプログラムを実行する可能性があります。`,
    repositoryUnproven: (problem: string, file: string, key: string | undefined) => {
      switch (problem) {
        case 'setting':
          return say`${code(file)} の設定 ${code(key ?? '')} が、読み取りだけの git コマンドに無害かどうか分かりません。`;
        case 'hook':
          return key === undefined ? say`git がフック ${code(file)} を実行します。` : say`設定 ${code(key)} により、git がフック ${code(file)} を実行します。`;
        case 'unreadable':
          return say`${code(file)} を git と同じようには読み取れません。`;
        case 'looks_bare':
          return say`git が ${code(file)} をベアリポジトリとみなす可能性があります。`;
        case 'not_repository':
          return say`${code(file)} が git の作る形と異なるため、git が別のリポジトリを使う可能性があります。`;
        case 'redirect':
          return say`${code(file)} の指す先が、ここを指し返していません。`;
        case 'link':
          return say`${code(file)} はシンボリックリンクで、git がその先をたどります。`;
        case 'alternates':
          return say`${code(file)} により、git がリポジトリの外のオブジェクトを読みます。`;
        case 'index':
          return say`${code(file)} に作業ツリーの外のファイルが含まれています。`;
        case 'user_include':
          return say`あなたの git 設定が、ワークスペースにある ${code(file)} を取り込んでいます。`;
        case 'credential':
          return say`${code(file)} の設定 ${code(key ?? '')} にパスワードまたはトークンが含まれ、git がそれを表示します。`;
        case 'absent':
          return say`${code(file)} で git がリポジトリを見つけられない可能性があります。`;
        case 'too_much':
          return say`${code(file)} には、調べられる範囲を超える量があります。`;
        default:
          return say`${code(file)} を確認してください（${code(problem)}）。`;
      }
    },
    trackedLinks: (directory: string) => say`${code(directory)} で、git がディレクトリへのシンボリックリンクを通してファイルを読みます。`,
    repositoryUnknown: () => say`git リポジトリの設定が何を実行するか分かりません。`,
    runsUnknown: (why: Why) => say`${whyBits(why, ended)}`,
    tooMuch: () => say`コマンドの数か深さが、調べられる範囲を超えています。`,
    nobodyCanConfirm: () => say`人の回答が必要ですが、答えられる人がいません。`,
    configBroken: (layer: Layer, error: string) => say`${LAYER_JA[layer]}の設定を読み込めません: ${english(error)}`,
    unknown: (name: string) => say`${code(name)}`,
    opaque: {
      too_long: '読み取れる長さを超えています。',
      too_deep: '入れ子が深すぎて追えません。',
      hidden_character: '文字を隠したり偽ったりする文字が含まれています。',
      unparsed: 'bash と同じようには読み取れません。',
      computed_name: 'プログラムの名前が計算で決まります。',
      expansion: '中の展開が何かを実行または設定する可能性があります。',
      arithmetic: '中の算術式が何かを実行する可能性があります。',
      function: '関数を定義します。',
      array: '配列を設定します。',
      conditional: '中の条件式が何かを実行する可能性があります。',
      construct: '追跡できない構文が含まれています。',
      redirect: '追跡できないリダイレクトが含まれています。',
    } as Record<string, string>,
  },
});
