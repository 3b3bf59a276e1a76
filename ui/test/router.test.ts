import { expect, test } from 'vitest';
import { routeOf } from '../src/lib/pageRoute';

test.each([
  ['/', { page: 'inbox', question: undefined }],
  ['/approvals/abc', { page: 'inbox', question: 'abc' }],
  ['/approvals', { page: 'nowhere' }],
  ['/agents', { page: 'agents', agent: undefined }],
  ['/agents/abc', { page: 'agents', agent: 'abc' }],
  ['/agents/abc/d', { page: 'nowhere' }],
  ['/runs', { page: 'runs', run: undefined }],
  ['/runs/abc', { page: 'runs', run: 'abc' }],
  ['/pipelines', { page: 'pipelines', pipeline: undefined, run: undefined }],
  ['/pipelines/abc', { page: 'pipelines', pipeline: 'abc', run: undefined }],
  ['/pipelines/runs', { page: 'nowhere' }],
  ['/pipelines/runs/abc', { page: 'pipelines', pipeline: undefined, run: 'abc' }],
  ['/pipelines/abc/d', { page: 'nowhere' }],
  ['/rules', { page: 'rules' }],
  ['/rules/x', { page: 'nowhere' }],
  ['/audit', { page: 'audit' }],
  ['/settings', { page: 'settings', section: undefined }],
  ['/settings/tokens', { page: 'settings', section: 'tokens' }],
  ['/a/b/c', { page: 'nowhere' }],
])('%s', (path, place) => expect(routeOf(path)).toEqual(place));
