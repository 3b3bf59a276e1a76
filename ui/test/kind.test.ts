import { expect, test } from 'vitest';
import { isDemo } from '../src/question/kind';

test.each([
  ['token:019a8c7e-1111-7222-8333-000064656d6f', true],
  ['token:019a8c7e-1111-7222-8333-0123456789ab', false],
  // What an agent can make up.
  ['demo', false],
  ['socket:-000064656d6f', false],
  ['token:x token:019a8c7e-1111-7222-8333-000064656d6f', false],
])('%s', (askedBy, demo) => expect(isDemo({ askedBy })).toBe(demo));
