import { describe, expect, test } from 'vitest';
import { browserPermission, bodyOf as noticeBody, formOf, formError, zones } from '../src/settings/notificationForm';
import { sectionOf } from '../src/settings/sections';
import { type Token, type NewTokenForm, tokenOfLink, bodyOf, displayName, endedAt, endReason, isLoopback, isOwn, svgDataUrl, sorted, usage } from '../src/settings/tokens';
import { type Project, canBeTrusted, hasTrust, linesOf, sorted as byNeed } from '../src/settings/trust';

function token(id: string, more: Partial<Token> = {}): Token {
  return { id, name: id, role: 'admin', kind: 'device', counts: true, vouches: false, roots: [], createdAt: '2026-01-01T00:00:00Z', createdBy: 'terminal', ...more };
}

test('a section has an address', () => {
  expect(sectionOf(undefined)?.name).toBe('about');
  expect(sectionOf('trust')?.name).toBe('trust');
  expect(sectionOf('about')).toBeUndefined();
  expect(sectionOf('')).toBeUndefined();
});

describe('credentials', () => {
  test('of one kind, those that count first', () => {
    const list = [
      token('old'),
      token('api', { kind: 'api' }),
      token('used', { lastUsedAt: '2026-03-01T00:00:00Z' }),
      token('gone', { counts: false, revokedAt: '2026-02-01T00:00:00Z' }),
      token('later', { counts: false, expiresAt: '2026-02-02T00:00:00Z' }),
    ];
    const { counting, gone } = sorted(list, 'device');
    expect(counting.map(({ id }) => id)).toEqual(['used', 'old']);
    expect(gone.map(({ id }) => id)).toEqual(['later', 'gone']);
  });

  test('end by what came first', () => {
    const both = token('x', { counts: false, revokedAt: '2026-02-01T00:00:00Z', expiresAt: '2026-01-15T00:00:00Z' });
    expect([endedAt(both), endReason(both)]).toEqual(['2026-01-15T00:00:00Z', 'expired']);
    const revoked = token('x', { counts: false, revokedAt: '2026-02-01T00:00:00Z', expiresAt: '2026-05-01T00:00:00Z' });
    expect([endedAt(revoked), endReason(revoked)]).toEqual(['2026-02-01T00:00:00Z', 'revoked']);
  });

  test('of this browser are known by their id, else by their name', () => {
    const self = { name: 'desk', kind: 'device' };
    expect(isOwn(token('1', { name: 'desk' }), { ...self, id: '1' })).toBe(true);
    expect(isOwn(token('2', { name: 'desk' }), { ...self, id: '1' })).toBe(false);
    expect(isOwn(token('2', { name: 'desk' }), self)).toBe(true);
    expect(isOwn(token('2', { name: 'desk', kind: 'api' }), self)).toBe(false);
    expect(isOwn(token('2', { name: 'desk', counts: false }), self)).toBe(false);
    expect(isOwn(token('2'), undefined)).toBe(false);
  });

  test('are called what people called them', () => {
    expect(displayName(token('1', { name: 'phone (Safari on iPhone)', device: 'Safari on iPhone' }))).toBe('phone');
    expect(displayName(token('1', { name: 'phone (mine)' }))).toBe('phone (mine)');
  });

  test('a device that was not there before has followed the link', () => {
    const link = { name: 'phone', role: 'approver' } as const;
    const before = new Set(['1']);
    const phone = token('2', { name: 'phone (Chrome on Android)', role: 'approver' });
    expect(tokenOfLink(before, [token('1', { name: 'phone', role: 'approver' })], link)).toBeUndefined();
    expect(tokenOfLink(before, [token('3', { name: 'phone', role: 'admin' }), token('4', { name: 'phone', role: 'approver', kind: 'api' })], link)).toBeUndefined();
    expect(tokenOfLink(before, [token('1'), phone], link)).toBe(phone);
  });

  test('only those who ask are bound to agents and projects', () => {
    const wish: NewTokenForm = { name: ' ci ', role: 'agent', agent: ' ci-bot ', vouches: true, roots: ['/shop'], days: 30 };
    expect(bodyOf(wish)).toEqual({ name: 'ci', role: 'agent', agent: 'ci-bot', vouches: true, roots: ['/shop'], expiresInDays: 30 });
    expect(bodyOf({ ...wish, role: 'viewer', days: undefined })).toEqual({ name: 'ci', role: 'viewer' });
    expect(bodyOf({ ...wish, agent: ' ', vouches: false, roots: [] })).toEqual({ name: 'ci', role: 'agent', expiresInDays: 30 });
  });

  test('the terminal is for those who answer', () => {
    expect(usage('sks_1', 'http://127.0.0.1:1', 'agent')).toContain('SEKISHO_TOKEN=sks_1\n');
    expect(usage('sks_1', 'http://127.0.0.1:1', 'agent')).not.toContain('approvals');
    expect(usage('sks_1', 'http://127.0.0.1:1', 'admin')).toContain('sekisho approvals watch');
  });
});

