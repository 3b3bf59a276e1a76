import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backoff } from '../src/index.js';

test('delays double up to a maximum, with jitter', () => {
  const low = new Backoff({ firstMs: 100, longestMs: 1000, random: () => 0 });
  const high = new Backoff({ firstMs: 100, longestMs: 1000, random: () => 1 });
  assert.deepEqual(Array.from({ length: 6 }, () => low.next()), [50, 100, 200, 400, 500, 500]);
  assert.deepEqual(Array.from({ length: 6 }, () => high.next()), [100, 200, 400, 800, 1000, 1000]);
  for (let tries = 0; tries < 2000; tries += 1) assert.ok(high.next() <= 1000);
});

test('two clients do not reconnect at the same time', () => {
  const pauses = new Set(Array.from({ length: 50 }, () => new Backoff().next()));
  assert.ok(pauses.size > 40);
});

test('the server can ask for a longer delay, and a success resets it', () => {
  const backoff = new Backoff({ firstMs: 100, random: () => 1 });
  assert.equal(backoff.next(5000), 5000);
  assert.equal(backoff.tries, 1);
  backoff.reset();
  assert.equal(backoff.next(), 100);
  backoff.suggest(40);
  backoff.reset();
  assert.equal(backoff.next(), 40);
});
