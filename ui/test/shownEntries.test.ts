import { describe, expect, it } from 'vitest';
import { ShownEntries, WINDOW, hiddenBefore } from '../src/runs/shownEntries';

interface Item {
  key: number;
  version?: number;
}
const items = (from: number, to: number): Item[] => Array.from({ length: to - from }, (_, at) => ({ key: from + at }));
const keys = (shown: ShownEntries<Item>): number[] => shown.list.map(({ key }) => key);

/** Steps until nothing changes, and checks what is true at any time. Returns how many steps that took. */
function settle(shown: ShownEntries<Item>, all: readonly Item[], more = 0): number {
  for (let steps = 0; ; steps += 1) {
    const before = new Set(shown.list);
    if (!shown.step(all, more)) {
      expect(shown.list).toEqual(all.slice(hiddenBefore(all, more)));
      return steps;
    }
    expect(new Set(keys(shown)).size).toBe(shown.list.length);
    expect(shown.list.length).toBeLessThanOrEqual(WINDOW + more);
    if (shown.list.filter((item) => !before.has(item)).length > 1) expect.fail('one at a time');
  }
}

describe('entries on the page', () => {
  it('are the last ones of the story, and come one by one', () => {
    const shown = new ShownEntries<Item>();
    expect(shown.step([], 0)).toBe(false);
    const few = items(0, 5);
    expect(settle(shown, few)).toBe(5);
    expect(settle(shown, few)).toBe(0);
    const all = items(0, 1000);
    const late = new ShownEntries<Item>();
    expect(settle(late, all)).toBe(WINDOW);
    expect(keys(late)[0]).toBe(1000 - WINDOW);
    expect(settle(late, all, 50)).toBe(50);
    expect(settle(late, all, 5000)).toBe(1000 - WINDOW - 50);
  });

  it('begin with the newest after a burst', () => {
    const shown = new ShownEntries<Item>();
    const all = items(0, 3);
    settle(shown, all);
    all.push(...items(3, 800));
    shown.step(all, 0);
    expect(keys(shown)).toEqual([799]);
    expect(settle(shown, all)).toBe(WINDOW - 1);
  });

  it('keep their places when only one of them changes', () => {
    const shown = new ShownEntries<Item>();
    const all = items(0, 300);
    settle(shown, all);
    all[299] = { key: 299, version: 2 };
    all[250] = { key: 250, version: 2 };
    // An entry that is not on the page needs no work.
    all[3] = { key: 3, version: 2 };
    expect(settle(shown, all)).toBe(2);
    all.push(...items(300, 303));
    expect(settle(shown, all)).toBe(3);
  });

  it('follow a text that was taken back', () => {
    const shown = new ShownEntries<Item>();
    const all = items(0, 10);
    settle(shown, all);
    all.splice(7, 1);
    settle(shown, all);
    expect(keys(shown)).toEqual([0, 1, 2, 3, 4, 5, 6, 8, 9]);
    all.splice(0);
    while (shown.step(all, 0));
    expect(shown.list).toEqual([]);
  });
});
