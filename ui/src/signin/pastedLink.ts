// Parses a pasted sign-in link.

const SECRET = /^skl_[0-9a-f]{64}$/;

export type PastedLink =
  | { kind: 'link'; link: string }
  /** A link of another server. Its secret is not for this one. */
  | { kind: 'elsewhere'; origin: string; url: string }
  | { kind: 'wrong' };

/** The names by which a machine calls itself lead to one place. */
function place(url: URL): string {
  const own = url.hostname === 'localhost' || url.hostname === '[::1]' || url.hostname.startsWith('127.');
  return `${url.protocol}//${own ? 'loopback' : url.hostname}:${url.port}`;
}

/** A whole link, what stands behind its `#`, or its secret alone. */
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
