import { describe, expect, test } from 'vitest';
import { personName } from '../src/lib/personNames';
import { briefId, tokenId } from '../src/lib/tokenIds';

const ID = '01a1dff0-084c-7b68-ba1d-7d610f2ffb2a';

describe('names', () => {
  test("a person's name is shown without the trailing id", () => {
    expect(personName(`mai (phone) (${ID})`)).toBe('mai (phone)');
    expect(personName(`mai (${ID}) (${ID})`)).toBe(`mai (${ID})`);
    expect(personName('admin')).toBe('admin');
    expect(personName(` (${ID})`)).toBe(` (${ID})`);
  });

  test('a token id is parsed only from a token credential', () => {
    expect(tokenId(`token:${ID}`)).toBe(ID);
    for (const other of ['token:agent', `x token:${ID}`, `token:${ID} `, 'uid:0']) expect(tokenId(other)).toBeUndefined();
  });

  test('ids are shortened, other texts are not', () => {
    expect(briefId(ID)).toBe('01a1dff0');
    expect(briefId(`ticket-${ID}`)).toBe(`ticket-${ID}`);
  });
});
