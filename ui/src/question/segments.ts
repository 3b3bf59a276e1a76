// A command and its parts, cut into segments that do not overlap. The server gives positions in bytes of
// UTF-8, and parts may be nested; a browser needs one piece of text after the other.
import type { Schemas } from '../lib/client';

type Decision = Schemas['Decision'];

export interface Segment {
  text: string;
  /** The parts it belongs to, outermost first, by their index in the list. Empty if it belongs to none. */
  over: number[];
  /** The strictest decision on the innermost of them and on everything that it runs. */
  decision: Decision | undefined;
  /**
   * There were more parts than are marked separately: this segment is the rest, with the strictest decision
   * in it.
   */
  rest?: true;
}

const STRICTNESS: Record<Decision, number> = { allow: 0, confirm: 1, deny: 2 };

/** The strictest of several decisions. */
export function strictest(decisions: Iterable<Decision>): Decision | undefined {
  let found: Decision | undefined;
  for (const decision of decisions) {
    if (found === undefined || STRICTNESS[decision] > STRICTNESS[found]) found = decision;
  }
  return found;
}

interface Judged {
  decision: Decision;
  parts?: readonly Judged[];
  inner?: readonly Judged[];
}

/** The decision on all parts and on what they run inside; `undefined` if they differ. */
export function uniformDecision(parts: readonly Judged[]): Decision | undefined {
  const first = parts[0]?.decision;
  const same = (list: readonly Judged[]): boolean => list.every(({ decision, parts = [], inner = [] }) => decision === first && same(parts) && same(inner));
  return same(parts) ? first : undefined;
}

/** Bytes of a character in UTF-8. */
function size(code: number): number {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

/**
 * Converts byte positions to positions in the string. A position inside a character becomes the start of that
 * character; one after the end becomes the end.
 */
export function placesOf(text: string, bytes: readonly number[]): Map<number, number> {
  const wanted = [...new Set(bytes)].sort((a, b) => a - b);
  const found = new Map<number, number>();
  let next = 0;
  let passed = 0;
  let at = 0;
  while (at < text.length && next < wanted.length) {
    const code = text.codePointAt(at) ?? 0;
    const after = passed + size(code);
    for (let place = wanted[next]; place !== undefined && place < after; place = wanted[next]) {
      found.set(place, at);
      next += 1;
    }
    passed = after;
    at += code > 0xffff ? 2 : 1;
  }
  for (const place of wanted.slice(next)) found.set(place, text.length);
  return found;
}

/**
 * The strictest decision on a part and everything it runs. An allowed part may run something that is not
 * allowed.
 */
function weight(part: Schemas['MarkedPart']): Decision {
  return strictest([part.decision, ...(part.inner ?? []).map(weight)]) ?? part.decision;
}

interface Placed {
  index: number;
  from: number;
  to: number;
  decision: Decision;
}

function placed(text: string, parts: readonly Schemas['MarkedPart'][]): Placed[] {
  const places = placesOf(text, parts.flatMap((part) => part.range ?? []));
  const all = parts.flatMap((part, index): Placed[] => {
    const { range } = part;
    if (range === undefined) return [];
    const from = places.get(range[0]) ?? 0;
    const to = places.get(range[1]) ?? 0;
    return to > from ? [{ index, from, to, decision: weight(part) }] : [];
  });
  // Outer parts come before inner ones: by start, and of two with the same start the longer first.
  return all.sort((a, b) => a.from - b.from || b.to - a.to || a.index - b.index);
}

/** The text in segments. At most `most` parts are marked separately; the text after them is one segment. */
export function segments(text: string, parts: readonly Schemas['MarkedPart'][], most = 1000): Segment[] {
  const all = placed(text, parts);
  const shown = all.slice(0, most);
  const end = all[most]?.from ?? text.length;
  const edges = new Set([0, end]);
  for (const { from, to } of shown) edges.add(from).add(Math.min(to, end));
  const sorted = [...edges].sort((a, b) => a - b);
  const found: Segment[] = [];
  let open: Placed[] = [];
  let next = 0;
  for (const [place, from] of sorted.entries()) {
    const to = sorted[place + 1];
    if (to === undefined) break;
    open = open.filter((part) => part.to > from);
    for (let part = shown[next]; part !== undefined && part.from <= from; part = shown[next]) {
      open.push(part);
      next += 1;
    }
    // If two parts overlap and neither contains the other, the shorter counts as the inner one.
    const over = [...open].sort((a, b) => b.to - b.from - (a.to - a.from) || a.index - b.index);
    found.push({ text: text.slice(from, to), over: over.map((part) => part.index), decision: over.at(-1)?.decision });
  }
  const rest = all.slice(most);
  if (rest.length > 0) {
    const decision = strictest([...rest, ...shown.filter((part) => part.to > end)].map((part) => part.decision));
    found.push({ text: text.slice(end), over: [], decision, rest: true });
  }
  return found;
}

/** The first segments up to this many characters, and whether that is all. */
export function clipped<Kept extends Segment>(all: readonly Kept[], longest: number, roomOf = (segment: Kept) => segment.text.length): { segments: Kept[]; whole: boolean } {
  const kept: Kept[] = [];
  let room = longest;
  for (const segment of all) {
    if (roomOf(segment) > room) {
      // Do not cut a surrogate pair.
      const cut = /[\ud800-\udbff]$/.test(segment.text.slice(0, room)) ? room - 1 : room;
      if (cut > 0) kept.push({ ...segment, text: segment.text.slice(0, cut) });
      return { segments: kept, whole: false };
    }
    kept.push(segment);
    room -= roomOf(segment);
  }
  return { segments: kept, whole: true };
}
