import { expect, test } from 'vitest';
import { Selection } from '../src/inbox/selection.svelte';

const SHOWN = ['a', 'b', 'c', 'd', 'e'];
const of = (selection: Selection): string => [...selection.ids].toSorted().join('');

test('toggles one, and selects ranges in either direction', () => {
  const selection = new Selection();
  selection.toggle('d', SHOWN);
  selection.toggle('b', SHOWN, true);
  expect(of(selection)).toBe('bcd');
  selection.toggle('c', SHOWN);
  expect(of(selection)).toBe('bd');
});

test('a range without a start selects one item', () => {
  const selection = new Selection();
  selection.toggle('c', SHOWN, true);
  expect(of(selection)).toBe('c');
  const other = new Selection();
  other.toggle('z', [...SHOWN, 'z']);
  other.toggle('b', SHOWN, true);
  expect(of(other)).toBe('bz');
});

test('a range that ends on a selected item deselects', () => {
  const selection = new Selection();
  selection.toggleAll(SHOWN);
  selection.toggle('b', SHOWN);
  selection.toggle('d', SHOWN, true);
  expect(of(selection)).toBe('ae');
});

test('selects all shown items, then none; hidden ones are unchanged', () => {
  const selection = new Selection();
  selection.toggle('z', ['z']);
  selection.toggleAll(SHOWN);
  expect(of(selection)).toBe('abcdez');
  selection.toggleAll(SHOWN);
  expect(of(selection)).toBe('z');
});

test('questions that ended are deselected', () => {
  const selection = new Selection();
  selection.toggleAll(SHOWN);
  selection.keep((id) => id !== 'c');
  expect(of(selection)).toBe('abde');
  const before = selection.ids;
  selection.keep(() => true);
  expect(selection.ids).toBe(before);
});
