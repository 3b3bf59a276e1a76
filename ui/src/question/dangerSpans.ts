// Where the words are that make a command dangerous, so that they can be marked in place. The server sends their
// positions, except for what runs inside a string of another command (`bash -c 'rm -rf dist'`).
import type { Schemas } from '../lib/client';
import { placesOf } from './segments';

type MarkedPart = Schemas['MarkedPart'];
type Danger = Schemas['Danger'];

/** A range of a string, in UTF-16 units. */
export interface TextSpan {
  from: number;
  to: number;
}

/** The positions that the server sent: UTF-8 bytes of the shown command, like the ranges of its parts. */
export function sentSpans(text: string, { spans = [] }: Danger): TextSpan[] {
  const places = placesOf(text, spans.flatMap(({ start, end }) => [start, end]));
  const found: TextSpan[] = [];
  for (const { start, end } of spans) {
    const [from, to] = [places.get(start) ?? 0, places.get(end) ?? 0];
    const last = found.at(-1);
    // Words with only blanks between them are one: `git push --force`.
    if (last !== undefined && from >= last.to && text.slice(last.to, from).trim() === '') last.to = Math.max(last.to, to);
    else if (to > from) found.push({ from, to });
  }
  return found;
}

function runsDanger(part: MarkedPart): boolean {
  return (part.inner ?? []).some((inner) => inner.danger?.level === 'danger' || runsDanger(inner));
}

/** The words that make a part dangerous: as the server says, or else all of it, unless it is dangerous for what it runs. */
function partSpans(text: string, part: MarkedPart, danger: Danger, within: TextSpan): TextSpan[] {
  if (danger.level !== 'danger') return [];
  const sent = sentSpans(text, danger);
  return sent.length > 0 ? sent : runsDanger(part) ? [] : [within];
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
  if (danger.level === 'danger') add(danger, sentSpans(text, danger));
  visit(text, parts, (part, within) => part.danger !== undefined && add(part.danger, partSpans(text, part, part.danger, within)));
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
