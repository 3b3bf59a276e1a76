// Colours for a program inside a command: comments, strings and keywords. Fetched when one is shown.
import type { Language } from './programs';
import type { TextMark } from './textMarks';

const KEYWORDS: Record<Language, string> = {
  python: 'and as assert async await break class continue def del elif else except finally for from global if import in is lambda None not or pass raise return True False try while with yield',
  javascript: 'async await break case catch class const continue default delete do else export false finally for function if import in instanceof let new null of return switch this throw true try typeof undefined var void while yield',
  ruby: 'begin break case class def do else elsif end ensure false for if in module next nil not or rescue return self then true unless until when while yield require',
  perl: 'my our local use sub if elsif else unless while until for foreach last next return print package require',
  php: 'function if else elseif while for foreach return echo new class public private use namespace try catch throw null true false',
  shell: 'if then else elif fi for while until do done case esac function in return export local',
};

const STRINGS = String.raw`"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*'`;
const HASH = String.raw`(?<![\w$\\&])#[^\n]*`;
const SLASHES = String.raw`\/\/[^\n]*|\/\*[^]*?\*\/`;
const PARTS: Record<Language, { comment: string; string: string }> = {
  python: { comment: HASH, string: String.raw`"""[^]*?"""|'''[^]*?'''|${STRINGS}` },
  javascript: { comment: SLASHES, string: '`(?:\\\\[^]|[^`\\\\])*`|' + STRINGS },
  ruby: { comment: HASH, string: STRINGS },
  perl: { comment: HASH, string: STRINGS },
  php: { comment: `${SLASHES}|${HASH}`, string: STRINGS },
  shell: { comment: HASH, string: STRINGS },
};
/** Marks beyond this number are left out. */
const MOST = 4000;

/** Marks of a program at `start` of a text, in order. */
export function highlight(code: string, language: Language, start: number): TextMark[] {
  const { comment, string } = PARTS[language];
  const pattern = new RegExp(`(${comment})|(${string})|(?<![\\w.$])(${KEYWORDS[language].replaceAll(' ', '|')})(?!\\w)`, 'g');
  const found: TextMark[] = [];
  for (const match of code.matchAll(pattern)) {
    if (found.length >= MOST) break;
    const as = match[1] !== undefined ? 'comment' : match[2] !== undefined ? 'string' : 'keyword';
    found.push({ from: start + match.index, to: start + match.index + match[0].length, as });
  }
  return found;
}
