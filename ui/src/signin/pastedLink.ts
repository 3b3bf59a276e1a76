// Parses a pasted sign-in link.

const SECRET = /^skl_[0-9a-f]{64}$/;

export type PastedLink =
  | { kind: 'link'; link: string }
  /** A link to another server. Its secret must not be sent to this one. */
  | { kind: 'elsewhere'; origin: string; url: string }
  | { kind: 'wrong' };

/** The origin of a URL. All loopback names count as the same host. */
function place(url: URL): string {
  const own = url.hostname === 'localhost' || url.hostname === '[::1]' || url.hostname.startsWith('127.');
  return `${url.protocol}//${own ? 'loopback' : url.hostname}:${url.port}`;
}

/** Accepts a whole link, the part from its `#` on, or the secret alone. */
export function parsePasted(text: string, origin: string): PastedLink {
  const pasted = text.trim();
  const bare = pasted.replace(/^#?link=/, '');
  if (SECRET.test(bare)) return { kind: 'link', link: bare };
  let url: URL;
  try {
    url = new URL(pasted);
  } catch {
    return { kind: 'wrong' };
  }
  const link = url.hash.replace(/^#link=/, '');
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || !SECRET.test(link)) return { kind: 'wrong' };
  if (place(url) !== place(new URL(origin))) return { kind: 'elsewhere', origin: url.origin, url: url.href };
  return { kind: 'link', link };
}
