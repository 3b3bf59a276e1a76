import { describe, expect, test } from 'vitest';
import { browserPermission, bodyOf as noticeBody, formOf, formError, zones } from '../src/settings/notificationForm';
import { sectionOf } from '../src/settings/sections';
import { type Token, type NewTokenForm, tokenOfLink, bodyOf, displayName, endedAt, endReason, isLoopback, isOwn, svgDataUrl, sorted, usage } from '../src/settings/tokens';
import { type Project, canBeTrusted, hasTrust, linesOf, sorted as byNeed } from '../src/settings/trust';

function token(id: string, more: Partial<Token> = {}): Token {
  return { id, name: id, role: 'admin', kind: 'device', counts: true, vouches: false, roots: [], createdAt: '2026-01-01T00:00:00Z', createdBy: 'terminal', ...more };
}

test('each section has a URL', () => {
  expect(sectionOf(undefined)?.name).toBe('about');
  expect(sectionOf('trust')?.name).toBe('trust');
  expect(sectionOf('about')).toBeUndefined();
  expect(sectionOf('')).toBeUndefined();
});

describe('tokens', () => {
  test('tokens of one kind are listed, valid ones first', () => {
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

  test('a token ends at its revocation or expiry, whichever is first', () => {
    const both = token('x', { counts: false, revokedAt: '2026-02-01T00:00:00Z', expiresAt: '2026-01-15T00:00:00Z' });
    expect([endedAt(both), endReason(both)]).toEqual(['2026-01-15T00:00:00Z', 'expired']);
    const revoked = token('x', { counts: false, revokedAt: '2026-02-01T00:00:00Z', expiresAt: '2026-05-01T00:00:00Z' });
    expect([endedAt(revoked), endReason(revoked)]).toEqual(['2026-02-01T00:00:00Z', 'revoked']);
  });

  test('the token of this browser is found by id, otherwise by name', () => {
    const self = { name: 'desk', kind: 'device' };
    expect(isOwn(token('1', { name: 'desk' }), { ...self, id: '1' })).toBe(true);
    expect(isOwn(token('2', { name: 'desk' }), { ...self, id: '1' })).toBe(false);
    expect(isOwn(token('2', { name: 'desk' }), self)).toBe(true);
    expect(isOwn(token('2', { name: 'desk', kind: 'api' }), self)).toBe(false);
    expect(isOwn(token('2', { name: 'desk', counts: false }), self)).toBe(false);
    expect(isOwn(token('2'), undefined)).toBe(false);
  });

  test('a token is shown with its given name', () => {
    expect(displayName(token('1', { name: 'phone (Safari on iPhone)', device: 'Safari on iPhone' }))).toBe('phone');
    expect(displayName(token('1', { name: 'phone (mine)' }))).toBe('phone (mine)');
  });

  test('a new device is the one that followed the link', () => {
    const link = { name: 'phone', role: 'approver' } as const;
    const before = new Set(['1']);
    const phone = token('2', { name: 'phone (Chrome on Android)', role: 'approver' });
    expect(tokenOfLink(before, [token('1', { name: 'phone', role: 'approver' })], link)).toBeUndefined();
    expect(tokenOfLink(before, [token('3', { name: 'phone', role: 'admin' }), token('4', { name: 'phone', role: 'approver', kind: 'api' })], link)).toBeUndefined();
    expect(tokenOfLink(before, [token('1'), phone], link)).toBe(phone);
  });

  test('only agent tokens are bound to agents and projects', () => {
    const wish: NewTokenForm = { name: ' ci ', role: 'agent', agent: ' ci-bot ', vouches: true, roots: ['/shop'], days: 30 };
    expect(bodyOf(wish)).toEqual({ name: 'ci', role: 'agent', agent: 'ci-bot', vouches: true, roots: ['/shop'], expiresInDays: 30 });
    expect(bodyOf({ ...wish, role: 'viewer', days: undefined })).toEqual({ name: 'ci', role: 'viewer' });
    expect(bodyOf({ ...wish, agent: ' ', vouches: false, roots: [] })).toEqual({ name: 'ci', role: 'agent', expiresInDays: 30 });
  });

  test('the terminal command is offered only to roles that answer', () => {
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
])('%s is a loopback address: %s', (address, local) => expect(isLoopback(address)).toBe(local));

test('an SVG data URL keeps special characters', () => {
  expect(decodeURIComponent(svgDataUrl('<svg fill="#000"/>').slice('data:image/svg+xml,'.length))).toBe('<svg fill="#000"/>');
});

describe('project files', () => {
  const project = (state: Project['state'], more: Partial<Project> = {}): Project => ({ root: `/${state}`, path: `/${state}/f`, state, ...more });

  test('a file can be trusted only if all of it was shown', () => {
    const shown = { text: '{}', sha256: 'ab' };
    expect(canBeTrusted(project('never', shown))).toBe(true);
    expect(canBeTrusted(project('changed', shown))).toBe(true);
    expect(canBeTrusted(project('never', { sha256: 'ab' }))).toBe(false);
    expect(canBeTrusted(project('broken', shown))).toBe(false);
    expect(canBeTrusted(project('trusted', shown))).toBe(false);
  });

  test('trust can be withdrawn', () => {
    expect(hasTrust(project('trusted'))).toBe(true);
    expect(hasTrust(project('changed'))).toBe(true);
    expect(hasTrust(project('never'))).toBe(false);
  });

  test('projects that need attention come first', () => {
    const list = byNeed((['absent', 'trusted', 'never', 'broken', 'changed'] as const).map((state) => project(state)));
    expect(list.map(({ state }) => state)).toEqual(['broken', 'changed', 'never', 'trusted', 'absent']);
  });

  test('a diff is parsed line by line', () => {
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

  test('settings survive a round trip through the form', () => {
    const quietHours = { from: '21:00', to: '06:30', timeZone: 'Asia/Tokyo' };
    expect(noticeBody(formOf({ ...told, quietHours }, 'UTC'))).toEqual({ ...told, quietHours });
    expect(noticeBody(formOf(told, 'UTC'))).toEqual(told);
    expect(formOf(told, 'Asia/Tokyo').timeZone).toBe('Asia/Tokyo');
  });

  test('quiet hours need two different times', () => {
    const form = { ...formOf(told, 'UTC'), quiet: true };
    expect(formError(form)).toBeUndefined();
    expect(formError({ ...form, to: '' })).toBe('time');
    expect(formError({ ...form, from: '24:00' })).toBe('time');
    expect(formError({ ...form, to: form.from })).toBe('same');
    expect(formError({ ...form, quiet: false, to: '' })).toBeUndefined();
  });

  test('the current time zone is always offered', () => {
    expect(zones('Mars/Olympus', 'Asia/Tokyo', ['Asia/Tokyo'])).toEqual(['Asia/Tokyo', 'Mars/Olympus', 'UTC']);
  });

  test('browser support is detected', () => {
    expect(browserPermission({ secure: false, permission: 'denied' })).toBe('insecure');
    expect(browserPermission({ secure: true, permission: undefined })).toBe('missing');
    expect(browserPermission({ secure: true, permission: 'granted' })).toBe('granted');
    expect(browserPermission({ secure: true, permission: 'denied' })).toBe('denied');
    expect(browserPermission({ secure: true, permission: 'default' })).toBe('default');
  });
});
