// Every code the server's own description of itself knows has a sentence in both languages, whatever the server's sentence is.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SENTENCES as LINES } from '../src/audit/rowSummaryText';
import type { Row } from '../src/audit/rows';
import { rowSummary } from '../src/audit/rowSummary';
import { codeText, dangerText, fetchSentences } from '../src/codes/codeText.svelte';
import type { Coded, Tables } from '../src/codes/tables';
import type { Schemas } from '../src/lib/client';
import { i18n } from '../src/lib/i18n.svelte';
import { alsoAllowedTexts } from '../src/question/alsoAllowed';
import { type Reason, reasonBits } from '../src/question/reason';
import { t as questions } from '../src/question/text';
import { randomSentence } from './randomSentence';

interface Schema {
  $ref?: string;
  const?: string;
  enum?: string[];
  oneOf?: Schema[];
  type?: string;
  properties?: Record<string, Schema>;
}
const document = JSON.parse(readFileSync(new URL('../../spec/openapi.json', import.meta.url), 'utf8')) as { components: { schemas: Record<string, Schema> } };
const schemas = document.components.schemas;
const schemaOf = (name: string): Schema => schemas[name] ?? expect.unreachable(`no schema ${name}`);

/** The values of an enum without fields. */
function values(name: string): string[] {
  const { enum: named, oneOf = [] } = schemaOf(name);
  return named ?? oneOf.flatMap((one) => one.enum ?? [one.const!]);
}

/** A value that a schema admits. Texts are words of their own. */
function sample(schema: Schema, field: string): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.$ref !== undefined) return sample(schemaOf(schema.$ref.split('/').at(-1)!), field);
  if (schema.oneOf !== undefined) return sample(schema.oneOf[0]!, field);
  if (schema.properties !== undefined) return Object.fromEntries(Object.entries(schema.properties).map(([name, inner]) => [name, sample(inner, name)]));
  if (schema.type === 'integer') return 7;
  return field === 'before' ? '2026-11-15T12:00:00Z' : `<${field}>`;
}

/** One of each code of an enum with fields. */
function samples(name: string): Coded[] {
  return (schemaOf(name).oneOf ?? []).map((one) => sample(one, '') as Coded);
}

/** Fields that stand in no sentence: the code itself, and what rules a line is about. */
const UNSAID = new Set(['code', 'id', 'effect', 'scope', 'inputs']);

