import { describe, expect, test } from 'vitest';
import type { Schemas } from '../src/lib/client';
import { dangerInside } from '../src/question/dangers';
import { dangerPlaces } from '../src/question/dangerSpans';
import { excerpt } from '../src/question/excerpt';
import { layered, markedPieces } from '../src/question/textMarks';

type Part = Schemas['MarkedPart'];
const CALM: Schemas['Danger'] = { level: 'caution', why: '' };

function part(text: string, of: string, danger?: Partial<Schemas['Danger']>, inner?: Part[]): Part {
  const at = new TextEncoder().encode(of.slice(0, of.indexOf(text))).length;
  const range: [number, number] = [at, at + new TextEncoder().encode(text).length];
  return { kind: 'command', text, decision: 'confirm', why: '', range, ...(danger && { danger: { level: 'danger' as const, why: '', ...danger } }), ...(inner && { inner }) };
}

function words(text: string, parts: Part[], danger: Schemas['Danger'] = CALM): string[] {
  return dangerPlaces(text, parts, danger).spans.map(({ from, to }) => text.slice(from, to));
}

describe('dangerous words', () => {
  test('positions of the server count, in bytes', () => {
    const text = 'échø ü; find . -delete';
    const start = new TextEncoder().encode('échø ü; find . ').length;
    expect(words(text, [part('find . -delete', text, { code: 'deletes_found_files', spans: [{ start, end: start + 7 }] })])).toEqual(['-delete']);
  });

  test('words beside each other are one, others stay apart', () => {
    const spans = (text: string, ...found: string[]) => found.map((word) => ({ start: text.indexOf(word), end: text.indexOf(word) + word.length }));
    for (const [text, found, expected] of [
      ['git push  --force origin', ['git', 'push', '--force'], ['git push  --force']],
      ['git -C d push --force', ['git', 'push', '--force'], ['git', 'push --force']],
    ] as const) {
      expect(words(text, [part(text, text, { spans: spans(text, ...found) })]), text).toEqual(expected);
    }
  });

  test('a part inside a string, for which the server has no positions, is marked as a whole', () => {
    const text = "bash -c 'ls && rm -rf dist'";
    const inner = (text: string, own?: Part[]): Part => ({ kind: 'command', text, decision: 'confirm', why: '', danger: { level: 'danger', why: '', code: 'deletes_directories' }, ...(own && { inner: own }) });
    expect(words(text, [part(text, text, undefined, [inner('rm -rf dist')])])).toEqual(['rm -rf dist']);
    // A part that is dangerous for what it runs leaves the mark to that.
    expect(words(text, [part(text, text, {}, [inner('rm -rf dist')])])).toEqual(['rm -rf dist']);
    // If its text is written in another way, the part around it is marked.
    expect(words(text, [part(text, text, undefined, [inner("rm -rf 'x'")])])).toEqual([text]);
    expect(words('ls', [part('ls', 'ls')])).toEqual([]);
  });

  test('positions beyond the text mark nothing outside of it', () => {
    expect(words('rm x', [part('rm x', 'rm x', { spans: [{ start: 2, end: 900 }] })])).toEqual([' x']);
  });
});

test('a part whose words make the command dangerous is as dangerous as the command', () => {
  const caution: Schemas['Danger'] = { level: 'caution', why: '', code: 'runs_text_or_file_as_commands' };
  const whole: Schemas['Danger'] = { level: 'danger', why: '', code: 'runs_fetched', spans: [{ start: 20, end: 24 }] };
  expect(dangerInside({ kind: 'command', danger: caution }, [22, 24], whole)).toBe(whole);
  expect(dangerInside({ kind: 'command', danger: caution }, [0, 20], whole)).toBe(caution);
  // A part of it that is no command says why it cannot be read.
  expect(dangerInside({ kind: 'opaque', danger: caution }, [22, 24], whole)).toBe(caution);
  // What it runs is dangerous, and says so itself.
  expect(dangerInside({ kind: 'command', danger: caution, parts: [{ danger: whole }] }, [22, 24], whole)).toBe(caution);
  expect(dangerInside({ kind: 'command', danger: caution }, [22, 24], { ...whole, level: 'caution' })).toBe(caution);
  const own: Schemas['Danger'] = { level: 'danger', why: '', code: 'deletes_directories' };
  expect(dangerInside({ kind: 'command', danger: own }, [22, 24], whole)).toBe(own);
});

test('a text is cut at the edges of marks, wherever it begins', () => {
  const marks = [{ from: 2, to: 4, as: 'a' }, { from: 4, to: 6, as: 'b' }];
  expect(markedPieces('xx12345', 0, marks)).toEqual([{ text: 'xx', as: undefined }, { text: '12', as: 'a' }, { text: '34', as: 'b' }, { text: '5', as: undefined }]);
  expect(markedPieces('23', 3, marks)).toEqual([{ text: '2', as: 'a' }, { text: '3', as: 'b' }]);
  expect(markedPieces('z', 9, marks)).toEqual([{ text: 'z', as: undefined }]);
  expect(layered([{ from: 3, to: 5, as: 'x' }], [{ from: 1, to: 8, as: 'y' }])).toEqual([{ from: 1, to: 3, as: 'y' }, { from: 3, to: 5, as: 'x' }, { from: 5, to: 8, as: 'y' }]);
});

test('an excerpt has the lines with dangerous words, and says where it was cut', () => {
  expect(excerpt('rm -rf x\n', [{ from: 0, to: 6 }])).toEqual([{ from: 0, to: 8, text: 'rm -rf x', cut: false, goesOn: false }]);
  const long = `${'echo a\n'.repeat(50)}${'b'.repeat(100)} rm -rf dist\nls`;
  const at = long.indexOf('rm -rf');
  expect(excerpt(long, [{ from: at, to: at + 6 }])).toEqual([{ from: at - 60, to: at + 11, text: `${'b'.repeat(59)} rm -rf dist`, cut: true, goesOn: false }]);
});
