// How much of a diff is unfolded at first; a small diff is unfolded completely.
import type { Schemas } from '../lib/client';

type File = Schemas['FileDiff'];

/** Lines of one file shown at first, and added by each "show more". */
export const FIRST_LINES = 250;
export const MORE_LINES = 1000;
/** A run longer than the second number shows only the first number of lines. */
const RUN = { shown: 40, most: 60 };
/** Lines of all files together that are unfolded at first. */
const ALL_LINES = 800;
/** Files shown at first. */
export const FIRST_FILES = 40;

export function linesOf(file: File): number {
  return file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
}

/** Which files are unfolded at first: those that fit, and always the first. */
export function openAtFirst(files: readonly File[]): boolean[] {
  let room = ALL_LINES;
  return files.map((file, at) => {
    room -= Math.min(linesOf(file), FIRST_LINES);
    return at === 0 || room >= 0;
  });
}

/** The hunks up to this many lines. */
export function firstLines(hunks: File['hunks'], most: number): File['hunks'] {
  const kept: File['hunks'] = [];
  let room = most;
  for (const { lines } of hunks) {
    if (room <= 0) break;
    kept.push({ lines: lines.slice(0, room) });
    room -= lines.length;
  }
  return kept;
}

/** How many lines between two hunks are not shown; `undefined` if there are none or that is unknown. */
export function between(before: File['hunks'][number] | undefined, after: File['hunks'][number]): number | undefined {
  const next = after.lines[0]?.old ?? after.lines.find((line) => line.old !== undefined)?.old;
  const last = before === undefined ? 0 : before.lines.findLast((line) => line.old !== undefined)?.old;
  if (next === undefined || last === undefined) return undefined;
  const count = next - last - 1;
  return count > 0 ? count : undefined;
}

/** Consecutive lines with the same sign, and how many of them are shown at first. */
export interface Run {
  from: number;
  to: number;
  shown: number;
}

/** Runs of a hunk. Removed lines fold separately, so that added lines stay visible. */
export function runsOf(lines: File['hunks'][number]['lines']): Run[] {
  const found: Run[] = [];
  for (let from = 0; from < lines.length; ) {
    let to = from + 1;
    while (to < lines.length && lines[to]?.sign === lines[from]?.sign) to += 1;
    const count = to - from;
    found.push({ from, to, shown: count > RUN.most ? RUN.shown : count });
    from = to;
  }
  return found;
}

/** A path relative to a directory, if it is plainly inside. */
export function within(path: string, base: string | undefined): string {
  if (base === undefined || base === '' || base === '/' || !path.startsWith(`${base}/`)) return path;
  const rest = path.slice(base.length + 1);
  return rest === '' || rest.split('/').some((part) => part === '..' || part === '.' || part === '') ? path : rest;
}

/** What must be seen of a diff: the first line of each removed or added run. */
export function changedRuns(hunks: File['hunks']): File['hunks'][number]['lines'] {
  return hunks.flatMap(({ lines }) => lines.filter((line, at) => line.sign !== ' ' && line.sign !== lines[at - 1]?.sign));
}
