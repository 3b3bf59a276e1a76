import { expect, test } from 'vitest';
import { routeOf } from '../src/lib/pageRoute';

test.each([
  ['/', { page: 'inbox', question: undefined }],
  ['/approvals/abc', { page: 'inbox', question: 'abc' }],
  ['/approvals', { page: 'nowhere' }],
  ['/rules', { page: 'rules' }],
  ['/rules/x', { page: 'nowhere' }],
  ['/audit', { page: 'audit' }],
  ['/settings', { page: 'settings', section: undefined }],
  ['/settings/tokens', { page: 'settings', section: 'tokens' }],
  ['/a/b/c', { page: 'nowhere' }],
])('%s', (path, place) => expect(routeOf(path)).toEqual(place));
