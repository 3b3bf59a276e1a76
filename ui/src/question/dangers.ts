// All that is dangerous about a call, not only what the worst part of it does: of several that are equally bad, whoever wrote
// the call chooses which comes first.
import type { Schemas } from '../lib/client';

type Danger = Schemas['Danger'];

/** So many are said; the rest is counted. */
export const MOST_DANGERS = 5;
const RANK = { danger: 0, caution: 1, none: 2 } as const;

function ofParts(parts: readonly Schemas['MarkedPart'][]): Danger[] {
  return parts.flatMap((part) => [...(part.danger === undefined ? [] : [part.danger]), ...ofParts(part.inner ?? [])]);
}

/** The different sentences, worst first, the call's own before those of its parts. What is harmless is only said where all is. */
export function dangersOf(shown: Pick<Schemas['Shown'], 'danger' | 'form'>): Danger[] {
  const parts = shown.form.form === 'command' ? ofParts(shown.form.parts).filter(({ level }) => level !== 'none') : [];
  const said = new Set<string>();
  const found: Danger[] = [];
  for (const danger of [shown.danger, ...parts.sort((a, b) => RANK[a.level] - RANK[b.level])]) {
    // One sentence may hold several clauses, and the same may stand in another.
    const clauses = danger.why.split('; ').filter((clause) => !said.has(clause));
    if (clauses.length === 0) continue;
    for (const clause of clauses) said.add(clause);
    found.push({ level: danger.level, why: clauses.join('; ') });
  }
  return found;
}
