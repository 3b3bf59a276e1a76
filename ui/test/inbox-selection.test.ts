import { expect, test } from 'vitest';
import { Selection } from '../src/inbox/selection.svelte';

const SHOWN = ['a', 'b', 'c', 'd', 'e'];
const of = (selection: Selection): string => [...selection.ids].toSorted().join('');

test('one by one, and in a range in either direction', () => {
  const selection = new Selection();
  selection.toggle('d', SHOWN);
  selection.toggle('b', SHOWN, true);
  expect(of(selection)).toBe('bcd');
  selection.toggle('c', SHOWN);
  expect(of(selection)).toBe('bd');
});

test('a range without a beginning is the one', () => {
  const selection = new Selection();
  selection.toggle('c', SHOWN, true);
  expect(of(selection)).toBe('c');
  const other = new Selection();
  other.toggle('z', [...SHOWN, 'z']);
  other.toggle('b', SHOWN, true);
  expect(of(other)).toBe('bz');
});

test('a range takes out where its end is taken out', () => {
  const selection = new Selection();
  selection.toggleAll(SHOWN);
  selection.toggle('b', SHOWN);
  selection.toggle('d', SHOWN, true);
  expect(of(selection)).toBe('ae');
});

test('all that are shown, then none of them; those not shown stay', () => {
  const selection = new Selection();
  selection.toggle('z', ['z']);
  selection.toggleAll(SHOWN);
  expect(of(selection)).toBe('abcdez');
  selection.toggleAll(SHOWN);
  expect(of(selection)).toBe('z');
});

test('what is not open any more is not selected any more', () => {
  const selection = new Selection();
  selection.toggleAll(SHOWN);
  selection.keep((id) => id !== 'c');
  expect(of(selection)).toBe('abde');
  const before = selection.ids;
  selection.keep(() => true);
  expect(selection.ids).toBe(before);
});
