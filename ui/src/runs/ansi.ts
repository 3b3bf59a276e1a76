// Terminal output as pieces of text with colours. Only colours and weights have an effect; everything else that a
// terminal would obey (moving the cursor, erasing, titles, links) is left out and counted. Text is never left out: what a
// terminal would overwrite or hide is shown.

/** One of the 16 colours of a terminal. */
export interface AnsiPiece {
  text: string;
  /** 0 to 15; undefined for the default colour. */
  colour: number | undefined;
  bold: boolean;
  faint: boolean;
  italic: boolean;
  underlined: boolean;
}
export interface AnsiText {
  pieces: AnsiPiece[];
  /** How many control codes were left out. */
  dropped: number;
  /** Whether pieces beyond the limit are shown without colours. */
  plain: boolean;
}

// CSI sequences; strings (OSC, DCS, SOS, PM, APC) that end soon; other escapes. What never ends is shown as text.
const CODE = /[\u001b\u009b](?:(?<=\u009b)|\[)([0-9:;<=>?]*)[ -/]*([@-~])|\u001b[\]PX^_][^\u0007\u001b]{0,2048}(?:\u0007|\u001b\\)|\u001b[ -/]*[0-OQ-WYZ\\\u0060-~]/g;

const MOST_PIECES = 2000;
const NONE = { colour: undefined, bold: false, faint: false, italic: false, underlined: false } as const;
type Style = Omit<AnsiPiece, 'text'>;

/** The nearest of the 16 colours. */
function nearest(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  const least = Math.min(red, green, blue);
  if (most - least < 40) return most < 64 ? 0 : most < 160 ? 8 : 7;
  const cut = (most + least) / 2;
  const hue = (red > cut ? 1 : 0) | (green > cut ? 2 : 0) | (blue > cut ? 4 : 0);
  return most > 200 ? hue + 8 : hue;
}

function indexed(index: number): number | undefined {
  if (index < 16) return index;
  if (index >= 232) return index < 244 ? 8 : 7;
  if (index > 255) return undefined;
  const cube = index - 16;
  const level = (part: number): number => (part === 0 ? 0 : 55 + part * 40);
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

function styled(style: Style, parameters: string): Style {
  const codes = parameters === '' ? [0] : parameters.split(/[;:]/).map(Number);
  let now: Style = style;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) now = NONE;
    else if (code === 1) now = { ...now, bold: true };
    else if (code === 2) now = { ...now, faint: true };
    else if (code === 3) now = { ...now, italic: true };
    else if (code === 4) now = { ...now, underlined: true };
    else if (code === 22) now = { ...now, bold: false, faint: false };
    else if (code === 23) now = { ...now, italic: false };
    else if (code === 24) now = { ...now, underlined: false };
    else if (code >= 30 && code <= 37) now = { ...now, colour: code - 30 };
    else if (code >= 90 && code <= 97) now = { ...now, colour: code - 82 };
    else if (code === 39) now = { ...now, colour: undefined };
    else if (code === 38 || code === 48) {
      const how = codes[at + 1];
      const colour = how === 5 ? indexed(codes[at + 2] ?? 0) : how === 2 ? nearest(codes[at + 2] ?? 0, codes[at + 3] ?? 0, codes[at + 4] ?? 0) : undefined;
      // Backgrounds are not shown: with the same colour as the text they would hide it.
      if (code === 38) now = { ...now, colour };
      at += how === 5 ? 2 : how === 2 ? 4 : 0;
    }
  }
  return now;
}

/** A return without a line feed overwrites the line in a terminal; here it begins a new one. */
function withLines(text: string): string {
  // One pass over any number of returns.
  return text.replace(/\r*\n|\r+/g, '\n');
}

export function ansiPieces(text: string, most = MOST_PIECES): AnsiText {
  if (!/[\u001b\u009b\r]/.test(text)) return { pieces: text === '' ? [] : [{ text, ...NONE }], dropped: 0, plain: false };
  const pieces: AnsiPiece[] = [];
  let style: Style = NONE;
  let at = 0;
  let dropped = 0;
  let plain = false;
  const say = (piece: string): void => {
    if (piece === '') return;
    const last = pieces[pieces.length - 1];
    if (last !== undefined && (pieces.length >= most || same(last, style))) {
      if (!same(last, style)) plain = true;
      last.text += piece;
    } else pieces.push({ text: piece, ...style });
  };
  const whole = withLines(text);
  for (const match of whole.matchAll(CODE)) {
    say(whole.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[2] === 'm' && !/[<=>?]/.test(match[1] ?? '')) style = styled(style, match[1] ?? '');
    else dropped += 1;
  }
  say(whole.slice(at));
  return { pieces, dropped, plain };
}

/** How many lines a block has. The first has up to twice as many, so that all others have this many. */
export const BLOCK_LINES = 20;

/** The same pieces, split after line breaks into blocks that can be laid out one by one. */
export function lineBlocks(pieces: readonly AnsiPiece[]): AnsiPiece[][] {
  const lines = pieces.reduce((count, { text }) => count + text.split('\n').length - 1, 1);
  let block: AnsiPiece[] = [];
  const blocks = [block];
  let left = lines < 2 * BLOCK_LINES ? Infinity : BLOCK_LINES + (lines % BLOCK_LINES);
  for (const piece of pieces) {
    let from = 0;
    for (let at = piece.text.indexOf('\n'); at >= 0; at = piece.text.indexOf('\n', at + 1)) {
      left -= 1;
      if (left > 0) continue;
      left = BLOCK_LINES;
      block.push({ ...piece, text: piece.text.slice(from, at + 1) });
      from = at + 1;
      blocks.push((block = []));
    }
    if (from < piece.text.length) block.push(from === 0 ? piece : { ...piece, text: piece.text.slice(from) });
  }
  return blocks;
}

function same(one: Style, other: Style): boolean {
  return one.colour === other.colour && one.bold === other.bold && one.faint === other.faint && one.italic === other.italic && one.underlined === other.underlined;
}
