// Text of records. Most hidden characters were escaped before the record was signed; this escapes the rest.
import { type Piece, visiblePieces } from '../lib/hiddenCharacters';

const ESCAPE = /(\\u\{[0-9a-f]{1,6}\})/;

export function recordedPieces(text: string, lines = false): Piece[] {
  // Because the pattern has a capture group, every second piece of the split is an escape.
  return text.split(ESCAPE).flatMap((part, index) => (index % 2 === 1 ? [{ text: part, escaped: true }] : visiblePieces(part, { lines })));
}

/** Pretty-printed JSON, complete. */
export function pretty(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
