// Shortens names that others chose.
import { type Piece, visiblePieces } from './hiddenCharacters';

/** Characters of a name that are shown; the details have the whole name. */
export const MAX_NAME = 40;

/** The start of a name with hidden characters escaped, and whether that is all. Escapes are never cut apart. */
export function briefName(text: string, most = MAX_NAME): { pieces: Piece[]; whole: boolean } {
  const kept: Piece[] = [];
  let room = most;
  // Do not process more than can be shown.
  const begin = Array.from(text.slice(0, most * 2 + 2)).slice(0, most + 1).join('');
  for (const piece of visiblePieces(begin)) {
    const characters = Array.from(piece.text);
    if (characters.length > room) {
      if (!piece.escaped && room > 0) kept.push({ text: characters.slice(0, room).join(''), escaped: false });
      return { pieces: kept, whole: false };
    }
    kept.push(piece);
    room -= characters.length;
  }
  return { pieces: kept, whole: begin.length === text.length };
}
