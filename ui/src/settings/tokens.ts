// Credentials: which count, which is this browser's, and what a new one is made of.
import type { Schemas } from '../lib/client';

export type Token = Schemas['TokenBody'];
export type Role = Schemas['Role'];

/** As much of a session as says whose it is. */
export interface Self {
  id?: string | undefined;
  name: string;
  kind: string;
}

/** Those of one kind: those that count, last used first, and those that count no more, last ended first. */
export function sorted(tokens: readonly Token[], kind: Token['kind']): { counting: Token[]; gone: Token[] } {
  const ours = tokens.filter((token) => token.kind === kind);
  const newest = (moment: (token: Token) => string) => (a: Token, b: Token) => moment(b).localeCompare(moment(a));
  return {
    counting: ours.filter((token) => token.counts).sort(newest((token) => token.lastUsedAt ?? token.createdAt)),
    gone: ours.filter((token) => !token.counts).sort(newest(endedAt)),
  };
}

/** When a token stopped to count. */
export function endedAt(token: Token): string {
  return [token.revokedAt, token.expiresAt].filter((at) => at !== undefined).sort()[0] ?? token.createdAt;
}

/** Why a token counts no more. */
export function endReason(token: Token): 'revoked' | 'expired' {
  return token.revokedAt !== undefined && token.revokedAt === endedAt(token) ? 'revoked' : 'expired';
}

/** Whether a token is what this browser is known by. A server that does not say is taken by the name. */
export function isOwn(token: Token, self: Self | undefined): boolean {
  if (self === undefined || !token.counts) return false;
  if (self.id !== undefined) return token.id === self.id;
  return token.kind === self.kind && token.name === self.name;
}

/** What people called it, without what the browser said it is, which is shown beside it. */
export function displayName(token: Token): string {
  const said = token.device === undefined ? '' : ` (${token.device})`;
  return said !== '' && token.name.endsWith(said) ? token.name.slice(0, -said.length) : token.name;
}

/** The device that followed a link: one that was not there before. */
export function tokenOfLink(before: ReadonlySet<string>, now: readonly Token[], link: { name: string; role: Role }): Token | undefined {
  return now.find((token) => token.kind === 'device' && !before.has(token.id) && token.role === link.role && token.name.startsWith(link.name));
}

/** What the form for a new token holds. */
export interface NewTokenForm {
  name: string;
  role: Role;
  agent: string;
  vouches: boolean;
  roots: string[];
  /** Days, or nothing for ever. */
  days: number | undefined;
}

/** What is asked of the server. What only those who ask can have is left out for others. */
export function bodyOf(wish: NewTokenForm): Schemas['NewTokenBody'] {
  const body: Schemas['NewTokenBody'] = { name: wish.name.trim(), role: wish.role };
  if (wish.days !== undefined) body.expiresInDays = wish.days;
  if (wish.role !== 'agent') return body;
  if (wish.agent.trim() !== '') body.agent = wish.agent.trim();
  if (wish.vouches) body.vouches = true;
  if (wish.roots.length > 0) body.roots = wish.roots;
  return body;
}

/** How a token is used, for a terminal. Secrets and origins have no character that a shell would take for its own. */
export function usage(secret: string, address: string, role: Role): string {
  const lines = [`export SEKISHO_URL=${address}`, `export SEKISHO_TOKEN=${secret}`];
  lines.push('curl -H "Authorization: Bearer $SEKISHO_TOKEN" "$SEKISHO_URL/api/session"');
  if (role === 'approver' || role === 'admin') lines.push('sekisho approvals watch');
  return lines.join('\n');
}

/** Whether an address leads to the machine that opens it, and so nowhere on a phone. */
export function isLoopback(address: string): boolean {
  let host: string;
  try {
    host = new URL(address).hostname;
  } catch {
    return false;
  }
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** A picture as an address. */
export function svgDataUrl(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
