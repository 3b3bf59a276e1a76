// Scales of the axes: round values, and positions in pixels.

/** Round steps from zero to at least `max`, about `count` of them. Integers only, because calls are counted. */
export function ticks(max: number, count = 4): number[] {
  const rough = Math.max(1, max / count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough) ?? rough;
  return upTo(max, Math.max(1, Math.round(step)));
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const ROUND = [
  ...[10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 20, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 4, 8, 12, 24, 48, 96, 168].map((hours) => hours * HOUR),
];

/** Round steps for durations in milliseconds: in seconds, minutes and hours. */
export function timeTicks(max: number, count = 4): number[] {
  const rough = max / count;
  return upTo(max, ROUND.find((step) => step >= rough) ?? Math.ceil(rough / (168 * HOUR)) * 168 * HOUR);
}

function upTo(max: number, step: number): number[] {
  const steps = Math.max(1, Math.ceil(max / step));
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}

/** Which labels fit, given the width of one in pixels. The last label is always included. */
export function spaced(count: number, room: number, width: number): Set<number> {
  const every = Math.max(1, Math.ceil((count * width) / Math.max(1, room)));
  const shown = new Set<number>();
  for (let index = count - 1; index >= 0; index -= every) shown.add(index);
  return shown;
}

/** Positions in a plot. */
export interface Geometry {
  /** The left edge of a step. */
  left: (index: number) => number;
  /** How wide a step is. */
  band: number;
  /** The height of a value. */
  y: (value: number) => number;
  /** The height of zero. */
  base: number;
  /** The selected step. */
  at: number | undefined;
}

export const GUTTER = { top: 8, right: 8, bottom: 22 } as const;

export function geometry(size: { width: number; height: number; gutter: number; count: number; top: number; at: number | undefined }): Geometry {
  const band = Math.max(0, size.width - size.gutter - GUTTER.right) / Math.max(1, size.count);
  const base = size.height - GUTTER.bottom;
  const room = base - GUTTER.top;
  return {
    left: (index) => size.gutter + index * band,
    band,
    y: (value) => base - (size.top === 0 ? 0 : (value / size.top) * room),
    base,
    at: size.at,
  };
}

/** The step at a distance from the left edge. */
export function under(x: number, gutter: number, band: number, count: number): number {
  if (band <= 0) return 0;
  return Math.min(count - 1, Math.max(0, Math.floor((x - gutter) / band)));
}

/** The step that a key selects; `undefined` for a key that does not move the cursor. */
export function stepped(key: string, at: number, count: number): number | undefined {
  const to = {
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    PageDown: at - Math.ceil(count / 8),
    PageUp: at + Math.ceil(count / 8),
    Home: 0,
    End: count - 1,
  }[key];
  return to === undefined ? undefined : Math.min(count - 1, Math.max(0, to));
}

/** One path for each run of values without a gap. */
export function stretches(values: readonly (number | undefined)[], point: (index: number, value: number) => [number, number]): string[] {
  const paths: string[] = [];
  let path = '';
  for (const [index, value] of values.entries()) {
    if (value === undefined) {
      if (path !== '') paths.push(path);
      path = '';
      continue;
    }
    const [x, y] = point(index, value);
    path += `${path === '' ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
  }
  if (path !== '') paths.push(path);
  return paths;
}
