// What this device prefers. Kept here, not at the server: a phone and a desk want different things.
import { LOCALES, type Locale, i18n } from './i18n.svelte';

export type Theme = 'system' | 'light' | 'dark';

/** Preferences of this device. */
export interface Preferences {
  theme: Theme;
  locale: Locale | 'system';
  /** A short sound when a question comes. */
  sound: boolean;
  /** A notification of the browser when a question comes and the page is not looked at. */
  desktop: boolean;
  /** Long lines of commands and diffs are wrapped. */
  wrap: boolean;
  /** Single keys do things. */
  keys: boolean;
}

const KEPT = 'sekisho.prefs';
const DEFAULT: Preferences = { theme: 'system', locale: 'system', sound: false, desktop: false, wrap: true, keys: true };

/** What was kept, as far as it makes sense. */
export function parsePreferences(kept: string | null): Preferences {
  let told: Record<string, unknown> = {};
  try {
    const parsed: unknown = JSON.parse(kept ?? '{}');
    if (typeof parsed === 'object' && parsed !== null) told = parsed as Record<string, unknown>;
  } catch {
    // Somebody else's text. The defaults will do.
  }
  const flag = (name: 'sound' | 'desktop' | 'wrap' | 'keys'): boolean =>
    typeof told[name] === 'boolean' ? told[name] : DEFAULT[name];
  const theme = told['theme'];
  const locale = told['locale'];
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    locale: typeof locale === 'string' && locale in LOCALES ? (locale as Locale) : 'system',
    sound: flag('sound'),
    desktop: flag('desktop'),
    wrap: flag('wrap'),
    keys: flag('keys'),
  };
}

/** What browsers draw around the page, in the colour of the paper. */
const PAPER = { light: '#f7f5f0', dark: '#171614' } as const;

/** The page says a colour for each scheme of the system; a theme that was chosen goes before. */
function paintFrame(theme: Theme): void {
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    meta.content = PAPER[theme === 'system' ? (meta.media.includes('dark') ? 'dark' : 'light') : theme];
  }
}

class Prefs {
  #wanted: Preferences = $state.raw(parsePreferences(localStorage.getItem(KEPT)));

  get now(): Preferences {
    return this.#wanted;
  }

  set(change: Partial<Preferences>): void {
    this.#wanted = { ...this.#wanted, ...change };
    localStorage.setItem(KEPT, JSON.stringify(this.#wanted));
    this.apply();
  }

  /** Makes the page look and speak as wanted; also when another tab has changed its mind. */
  apply(): void {
    const { theme, locale } = this.#wanted;
    i18n.choose(locale === 'system' ? undefined : locale);
    const root = document.documentElement;
    root.lang = i18n.locale;
    if (theme === 'system') root.removeAttribute('data-theme');
    else root.dataset['theme'] = theme;
    paintFrame(theme);
  }

  follow(): void {
    addEventListener('storage', (event) => {
      if (event.key !== KEPT) return;
      this.#wanted = parsePreferences(event.newValue);
      this.apply();
    });
  }
}

export const prefs = new Prefs();
