// Preferences of this device. Not stored on the server: a phone and a computer differ.
import { LOCALES, type Locale, i18n } from './i18n.svelte';

export type Theme = 'system' | 'light' | 'dark';

/** Preferences of this device. */
export interface Preferences {
  theme: Theme;
  locale: Locale | 'system';
  /** A short sound when a question comes. */
  sound: boolean;
  /** A browser notification when a question comes while the page is hidden. */
  desktop: boolean;
  /** Long lines of commands and diffs are wrapped. */
  wrap: boolean;
  /** Single-key shortcuts work. */
  keys: boolean;
}

const KEPT = 'sekisho.prefs';
const DEFAULT: Preferences = { theme: 'system', locale: 'system', sound: false, desktop: false, wrap: true, keys: true };

/** Parses stored preferences; invalid values get defaults. */
export function parsePreferences(kept: string | null): Preferences {
  let told: Record<string, unknown> = {};
  try {
    const parsed: unknown = JSON.parse(kept ?? '{}');
    if (typeof parsed === 'object' && parsed !== null) told = parsed as Record<string, unknown>;
  } catch {
    // Not valid JSON: use the defaults.
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

/** Colours of the browser's own bars. */
const PAPER = { light: '#f7f5f0', dark: '#171614' } as const;

/** The page has a colour per system scheme; a chosen theme overrides it. */
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

  /** Applies theme and language, also when another tab changes them. */
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
