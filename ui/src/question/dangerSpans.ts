// Where the words are that make a command dangerous, so that they can be marked in place. The server sends
// their positions; a question of an older server has none, and then a simple look finds the usual words.
import type { Schemas } from '../lib/client';
import { placesOf } from './segments';

type MarkedPart = Schemas['MarkedPart'];
type Danger = Schemas['Danger'];

/** A range of a string, in UTF-16 units. */
export interface TextSpan {
  from: number;
  to: number;
}

/** The positions a danger carries: UTF-8 bytes of the shown command, like the ranges of its parts. */
type Placed = Danger & { spans?: readonly { start: number; end: number }[] };

/** Words that cause a danger, by code. Without an entry, the program and its first options count. */
const WORDS: Partial<Record<string, RegExp>> = {
  deletes_found_files: /(?<=\s)-delete\b/g,
  runs_command_for_every_file: /(?<=\s)-exec(?:dir)?\s+\S+/g,
  overwrites_remote_history: /(?<=\s)(?:--force\S*|--mirror\b|-[a-z]*f[a-z]*\b|\+\S+)/g,
  deletes_remote_branches: /(?<=\s)(?:--delete\b|-d\b|--prune\b|:\S+)/g,
  deletes_branch: /(?<=\s)(?:-[dD]\b|--delete\b)/g,
  discards_uncommitted_changes: /(?<=\s)(?:--hard|reset|restore|checkout|clean)\b/g,
  rewrites_files_in_place: /(?<=\s)(?:-i\S*|--in-place\S*)/g,
};
/** A shell that runs what it reads: `| sh`, `| sudo bash -s`. */
const PIPED = /\|&?\s*(?:sudo\s+(?:-\S+\s+)*)?(?:\S*\/)?(?:ba|da|z|k|fi|a)?sh\b(?!\.)/g;
const PIPED_INTO = /\|&?\s*(?:sudo\s+(?:-\S+\s+)*)?(?:\S*\/)?(?:python[\d.]*|node|perl|ruby|php)\b/g;
/** Programs whose second word says what they do. */
const LEADING = /^(?:(?:sudo|doas|env|command|nohup|time|exec)\s+(?:-\S+\s+)*)?(?:(?:git|gh|docker|podman|kubectl|helm|terraform|aws|gcloud|az|npm|pnpm|yarn|cargo|systemctl|brew|apt|apt-get|dnf|pip|pip3)\s+(?:-\S+\s+)*\S+|\S+)(?:\s+-\S+)*/;
const MOST = 20;

function matches(text: string, within: TextSpan, pattern: RegExp): TextSpan[] {
  const found = [...text.slice(within.from, within.to).matchAll(pattern)].slice(0, MOST);
  return found.map((match) => ({ from: within.from + match.index, to: within.from + match.index + match[0].length }));
}

function sent(text: string, danger: Danger): TextSpan[] {
  const spans = (danger as Placed).spans ?? [];
  const places = placesOf(text, spans.flatMap(({ start, end }) => [start, end]));
  return spans.map(({ start, end }) => ({ from: places.get(start) ?? 0, to: places.get(end) ?? 0 })).filter(({ from, to }) => to > from);
}

/** The words of one danger inside a range of the text. */
function guessed(text: string, danger: Danger, within: TextSpan): TextSpan[] {
  const codes = [danger.code, ...(danger.further ?? [])].filter((code) => code !== undefined && code !== null);
  const found = codes.flatMap((code) => {
    const pattern = WORDS[code];
    return pattern === undefined ? [] : matches(text, within, pattern);
  });
  if (found.length > 0) return found;
  const first = LEADING.exec(text.slice(within.from, within.to));
  return first === null ? [] : [{ from: within.from, to: within.from + first[0].length }];
}

/** The words that make a part dangerous. `within`: where the part is. */
export function partSpans(text: string, part: MarkedPart, within: TextSpan): TextSpan[] {
  if (part.danger?.level !== 'danger') return [];
  const placed = sent(text, part.danger);
  return placed.length > 0 ? placed : guessed(text, part.danger, within);
}

/** Where a part is: its own range or, for a part that runs inside another, its text in that one. */
export function rangeOf(text: string, part: MarkedPart, places: ReadonlyMap<number, number>, outer: TextSpan | undefined): TextSpan | undefined {
  if (part.range !== undefined) return { from: places.get(part.range[0]) ?? 0, to: places.get(part.range[1]) ?? 0 };
  if (outer === undefined || part.text === '') return undefined;
  const at = text.slice(outer.from, outer.to).indexOf(part.text);
  return at === -1 ? outer : { from: outer.from + at, to: outer.from + at + part.text.length };
}

/** Visits each part with its place, outer ones first. */
function visit(text: string, parts: readonly MarkedPart[], see: (part: MarkedPart, within: TextSpan) => void, outer?: TextSpan): void {
  const places = placesOf(text, parts.flatMap((part) => part.range ?? []));
  for (const part of parts) {
    const within = rangeOf(text, part, places, outer);
    if (within === undefined) continue;
    see(part, within);
    visit(text, part.inner ?? [], see, within);
  }
}

/** The words that make the call as a whole dangerous, such as `| sh`. */
function callSpans(text: string, danger: Danger): TextSpan[] {
  if (danger.level !== 'danger') return [];
  const placed = sent(text, danger);
  if (placed.length > 0) return placed;
  const runs = danger.code === 'runs_fetched' || danger.code === 'runs_decoded';
  const whole = { from: 0, to: text.length };
  return runs ? [...matches(text, whole, PIPED), ...matches(text, whole, PIPED_INTO)] : [];
}

export interface DangerPlaces {
  /** In order, without overlaps. */
  spans: TextSpan[];
  /** The words of each danger, by its code. */
  words: ReadonlyMap<string, readonly string[]>;
}

/** All dangerous words of a command, and which danger each belongs to. */
export function dangerPlaces(text: string, parts: readonly MarkedPart[], danger: Danger): DangerPlaces {
  const words = new Map<string, string[]>();
  const all: TextSpan[] = [];
  const add = (own: Danger, spans: readonly TextSpan[]): void => {
    all.push(...spans);
    for (const code of [own.code, ...(own.further ?? [])]) {
      if (code === undefined || code === null) continue;
      const known = words.get(code) ?? [];
      words.set(code, [...new Set([...known, ...spans.map(({ from, to }) => text.slice(from, to).replaceAll(/\s+/g, ' '))])]);
    }
  };
  add(danger, callSpans(text, danger));
  visit(text, parts, (part, within) => part.danger !== undefined && add(part.danger, partSpans(text, part, within)));
  return { spans: joined(all), words };
}

/** In order, with those that overlap joined. */
export function joined(spans: readonly TextSpan[]): TextSpan[] {
  const found: TextSpan[] = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from || b.to - a.to)) {
    const last = found.at(-1);
    if (last !== undefined && span.from < last.to) last.to = Math.max(last.to, span.to);
    else found.push({ ...span });
  }
  return found;
}
