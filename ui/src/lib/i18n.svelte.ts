// Language of the page. Each folder has its texts in a `text.ts`.

/** The languages of the page. */
export const LOCALES = { en: 'English', ja: '日本語' } as const;
export type Locale = keyof typeof LOCALES;

function preferred(): Locale {
  const known = (tag: string): tag is Locale => tag in LOCALES;
  return navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find(known) ?? 'en';
}

class I18n {
  #chosen: Locale | undefined = $state();

  /** The language in use. */
  get locale(): Locale {
    return this.#chosen ?? preferred();
  }

  /** The language with the browser's region, which decides how dates and times look. */
  get region(): string {
    const { locale } = this;
    return navigator.languages.find((tag) => tag.toLowerCase().startsWith(`${locale}-`)) ?? locale;
  }

  /** Chooses a language; undefined: the browser's. */
  choose(locale: Locale | undefined): void {
    this.#chosen = locale;
  }
}

export const i18n = new I18n();

/** Texts in every language. Reading one gives the current language, reactively. */
export function texts<T extends object>(all: { en: T } & { [L in Locale]: { [K in keyof T]: T[K] extends string ? string : T[K] } }): {
  readonly [K in keyof T]: T[K] extends string ? string : T[K];
} {
  return new Proxy({} as never, { get: (_, key) => Reflect.get(all[i18n.locale], key) as unknown });
}
