// Compares two texts line by line, with a result in the format of the server's diffs.
import { structuredPatch } from 'diff';
import type { Schemas } from '../lib/client';
import { escapeHidden } from '../lib/hiddenCharacters';

type Line = Schemas['DiffLine'];
type Hunk = Schemas['DiffHunk'];

export interface LineDiff {
  hunks: Hunk[];
  added: number;
  removed: number;
}

/** The maximum number of differing lines; with more, one text replaces the other as a whole. */
const MOST_EDITS = 2000;

function replaced(before: string, after: string): Hunk[] {
  const went = before.split('\n').map((text, at): Line => ({ sign: '-', old: at + 1, text: escapeHidden(text) }));
  const came = after.split('\n').map((text, at): Line => ({ sign: '+', new: at + 1, text: escapeHidden(text) }));
  return [{ lines: [...went, ...came] }];
}

/** The differences. Hidden characters are escaped. */
export function lineDiff(before: string, after: string, context = 3): LineDiff {
  if (before === after) return { hunks: [], added: 0, removed: 0 };
  const patch = structuredPatch('', '', before, after, undefined, undefined, { context, maxEditLength: MOST_EDITS });
  const hunks = patch === undefined ? replaced(before, after) : patch.hunks.map(hunkOf);
  const count = (sign: Line['sign']): number => hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.sign === sign).length, 0);
  return { hunks, added: count('+'), removed: count('-') };
}

function hunkOf(hunk: { oldStart: number; newStart: number; lines: string[] }): Hunk {
  let old = hunk.oldStart;
  let now = hunk.newStart;
  const lines = hunk.lines.flatMap((line): Line[] => {
    const text = escapeHidden(line.slice(1));
    if (line.startsWith('+')) return [{ sign: '+', new: now++, text }];
    if (line.startsWith('-')) return [{ sign: '-', old: old++, text }];
    // "\ No newline at end of file" is not a line of the text.
    if (line.startsWith('\\')) return [];
    return [{ sign: ' ', old: old++, new: now++, text }];
  });
  return { lines };
}
