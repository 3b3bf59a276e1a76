// Text of any number of lines on one line: line breaks and tabs are shown as marks, not as blanks. Marks that are part
// of the text are escaped, so that two texts never look the same.
import { type Piece, visiblePieces } from './hiddenCharacters';

export interface LinePiece extends Piece {
  /** Stands for a line break or a tab. */
  mark: boolean;
}

const MARKS = { '\n': '⏎', '\t': '⇥' } as const;
const MARKED = /([\n\t⏎⇥])/;

/** Splits the text at line breaks and tabs; `escapes` splits what is between them at hidden characters. */
export function linePieces(text: string, escapes: (part: string) => Piece[] = visiblePieces): LinePiece[] {
  // Because the pattern has a capture group, every second part of the split is a match.
  return text.split(MARKED).flatMap((part, index): LinePiece[] => {
    if (index % 2 === 0) return escapes(part).map((piece) => ({ ...piece, mark: false }));
    if (part === '\n' || part === '\t') return [{ text: MARKS[part], escaped: false, mark: true }];
    return [{ text: `\\u{${part.charCodeAt(0).toString(16)}}`, escaped: true, mark: false }];
  });
}
