// Names that somebody else chose, in little room.
import { type Piece, visiblePieces } from './visible';

/** So much of a name is shown beside other things; the whole of it stands in the details. */
export const MAX_NAME = 40;

/** The beginning of a name, made visible; whether that is all of it. What was written out is never cut apart. */
export function briefName(text: string, most = MAX_NAME): { pieces: Piece[]; whole: boolean } {
  const kept: Piece[] = [];
  let room = most;
  // No more of it is looked at than could be shown.
  const begin = Array.from(text.slice(0, most * 2 + 2)).slice(0, most + 1).join('');
  for (const piece of visiblePieces(begin)) {
    const characters = Array.from(piece.text);
    if (characters.length > room) {
      if (!piece.written && room > 0) kept.push({ text: characters.slice(0, room).join(''), written: false });
      return { pieces: kept, whole: false };
    }
    kept.push(piece);
    room -= characters.length;
  }
  return { pieces: kept, whole: begin.length === text.length };
}
