// Tokens: which are valid, which is this browser's own, and the request for a new one.
import type { Schemas } from '../lib/client';

export type Token = Schemas['TokenBody'];
export type Role = Schemas['Role'];

/** The part of a session that says whose it is. */
export interface Self {
  id?: string | undefined;
  name: string;
  kind: string;
}

/** The tokens of one kind: the valid ones, last used first, and those no longer valid, last ended first. */
export function sorted(tokens: readonly Token[], kind: Token['kind']): { counting: Token[]; gone: Token[] } {
  const ours = tokens.filter((token) => token.kind === kind);
  const newest = (moment: (token: Token) => string) => (a: Token, b: Token) => moment(b).localeCompare(moment(a));
  return {
    counting: ours.filter((token) => token.counts).sort(newest((token) => token.lastUsedAt ?? token.createdAt)),
    gone: ours.filter((token) => !token.counts).sort(newest(endedAt)),
  };
}

/** When a token stopped being valid. */
export function endedAt(token: Token): string {
  return [token.revokedAt, token.expiresAt].filter((at) => at !== undefined).sort()[0] ?? token.createdAt;
}

/** Why a token is no longer valid. */
export function endReason(token: Token): 'revoked' | 'expired' {
  return token.revokedAt !== undefined && token.revokedAt === endedAt(token) ? 'revoked' : 'expired';
}

/** Whether a token is this browser's own. If the server does not send the id, the name is compared. */
export function isOwn(token: Token, self: Self | undefined): boolean {
  if (self === undefined || !token.counts) return false;
  if (self.id !== undefined) return token.id === self.id;
  return token.kind === self.kind && token.name === self.name;
}

/**
 * The name that people gave it, without the device description from the browser, which is shown beside it.
 */
export function displayName(token: Token): string {
  const said = token.device === undefined ? '' : ` (${token.device})`;
  return said !== '' && token.name.endsWith(said) ? token.name.slice(0, -said.length) : token.name;
}

/** The device that opened a link: one that did not exist before. */
export function tokenOfLink(before: ReadonlySet<string>, now: readonly Token[], link: { name: string; role: Role }): Token | undefined {
  return now.find((token) => token.kind === 'device' && !before.has(token.id) && token.role === link.role && token.name.startsWith(link.name));
}

/** The contents of the form for a new token. */
export interface NewTokenForm {
  name: string;
  role: Role;
  agent: string;
  vouches: boolean;
  roots: string[];
  /** Days until it expires; `undefined` if it never does. */
  days: number | undefined;
}

/** The request to the server. Fields that only agents can have are left out for other roles. */
export function bodyOf(wish: NewTokenForm): Schemas['NewTokenBody'] {
  const body: Schemas['NewTokenBody'] = { name: wish.name.trim(), role: wish.role };
  if (wish.days !== undefined) body.expiresInDays = wish.days;
  if (wish.role !== 'agent') return body;
  if (wish.agent.trim() !== '') body.agent = wish.agent.trim();
  if (wish.vouches) body.vouches = true;
  if (wish.roots.length > 0) body.roots = wish.roots;
  return body;
}

/** How to use a token in a terminal. Secrets and origins contain no character that is special to a shell. */
export function usage(secret: string, address: string, role: Role): string {
  const lines = [`export SEKISHO_URL=${address}`, `export SEKISHO_TOKEN=${secret}`];
  lines.push('curl -H "Authorization: Bearer $SEKISHO_TOKEN" "$SEKISHO_URL/api/session"');
  if (role === 'approver' || role === 'admin') lines.push('sekisho approvals watch');
  return lines.join('\n');
}

/** Whether an address leads to the machine that opens it, and is therefore useless on a phone. */
export function isLoopback(address: string): boolean {
  let host: string;
  try {
    host = new URL(address).hostname;
  } catch {
    return false;
  }
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** An SVG image as a data URL. */
export function svgDataUrl(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
