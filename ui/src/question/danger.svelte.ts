// What the server says about a call: why it wants care, and notes. It says it in English; what it says most often is known
// here in Japanese as well.
import { i18n } from '../lib/i18n.svelte';
import { sentence } from './sentence';

export interface Said {
  text: string;
  /** In which language it is, where that is not the page's. */
  lang: 'en' | undefined;
}

let japanese: typeof import('./dangerJa') | undefined = $state.raw();
let asked: Promise<void> | undefined;

/** Fetches the Japanese sentences, once. Until they are there the English ones are shown. */
export function fetchJapanese(): Promise<void> {
  asked ??= import('./dangerJa').then(
    (module) => void (japanese = module),
    () => void (asked = undefined),
  );
  return asked;
}

/** A sentence about danger, in the language of the page where it is known. */
export function dangerText(why: string): Said {
  if (why === '') return { text: '', lang: undefined };
  if (i18n.locale === 'en') return { text: sentence(why), lang: undefined };
  const known = why.split('; ').map((clause) => japanese?.JAPANESE[clause]);
  if (known.every((clause) => clause !== undefined)) return { text: `${known.join('。')}。`, lang: undefined };
  return { text: sentence(why), lang: 'en' };
}

/** A note of the server's, the same way. */
export function noteText(note: string): Said {
  if (i18n.locale === 'en') return { text: sentence(note), lang: undefined };
  for (const [pattern, text] of japanese?.PATTERNS ?? []) {
    if (pattern.test(note)) return { text: `${note.replace(pattern, text)}。`, lang: undefined };
  }
  return { text: sentence(note), lang: 'en' };
}
