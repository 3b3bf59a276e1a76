// Splits a URL so that its host can be highlighted. The server says where the URL leads; this only finds the
// host in the text.

export interface Split {
  before: string;
  host: string;
  after: string;
}

/** The host as written in the text, and the text around it. The host is empty if the text has none. */
export function split(url: string): Split {
  const begun = /^\s*[a-z][a-z0-9+.-]*:[/\\]{2}/i.exec(url)?.[0].length;
  if (begun === undefined) return { before: url, host: '', after: '' };
  const rest = url.slice(begun);
  const end = rest.search(/[/?#\\]/);
  const authority = end < 0 ? rest : rest.slice(0, end);
  const user = authority.lastIndexOf('@') + 1;
  const place = authority.slice(user);
  const port = /:\d*$/.exec(place)?.[0].length ?? 0;
  const host = place.slice(0, place.length - port);
  const from = begun + user;
  return { before: url.slice(0, from), host, after: url.slice(from + host.length) };
}

/** Whether the text spells the host as it is looked up. */
export function asWritten(url: string, host: string): boolean {
  return split(url).host.toLowerCase().replace(/\.$/, '') === host.toLowerCase();
}
