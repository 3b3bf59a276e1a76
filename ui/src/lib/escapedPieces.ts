// Server text in which hidden characters are escaped as `\u{…}`;
// nothing else in it looks like that.
import type { Piece } from './hiddenCharacters';

const ESCAPE = /\\u\{[0-9a-f]{1,6}\}/g;

/** Splits the text at escapes. At most `most` escapes are marked; no text is lost. */
export function escapedPieces(text: string, most = 400): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  let count = 0;
  if (text.includes('\\u{')) {
    for (const match of text.matchAll(ESCAPE)) {
      if ((count += 1) > most) break;
      if (match.index > at) found.push({ text: text.slice(at, match.index), escaped: false });
      found.push({ text: match[0], escaped: true });
      at = match.index + match[0].length;
    }
  }
  if (at < text.length) found.push({ text: text.slice(at), escaped: false });
  return found;
}
