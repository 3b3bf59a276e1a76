// Texts of all reasons of the server.
import { texts } from '../lib/i18n.svelte';
import type { Schemas } from '../lib/client';
import { detailText } from '../codes/codeText.svelte';
import { sentenceCase } from './sentenceCase';

/** A part of a sentence. `code` is text of a call or rule; `english` is text of the server. */
export interface TextPart {
  text: string;
  as?: 'code' | 'english';
}
export type Saying = string | TextPart;
type Effect = Schemas['Effect'];
type Layer = Schemas['LayerKind'];

export const code = (text: string): TextPart => ({ text, as: 'code' });
export const english = (text: string): TextPart => ({ text, as: 'english' });

/** A sentence with values filled in. */
function say(words: TemplateStringsArray, ...things: (Saying | readonly TextPart[])[]): TextPart[] {
  return words.flatMap((text, at): TextPart[] => {
    const thing = things[at] ?? [];
    const bits: readonly TextPart[] = typeof thing === 'string' ? [{ text: thing }] : Array.isArray(thing) ? thing : [thing as TextPart];
    return [{ text }, ...bits].filter((bit) => bit.text !== '');
  });
}

const LAYER: Record<Layer, string> = { built_in: 'built-in', managed: 'managed', global: 'global', project: 'project', database: 'database', session: 'session' };
const LAYER_JA: Record<Layer, string> = { built_in: '組み込み', managed: '管理者', global: 'ユーザー', project: 'プロジェクト', database: 'ご自身', session: 'セッション' };
const ALLOWED: Record<Effect, (rule: readonly TextPart[]) => TextPart[]> = {
  allow: (rule) => say`Allowed by ${rule}.`,
  confirm: (rule) => say`Asked because of ${rule}.`,
  deny: (rule) => say`Denied by ${rule}.`,
};
const ALLOWED_JA: Record<Effect, (rule: readonly TextPart[]) => TextPart[]> = {
  allow: (rule) => say`${rule}で許可されています。`,
  confirm: (rule) => say`${rule}により、回答が必要です。`,
  deny: (rule) => say`${rule}で拒否されています。`,
};

/** Why a command is not known to be harmless. */
export type ObstacleReason = Pick<Extract<Schemas['Reason'], { code: 'obstacle' }>, 'why' | 'detail' | 'name'>;

/** The reason in the language of the page if its code is known, otherwise in the server's own words. */
function whyBits(why: ObstacleReason, ended: (text: string) => string): TextPart {
  const said = detailText(why);
  return said === undefined ? english(sentenceCase(why.why)) : { text: ended(said) };
}

const ended = (text: string): string => `${text}。`;

