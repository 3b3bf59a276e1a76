// A path as a call names it, seen from where the agent works. Told by the text alone: the page does not know where links
// lead, so it says where a path plainly lies outside, or that it cannot tell, and never that it lies inside.

export interface PathText {
  /** The directory the agent works in, where the path begins with it. */
  base: string;
  directories: string;
  name: string;
  /** `outside`: in none of the directories. `unknown`: its text does not say. Nothing: there is nothing to say. */
  lies: 'outside' | 'unknown' | undefined;
}

/** What some tools read as more than a name: a home, an address, blanks that may be cut off, control characters. */
const TWO_READINGS = /^~|:\/\/|^\s|\s$|\p{Cc}/u;
const WILD = /[*?[{]/;

/** `homes`: where the agent works; the first is what a relative path begins at. `glob`: wildcards in it are wildcards. */
export function pathText(path: string, homes: readonly string[], glob = false): PathText {
  const lies = lying(path, homes, glob);
  const home = lies === undefined ? homes.find((home) => path.startsWith(`${home}/`)) : undefined;
  const base = home === undefined ? '' : `${home}/`;
  const rest = path.slice(base.length);
  // What ends in a slash is named by what stands before it; of a glob, what begins with a wildcard is the name.
  const wild = glob ? rest.search(WILD) : -1;
  const cut = rest.length < 2 ? 0 : rest.lastIndexOf('/', wild === -1 ? rest.length - 2 : wild) + 1;
  return { base, directories: rest.slice(0, cut), name: rest.slice(cut), lies };
}

function lying(path: string, homes: readonly string[], glob: boolean): PathText['lies'] {
  if (path === '' || TWO_READINGS.test(path)) return 'unknown';
  const places = homes.map((home) => normal(home)).filter((home) => home !== undefined);
  const start = places[0];
  // Without a directory there is nothing that it could lie outside of.
  if (start === undefined) return undefined;
  const full = normal(path.startsWith('/') ? path : `${start}/${path}`) ?? '/';
  if (!places.some((home) => home === '/' || full === home || full.startsWith(`${home}/`))) return 'outside';
  // Up through a link, or through what a wildcard stands for, leads elsewhere than the text says.
  const climbs = path.split('/').includes('..');
  return climbs || (glob && /\{[^}]*\.\./.test(path)) ? 'unknown' : undefined;
}

/** An absolute path without `.`, `..` and empty parts; nothing for any other. */
function normal(path: string): string | undefined {
  if (!path.startsWith('/')) return undefined;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Characters of a path shown beside other text; a longer one keeps both ends. */
const LONGEST = 240;
const END = 100;

/** A path, or where it is too long to stand beside something else, its two ends and how many characters are left out between. */
export function clippedPath(path: string): { head: string; tail?: string; left: number } {
  const characters = [...path];
  if (characters.length <= LONGEST) return { head: path, left: 0 };
  return { head: characters.slice(0, END).join(''), tail: characters.slice(-END).join(''), left: characters.length - 2 * END };
}
