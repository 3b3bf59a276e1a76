// Sentences for the server's codes, in the language of the page. Anything without a code known here is from
// another version, and is shown in the server's own words.
import { i18n, type Locale } from '../lib/i18n.svelte';
import type { Schemas } from '../lib/client';
import { sentenceCase } from '../question/sentenceCase';
import { type Coded, type Tables, fillTemplate } from './tables';

export interface LocalizedText {
  text: string;
  /** The language of the text, if it is not the page's. */
  lang: 'en' | undefined;
}

let tables: Partial<Record<Locale, Tables>> = $state.raw({});
const asked: Partial<Record<Locale, Promise<void>>> = {};
const fetched: Record<Locale, () => Promise<{ TABLES: Tables }>> = { en: () => import('./en'), ja: () => import('./ja') };

/**
 * Fetches the sentences in the page's language, once. Until they have arrived, the server's own are shown.
 */
export function fetchSentences(locale: Locale = i18n.locale): Promise<void> {
  return (asked[locale] ??= fetched[locale]().then(
    ({ TABLES }) => void (tables = { ...tables, [locale]: TABLES }),
    () => void delete asked[locale],
  ));
}

/** The sentence for a code, without a full stop; `undefined` if the code is not known here. */
function known(table: keyof Tables, coded: Coded): string | undefined {
  const sentences: Partial<Record<string, string>> | undefined = tables[i18n.locale]?.[table];
  const own = sentences === undefined || !Object.hasOwn(sentences, coded.code) ? undefined : sentences[coded.code];
  // A code inside a reason is always about a file.
  return own === undefined ? undefined : fillTemplate(own, coded, (inner) => known('file', inner) ?? inner.code);
}

const ended = (text: string): string => (i18n.locale === 'ja' ? `${text}。` : sentenceCase(text));

function asSent(text: string): LocalizedText {
  return { text: text === '' ? '' : sentenceCase(text), lang: text === '' || i18n.locale === 'en' ? undefined : 'en' };
}

/** The sentence for a code in the language of the page, or the server's own text. */
export function codeText(table: keyof Tables, coded: Coded | undefined, otherwise: string): LocalizedText {
  const text = coded === undefined ? undefined : known(table, coded);
  return text === undefined ? asSent(otherwise) : { text: ended(text), lang: undefined };
}

/** The codes of a danger, worst first. */
export function codesOf(danger: Schemas['Danger']): string[] {
  return danger.code === undefined || danger.code === null ? [] : [danger.code, ...(danger.further ?? [])];
}

/** A danger as a sentence, in the language of the page if all its codes are known. */
export function dangerText(danger: Schemas['Danger']): LocalizedText {
  const texts = codesOf(danger).map((code) => known('danger', { code }));
  if (texts.length === 0 || texts.some((text) => text === undefined)) return asSent(danger.why);
  return { text: ended(texts.join(i18n.locale === 'ja' ? '。' : '; ')), lang: undefined };
}

/**
 * Why a command is not known to be harmless, without a full stop; `undefined` if the reason has no code known
 * here.
 */
export function detailText(reason: { detail?: string | null; name?: string | null }): string | undefined {
  return reason.detail === undefined || reason.detail === null ? undefined : known('detail', { code: reason.detail, name: reason.name });
}