export const reasons = texts({
  en: {
    layer: LAYER,
    aRule: () => say`a rule`,
    ruleOf: (layer: Layer) => (layer === 'database' ? say`one of your rules` : say`a ${LAYER[layer]} rule`),
    note: (text: string) => say`“${text}” — `,
    ruleAt: (layer: Layer, place: string) => say`the ${layer} rule at ${code(place)}`,
    rule: (effect: Effect, rule: readonly TextPart[]) => ALLOWED[effect](rule),
    otherwiseAllowed: (rule: readonly TextPart[]) => say`Otherwise allowed by ${rule}.`,
    noRule: () => say`Nothing in your rules allows this, so you decide.`,
    notEvaluated: (rule: readonly TextPart[]) => say`It is unclear whether ${rule} matches.`,
    protectedPath: (path: string, pattern: string) => say`${code(path)} is protected (${code(pattern)}) and is never opened without asking.`,
    protectedAmong: (path: string, pattern: string) => say`It would open ${code(path)}, which is protected (${code(pattern)}).`,
    tooManyFiles: (path: string) => say`${code(path)} has too many files to check, and some may be protected.`,
    pathUnknown: () => say`It is unclear which file it uses.`,
    fieldMissing: (field: string) => say`The tool's descriptor names the field ${code(field)}, but the input does not have it.`,
    fieldUnreadable: (field: string) => say`The field ${code(field)} does not match the tool's descriptor.`,
    workLimit: () => say`It is too complex to match against the rules.`,
    shellUnread: () => say`It is unclear what the shell command would run.`,
    redirect: (word: string) => say`The redirect ${code(word)} opens a file that no rule allows.`,
    assignment: (name: string) => say`Setting ${code(name)} may change what runs.`,
    expansion: (word: string) => say`The value of ${code(word)} is unknown.`,
    obstacle: (word: string, why: ObstacleReason) => (word === '' ? say`${whyBits(why, sentenceCase)}` : say`${code(word)}: ${whyBits(why, sentenceCase)}`),
    mayBeOption: (word: string) => say`${code(word)} may be read as an option.`,
    changesShell: (program: string) => say`${code(program)} changes the shell for the commands after it.`,
    programText: (program: string) => say`${code(program)} runs a program it is given.`,
    walksHome: (path: string) => say`From ${code(path)} it would search the whole home directory.`,
    outsideWorkspace: (path: string) => say`${code(path)} is outside the project.`,
    noWorkspace: (path: string) => say`The server does not know this project’s directory, so ${code(path)} may be outside it.`,
    repositoryRuns: (directory: string, what: string) => say`The config of the repository in ${code(directory)} sets ${code(what)}, so git could run the program it names.`,
    repositoryUnproven: (problem: string, file: string, key: string | undefined) => {
      switch (problem) {
        case 'setting':
          return say`The setting ${code(key ?? '')} in ${code(file)} may not be harmless for git commands that only read.`;
        case 'hook':
          return key === undefined ? say`Git would run the hook ${code(file)}.` : say`Git would run the hook ${code(file)}, because of the setting ${code(key)}.`;
        case 'unreadable':
          return say`${code(file)} cannot be read the way git reads it.`;
        case 'looks_bare':
          return say`Git may treat ${code(file)} as a bare repository.`;
        case 'not_repository':
          return say`${code(file)} is not a normal git directory, so git may use another repository.`;
        case 'redirect':
          return say`${code(file)} points git to a place that does not point back.`;
        case 'link':
          return say`${code(file)} is a symbolic link that git would follow.`;
        case 'alternates':
          return say`${code(file)} makes git read objects outside the repository.`;
        case 'index':
          return say`${code(file)} names a file outside the work tree.`;
        case 'user_include':
          return say`Your git config includes ${code(file)}, which is in the project.`;
        case 'credential':
          return say`The setting ${code(key ?? '')} in ${code(file)} contains a password or token that git would print.`;
        case 'absent':
          return say`Git may find no repository at ${code(file)}.`;
        case 'too_much':
          return say`${code(file)} is too large to check.`;
        default:
          return say`${code(file)}: ${code(problem)}`;
      }
    },
    trackedLinks: (directory: string) => say`In ${code(directory)} git would read files through a symbolic link to a directory.`,
    repositoryUnknown: () => say`It is unclear what the git repository’s config would run.`,
    runsUnknown: (why: ObstacleReason) => say`${whyBits(why, sentenceCase)}`,
    tooMuch: () => say`It has too many or too deeply nested commands to check.`,
    approvalRequired: () => say`The settings of the agent or the tool require an approval.`,
    nobodyCanConfirm: () => say`It needs an answer, and nobody can give one.`,
    configBroken: (layer: Layer, error: string) => say`The ${layer} config does not load: ${english(error)}`,
    unknown: (name: string) => say`${code(name)}`,
    opaque: {
      too_long: 'It is too long to check.',
      too_deep: 'It is nested too deeply to check.',
      hidden_character: 'It contains a character that hides or disguises text.',
      unparsed: 'It cannot be parsed the way bash does.',
      computed_name: 'The program name is computed.',
      expansion: 'An expansion in it can run or set something.',
      arithmetic: 'Arithmetic in it can run something.',
      function: 'It defines a function.',
      array: 'It sets an array.',
      conditional: 'A test in it can run something.',
      construct: 'It uses syntax that is not supported here.',
      redirect: 'It uses a redirect that is not supported here.',
    } as Record<string, string>,
  },
  ja: {
    layer: LAYER_JA,
    aRule: () => say`ルール`,
    ruleOf: (layer: Layer) => say`${LAYER_JA[layer]}のルール`,
    note: (text: string) => say`「${text}」 — `,
    ruleAt: (layer: Layer, place: string) => say`${LAYER_JA[layer]}のルール（${code(place)}）`,
    rule: (effect: Effect, rule: readonly TextPart[]) => ALLOWED_JA[effect](rule),
    otherwiseAllowed: (rule: readonly TextPart[]) => say`それ以外は${rule}で許可されています。`,
    noRule: () => say`これを許可するルールがないため、あなたの判断が必要です。`,
    notEvaluated: (rule: readonly TextPart[]) => say`${rule}に一致するかどうか分かりません。`,
    protectedPath: (path: string, pattern: string) => say`${code(path)} は保護されています（${code(pattern)}）。質問なしに開かれることはありません。`,
    protectedAmong: (path: string, pattern: string) => say`保護されている ${code(path)}（${code(pattern)}）も開かれます。`,
    tooManyFiles: (path: string) => say`${code(path)} のファイルが多すぎて調べきれません。保護されたファイルが含まれている可能性があります。`,
    pathUnknown: () => say`どのファイルを使うか分かりません。`,
    fieldMissing: (field: string) => say`ツールの記述子にあるフィールド ${code(field)} が入力にありません。`,
    fieldUnreadable: (field: string) => say`フィールド ${code(field)} の内容がツールの記述子と合いません。`,
    workLimit: () => say`複雑すぎて、ルールと照合できません。`,
    shellUnread: () => say`シェルコマンドが何を実行するか分かりません。`,
    redirect: (word: string) => say`リダイレクト ${code(word)} が開くファイルは、どのルールでも許可されていません。`,
    assignment: (name: string) => say`${code(name)} の設定で、実行されるものが変わる可能性があります。`,
    expansion: (word: string) => say`${code(word)} の値が分かりません。`,
    obstacle: (word: string, why: ObstacleReason) => (word === '' ? say`${whyBits(why, ended)}` : say`${code(word)}: ${whyBits(why, ended)}`),
    mayBeOption: (word: string) => say`${code(word)} はオプションとして解釈される可能性があります。`,
    changesShell: (program: string) => say`${code(program)} は、続きを実行するシェルの状態を変えます。`,
    programText: (program: string) => say`${code(program)} は渡されたプログラムを実行します。`,
    walksHome: (path: string) => say`${code(path)} からホームディレクトリ全体を検索します。`,
    outsideWorkspace: (path: string) => say`${code(path)} はプロジェクトの外にあります。`,
    noWorkspace: (path: string) => say`サーバーはこのプロジェクトのディレクトリを知らないため、${code(path)} はその外にある可能性があります。`,
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
          return say`あなたの git 設定が、プロジェクトにある ${code(file)} を取り込んでいます。`;
        case 'credential':
          return say`${code(file)} の設定 ${code(key ?? '')} にパスワードまたはトークンが含まれ、git がそれを表示します。`;
        case 'absent':
          return say`${code(file)} で git がリポジトリを見つけられない可能性があります。`;
        case 'too_much':
          return say`${code(file)} は大きすぎて調べられません。`;
        default:
          return say`${code(file)} を確認してください（${code(problem)}）。`;
      }
    },
    trackedLinks: (directory: string) => say`${code(directory)} で、git がディレクトリへのシンボリックリンクを通してファイルを読みます。`,
    repositoryUnknown: () => say`git リポジトリの設定が何を実行するか分かりません。`,
    runsUnknown: (why: ObstacleReason) => say`${whyBits(why, ended)}`,
    tooMuch: () => say`コマンドが多すぎるか、入れ子が深すぎて調べられません。`,
    approvalRequired: () => say`エージェントまたはツールの設定により、承認が必要です。`,
    nobodyCanConfirm: () => say`人の回答が必要ですが、答えられる人がいません。`,
    configBroken: (layer: Layer, error: string) => say`${LAYER_JA[layer]}の設定を読み込めません: ${english(error)}`,
    unknown: (name: string) => say`${code(name)}`,
    opaque: {
      too_long: '長すぎて調べられません。',
      too_deep: '入れ子が深すぎて調べられません。',
      hidden_character: '文字を隠したり偽ったりする文字が含まれています。',
      unparsed: 'bash と同じようには読み取れません。',
      computed_name: 'プログラムの名前が計算で決まります。',
      expansion: '中の展開が何かを実行または設定する可能性があります。',
      arithmetic: '中の算術式が何かを実行する可能性があります。',
      function: '関数を定義します。',
      array: '配列を設定します。',
      conditional: '中の条件式が何かを実行する可能性があります。',
      construct: 'ここでは対応していない構文が含まれています。',
      redirect: 'ここでは対応していないリダイレクトが含まれています。',
    } as Record<string, string>,
  },
});
