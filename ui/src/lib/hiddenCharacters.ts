// Escapes hidden characters in untrusted text. The server does this for `shown`; this is for
// everything else: names, directories, notes, rules. Same notation: `\u{…}`.

// Control and format characters, private use, unassigned, invisible ones; blanks other than the space.
const HIDING = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u{2800}]|(?! )[\p{Zs}\p{Zl}\p{Zp}]/u;
/** Printable ASCII, and the same with line breaks and tabs. */
const PLAIN = /^[ -~]*$/;
const PLAIN_LINES = /^[\n\t -~]*$/;
const MARK = /\p{M}/u;
/** More combining marks than this on one letter cover the lines around it. */
const PILE = 4;

export interface Piece {
  text: string;
  /** Escaped because it would hide or disguise something. */
  escaped: boolean;
}

function escapeOf(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/** Splits the text at hidden characters. `lines` keeps line breaks and tabs. */
export function visiblePieces(text: string, how: { lines?: boolean } = {}): Piece[] {
  if (text === '') return [];
  // Most text is plain, and this is many times as fast as looking at each character.
  if ((how.lines === true ? PLAIN_LINES : PLAIN).test(text) && !text.includes('\\u{')) return [{ text, escaped: false }];
  const found: Piece[] = [];
  let plain = '';
  let pile = PILE;
  let at = 0;
  for (const character of text) {
    const layout = how.lines === true && (character === '\n' || character === '\t');
    const mark = MARK.test(character);
    // A literal `\u{` in the text must not look like our escape.
    const spelt = character === '\\' && text.startsWith('\\u{', at);
    const hides = spelt || (!layout && HIDING.test(character)) || (mark && pile >= PILE);
    // A combining mark needs a base character.
    pile = mark ? pile + 1 : hides || layout ? PILE : 0;
    at += character.length;
    if (!hides) {
      plain += character;
      continue;
    }
    if (plain !== '') found.push({ text: plain, escaped: false });
    plain = '';
    found.push({ text: escapeOf(character), escaped: true });
  }
  if (plain !== '') found.push({ text: plain, escaped: false });
  return found;
}

/** The same as one string, for labels and titles. */
export function visible(text: string): string {
  return visiblePieces(text).map((piece) => piece.text).join('');
}

/** Escapes hidden characters as the server does; keeps line breaks and tabs. */
export function escapeHidden(text: string): string {
  if (/^[\n\t -~]*$/.test(text) && !text.includes('\\u{')) return text;
  return visiblePieces(text, { lines: true }).map((piece) => piece.text).join('');
}