test.each([
  ['http://127.0.0.1:8787/#link=x', true],
  ['http://127.1.2.3', true],
  ['http://localhost:1', true],
  ['http://a.localhost', true],
  ['http://[::1]:8787', true],
  ['http://127.0.0.1.example.com', false],
  ['https://sekisho.example.com', false],
  ['http://192.168.1.4:8787', false],
  ['not an address', false],
])('%s leads to the machine itself: %s', (address, local) => expect(isLoopback(address)).toBe(local));

test('a picture keeps its signs', () => {
  expect(decodeURIComponent(svgDataUrl('<svg fill="#000"/>').slice('data:image/svg+xml,'.length))).toBe('<svg fill="#000"/>');
});

describe('project files', () => {
  const project = (state: Project['state'], more: Partial<Project> = {}): Project => ({ root: `/${state}`, path: `/${state}/f`, state, ...more });

  test('are trusted only when all of them was shown', () => {
    const shown = { text: '{}', sha256: 'ab' };
    expect(canBeTrusted(project('never', shown))).toBe(true);
    expect(canBeTrusted(project('changed', shown))).toBe(true);
    expect(canBeTrusted(project('never', { sha256: 'ab' }))).toBe(false);
    expect(canBeTrusted(project('broken', shown))).toBe(false);
    expect(canBeTrusted(project('trusted', shown))).toBe(false);
  });

  test('have trust to take away', () => {
    expect(hasTrust(project('trusted'))).toBe(true);
    expect(hasTrust(project('changed'))).toBe(true);
    expect(hasTrust(project('never'))).toBe(false);
  });

  test('those that want a look come first', () => {
    const list = byNeed((['absent', 'trusted', 'never', 'broken', 'changed'] as const).map((state) => project(state)));
    expect(list.map(({ state }) => state)).toEqual(['broken', 'changed', 'never', 'trusted', 'absent']);
  });

  test('change line by line', () => {
    expect(linesOf('  {\n-   "a": 1\n+   "a": 2\n  …\n  }\n')).toEqual([
      { kind: 'same', text: '{' },
      { kind: 'removed', text: '  "a": 1' },
      { kind: 'added', text: '  "a": 2' },
      { kind: 'gap', text: '…' },
      { kind: 'same', text: '}' },
    ]);
  });
});

describe('notifications', () => {
  const told = { desktop: true, sound: false, minimumDanger: 'none' } as const;

  test('go into the form and out again', () => {
    const quietHours = { from: '21:00', to: '06:30', timeZone: 'Asia/Tokyo' };
    expect(noticeBody(formOf({ ...told, quietHours }, 'UTC'))).toEqual({ ...told, quietHours });
    expect(noticeBody(formOf(told, 'UTC'))).toEqual(told);
    expect(formOf(told, 'Asia/Tokyo').timeZone).toBe('Asia/Tokyo');
  });

  test('quiet hours are a part of the day', () => {
    const form = { ...formOf(told, 'UTC'), quiet: true };
    expect(formError(form)).toBeUndefined();
    expect(formError({ ...form, to: '' })).toBe('time');
    expect(formError({ ...form, from: '24:00' })).toBe('time');
    expect(formError({ ...form, to: form.from })).toBe('same');
    expect(formError({ ...form, quiet: false, to: '' })).toBeUndefined();
  });

  test('the zone in use is always among those to choose from', () => {
    expect(zones('Mars/Olympus', 'Asia/Tokyo', ['Asia/Tokyo'])).toEqual(['Asia/Tokyo', 'Mars/Olympus', 'UTC']);
  });

  test('are up to the browser', () => {
    expect(browserPermission({ secure: false, permission: 'denied' })).toBe('insecure');
    expect(browserPermission({ secure: true, permission: undefined })).toBe('missing');
    expect(browserPermission({ secure: true, permission: 'granted' })).toBe('granted');
    expect(browserPermission({ secure: true, permission: 'denied' })).toBe('denied');
    expect(browserPermission({ secure: true, permission: 'default' })).toBe('default');
  });
});
