// Axes: round numbers on them, and where things lie.

/** Round steps from zero to at least `max`, about `count` of them. Whole numbers: calls are not divided. */
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

/** The same for times, in milliseconds: people count them in sixties. */
export function timeTicks(max: number, count = 4): number[] {
  const rough = max / count;
  return upTo(max, ROUND.find((step) => step >= rough) ?? Math.ceil(rough / (168 * HOUR)) * 168 * HOUR);
}

function upTo(max: number, step: number): number[] {
  const steps = Math.max(1, Math.ceil(max / step));
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}

/** Which of so many labels there is room for: each so many pixels wide, the last one always among them. */
export function spaced(count: number, room: number, width: number): Set<number> {
  const every = Math.max(1, Math.ceil((count * width) / Math.max(1, room)));
  const shown = new Set<number>();
  for (let index = count - 1; index >= 0; index -= every) shown.add(index);
  return shown;
}

/** Where a plot's things lie. */
export interface Geometry {
  /** The left edge of a step. */
  left: (index: number) => number;
  /** How wide a step is. */
  band: number;
  /** The height of a value. */
  y: (value: number) => number;
  /** The line of zero. */
  base: number;
  /** The step that is pointed at. */
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

/** The step under a point, given how far it is from the left. */
export function under(x: number, gutter: number, band: number, count: number): number {
  if (band <= 0) return 0;
  return Math.min(count - 1, Math.max(0, Math.floor((x - gutter) / band)));
}

/** Where a key leads from a step; none: it is not ours. */
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

/** Lines through values with gaps: one path for each stretch. */
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
