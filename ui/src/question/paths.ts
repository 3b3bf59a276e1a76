// A path as written in a call, relative to where the agent works. Only its text is known: the page does not
// know where links lead. So it says that a path is plainly outside, or that this is unknown, and never that
// it is inside.

export interface PathText {
  /** The directory in which the agent works, if the path begins with it; otherwise empty. */
  base: string;
  directories: string;
  name: string;
  /**
   * `outside`: in none of the directories. `unknown`: the text does not tell. `undefined`: there is nothing
   * to report.
   */
  lies: 'outside' | 'unknown' | undefined;
}

/**
 * Text that some tools do not read as a plain path: a home directory, a URL, blanks that may be trimmed,
 * control characters.
 */
const TWO_READINGS = /^~|:\/\/|^\s|\s$|\p{Cc}/u;
const WILD = /[*?[{]/;

/**
 * `homes`: the directories in which the agent works; relative paths start at the first. `glob`: wildcards in
 * the path have their special meaning.
 */
export function pathText(path: string, homes: readonly string[], glob = false): PathText {
  const lies = lying(path, homes, glob);
  const home = lies === undefined ? homes.find((home) => path.startsWith(`${home}/`)) : undefined;
  const base = home === undefined ? '' : `${home}/`;
  const rest = path.slice(base.length);
  // If the path ends in a slash, the name is the part before it; in a glob, the name starts with the first
  // part that has a wildcard.
  const wild = glob ? rest.search(WILD) : -1;
  const cut = rest.length < 2 ? 0 : rest.lastIndexOf('/', wild === -1 ? rest.length - 2 : wild) + 1;
  return { base, directories: rest.slice(0, cut), name: rest.slice(cut), lies };
}

function lying(path: string, homes: readonly string[], glob: boolean): PathText['lies'] {
  if (path === '' || TWO_READINGS.test(path)) return 'unknown';
  const places = homes.map((home) => normal(home)).filter((home) => home !== undefined);
  const start = places[0];
  // Without a directory, there is nothing to be outside of.
  if (start === undefined) return undefined;
  const full = normal(path.startsWith('/') ? path : `${start}/${path}`) ?? '/';
  if (!places.some((home) => home === '/' || full === home || full.startsWith(`${home}/`))) return 'outside';
  // `..` after a link, or after something that a wildcard matched, does not lead where the text says.
  const climbs = path.split('/').includes('..');
  return climbs || (glob && /\{[^}]*\.\./.test(path)) ? 'unknown' : undefined;
}

/** An absolute path without `.`, `..` and empty parts; `undefined` for a relative path. */
function normal(path: string): string | undefined {
  if (!path.startsWith('/')) return undefined;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/**
 * The longest path, in characters, that is shown whole beside other text; of a longer one, both ends are
 * shown.
 */
const LONGEST = 240;
const END = 100;

/**
 * A path; if it is too long to be shown beside other text, its two ends and the number of characters left out
 * between them.
 */
export function clippedPath(path: string): { head: string; tail?: string; left: number } {
  const characters = [...path];
  if (characters.length <= LONGEST) return { head: path, left: 0 };
  return { head: characters.slice(0, END).join(''), tail: characters.slice(-END).join(''), left: characters.length - 2 * END };
}
