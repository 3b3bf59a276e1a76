// All dangers of a call, not only the first: among equal ones, the author of the call
// decides which comes first.
import type { Schemas } from '../lib/client';
import { type DangerPlaces, dangerPlaces } from './dangerSpans';

type Danger = Schemas['Danger'];

/** Dangers that are shown; the rest is counted. */
export const MOST_DANGERS = 5;
const RANK = { danger: 0, caution: 1, none: 2 } as const;

function ofParts(parts: readonly Schemas['MarkedPart'][]): Danger[] {
  return parts.flatMap((part) => [...(part.danger === undefined ? [] : [part.danger]), ...ofParts(part.inner ?? [])]);
}

/** Distinct dangers, worst first, those of the call before those of its parts. Harmless is shown only if everything is. */
export function dangersOf(shown: Pick<Schemas['Shown'], 'danger' | 'form'>): Danger[] {
  const parts = shown.form.form === 'command' ? ofParts(shown.form.parts).filter(({ level }) => level !== 'none') : [];
  const told = new Set<string>();
  const found: Danger[] = [];
  for (const danger of [shown.danger, ...parts.sort((a, b) => RANK[a.level] - RANK[b.level])]) {
    const codes = [...(danger.code === undefined ? [] : [danger.code]), ...(danger.further ?? [])];
    // Without a known code, the server's own text is shown.
    if (codes.length === 0) found.push(danger);
    const [code, ...further] = codes.filter((code) => !told.has(code));
    if (code === undefined) continue;
    for (const one of [code, ...further]) told.add(one);
    found.push({ ...danger, code, further });
  }
  return found;
}

interface Judged {
  kind?: Schemas['PartKind'];
  danger?: Danger;
  parts?: readonly Judged[];
  inner?: readonly Judged[];
}

function hasDanger(part: Judged): boolean {
  return [...(part.parts ?? []), ...(part.inner ?? [])].some((one) => one.danger?.level === 'danger' || hasDanger(one));
}

/**
 * The danger of a part as it stands in its command. By itself `sh` is a caution; as the end of `curl … | sh` it is what makes the
 * command dangerous, and is shown like that. `range` and the spans of `whole` are of the same text.
 */
export function dangerInside(part: Judged, range: readonly [number, number] | undefined, whole: Danger | undefined): Danger | undefined {
  if (whole?.level !== 'danger' || part.danger?.level === 'danger' || part.kind !== 'command' || range === undefined || hasDanger(part)) return part.danger;
  return (whole.spans ?? []).some(({ start, end }) => start < range[1] && end > range[0]) ? whole : part.danger;
}

/** Where the dangerous words of a command are; of another form, none. */
export function placesOfDangers(shown: Pick<Schemas['Shown'], 'danger' | 'form'>): DangerPlaces {
  return shown.form.form === 'command' ? dangerPlaces(shown.form.text, shown.form.parts, shown.danger) : { spans: [], words: new Map() };
}

/** Longer words are not repeated beside the sentence. */
const LONGEST_WORDS = 40;
const MOST_WORDS = 3;

/** The dangerous words that belong to a danger, to show beside its sentence. */
export function wordsOfDanger(danger: Danger, { words }: DangerPlaces): string[] {
  if (danger.level !== 'danger') return [];
  const all = [danger.code, ...(danger.further ?? [])].flatMap((code) => (code === undefined || code === null ? [] : (words.get(code) ?? [])));
  return [...new Set(all)].filter((word) => word.length <= LONGEST_WORDS).slice(0, MOST_WORDS);
}