/** It says what the code means and names, in the language of the page. */
function isSaid(text: string, coded: Coded): void {
  expect(text.length).toBeGreaterThan(1);
  expect(text).not.toMatch(/undefined|\[object|[{}]/);
  const named = Object.entries(coded).filter(([field, value]) => !UNSAID.has(field) && typeof value !== 'object');
  for (const [, value] of named) expect(text.toLowerCase()).toContain(String(value).toLowerCase());
  const own = named.reduce((rest, [, value]) => rest.replaceAll(String(value), ''), text);
  if (i18n.locale === 'ja' && !/^[<>\w\s:;。.]*$/.test(own)) expect(own).toMatch(/[ぁ-んァ-ヶ一-龠]/);
  if (i18n.locale === 'en') expect(own).not.toMatch(/[ぁ-ん]/);
}

beforeAll(() => Promise.all([fetchSentences('en'), fetchSentences('ja')]));
afterAll(() => i18n.choose(undefined));

describe.each(['en', 'ja'] as const)('in %s', (locale) => {
  beforeEach(() => i18n.choose(locale));

  test.each(values('DangerCode'))('danger %s', (code) => {
    const said = dangerText({ level: 'caution', why: randomSentence(), code: code as Schemas['DangerCode'] });
    expect(said.lang).toBeUndefined();
    isSaid(said.text, { code });
  });

  test.each(values('ReasonDetail'))('detail %s', (detail) => {
    const reason = { code: 'obstacle', word: '<word>', why: randomSentence(), detail, name: '<name>' } as Reason;
    expect(reasonBits(reason, []).some(({ as }) => as === 'english')).toBe(false);
    isSaid(reasonBits(reason, []).map(({ text }) => text).join(''), { code: detail, word: '<word>' });
  });

  test.each(values('TitleCode'))('title %s', (code) => isSaid(questions.title[code as Schemas['TitleCode']], { code }));

  test.each(values('RefusalCode'))('refusal %s', (code) => {
    const said = codeText('refusal', { code }, randomSentence());
    expect(said.lang).toBeUndefined();
    isSaid(said.text, { code });
  });

  test.each([
    ...(['address', 'AddressNote', 'file', 'FileNote', 'leftOut', 'LeftOut', 'warning', 'Warning'] as const).flatMap((table, at, all) =>
      at % 2 === 0 ? samples(all[at + 1]!).map((coded) => [table as keyof Tables, coded.code, coded] as const) : [],
    ),
  ])('%s %s', (table, _, coded) => {
    const said = codeText(table, coded, randomSentence());
    expect(said.lang).toBeUndefined();
    isSaid(said.text, coded);
  });

  test.each(samples('AlsoAllowed').map((coded) => [coded.code, coded] as const))('also allowed: %s', (_, coded) => {
    const [also] = alsoAllowedTexts({ also: randomSentence(), alsoCodes: [coded as Schemas['AlsoAllowed']] });
    expect(also!.bits.some(({ as }) => as === 'english')).toBe(false);
    const { access: __, ...named } = coded;
    isSaid(also!.bits.map(({ text }) => text).join(''), named);
  });

  test.each(samples('RecordLine').map((coded) => [coded.code, coded] as const))('log line: %s', (_, coded) => {
    const row: Row = { at: '2026-11-15T12:00:00Z', writer: '', seq: 1, kind: 'upkeep', text: randomSentence(), line: coded as Schemas['RecordLine'], body: {}, key: 1, previous: '', code: '' };
    expect(rowSummary(row).lang).toBeUndefined();
    // A role is named in the language of the page.
    const { role: __, ...named } = coded;
    isSaid(rowSummary(row).text, named);
    expect(LINES[locale]).toHaveProperty(coded.code);
  });

  test.each(samples('Reason').map((coded) => [coded.code, coded] as const))('reason %s', (code, coded) => {
    const reason = { ...coded, why: randomSentence(), ...(code === 'opaque' && { opaque: 'array' }) } as unknown as Reason;
    const bits = reasonBits(reason, []);
    expect(bits.some(({ as }) => as === 'english') && code !== 'config_broken').toBe(false);
    const { rule: _, why: __, detail: ___, name, opaque: ____, problem: _____, directory: ______, layer: _______, ...named } = coded;
    isSaid(bits.map(({ text }) => text).join(''), { ...named, ...(code === 'assignment' && { name }) });
  });

  test.each(values('RepositoryProblem'))('repository problem: %s', (problem) => {
    const reason = { code: 'repository_unproven', directory: '', problem, file: '<file>', key: '<key>' } as Reason;
    const bits = reasonBits(reason, []);
    expect(bits.some(({ text }) => text === problem)).toBe(false);
    isSaid(bits.map(({ text }) => text).join(''), { code: problem, file: '<file>' });
  });

  test("an unknown or missing code shows the server's text", () => {
    const why = randomSentence();
    const lang = locale === 'en' ? undefined : 'en';
    const shown = `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
    expect(dangerText({ level: 'danger', why })).toEqual({ text: shown, lang });
    expect(dangerText({ level: 'danger', why, code: 'of_tomorrow' as Schemas['DangerCode'] })).toEqual({ text: shown, lang });
    expect(codeText('file', undefined, why)).toEqual({ text: shown, lang });
    expect(codeText('file', { code: 'toString' }, why)).toEqual({ text: shown, lang });
    expect(alsoAllowedTexts({ also: why })).toEqual([{ bits: [{ text: why, as: 'english' }], list: [] }]);
    expect(reasonBits({ code: 'runs_unknown', why }, [])).toEqual([{ text: shown, as: 'english' }]);
  });
});
