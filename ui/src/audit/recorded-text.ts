// Text of the record. Most of what hides was written out before it was signed; the rest is here.
import { type Piece, visiblePieces } from '../lib/visible';

const WRITTEN = /(\\u\{[0-9a-f]{1,6}\})/;

export function recordedPieces(text: string, lines = false): Piece[] {
  // With a group in it, every other piece of the split is one that was written out.
  return text.split(WRITTEN).flatMap((part, index) => (index % 2 === 1 ? [{ text: part, written: true }] : visiblePieces(part, { lines })));
}

/** JSON for people: long, but nothing left out. */
export function pretty(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
