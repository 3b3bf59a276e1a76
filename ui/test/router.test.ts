import { expect, test } from 'vitest';
import { placeOf } from '../src/lib/pageRoute';

test.each([
  ['/', { room: 'inbox', question: undefined }],
  ['/approvals/abc', { room: 'inbox', question: 'abc' }],
  ['/approvals', { room: 'nowhere' }],
  ['/rules', { room: 'rules' }],
  ['/rules/x', { room: 'nowhere' }],
  ['/audit', { room: 'audit' }],
  ['/settings', { room: 'settings', section: undefined }],
  ['/settings/tokens', { room: 'settings', section: 'tokens' }],
  ['/a/b/c', { room: 'nowhere' }],
])('%s', (path, place) => expect(placeOf(path)).toEqual(place));
