import { describe, expect, test } from 'vitest';
import type { Schemas } from '../src/lib/client';
import { dangerPlaces } from '../src/question/dangerSpans';
import { excerpt } from '../src/question/excerpt';
import { layered, markedPieces } from '../src/question/textMarks';

type Part = Schemas['MarkedPart'];
const CALM = { level: 'caution', why: '' } as Schemas['Danger'];

function part(text: string, of: string, danger?: Partial<Schemas['Danger']> & { spans?: { start: number; end: number }[] }, inner?: Part[]): Part {
  const at = new TextEncoder().encode(of.slice(0, of.indexOf(text))).length;
  const range: [number, number] = [at, at + new TextEncoder().encode(text).length];
  return { kind: 'command', text, decision: 'confirm', why: '', range, ...(danger && { danger: { level: 'danger', why: '', ...danger } as Schemas['Danger'] }), ...(inner && { inner }) };
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

  test('without positions, the usual words are found', () => {
    const cases: [string, string, string[]][] = [
      ['find . -name x -delete', 'deletes_found_files', ['-delete']],
      ['git push --force origin main', 'overwrites_remote_history', ['--force']],
      ['git push origin +main', 'overwrites_remote_history', ['+main']],
      ['rm -rf dist', 'deletes_directories', ['rm -rf']],
      ['kubectl delete ns production', 'deletes_cluster_resources', ['kubectl delete']],
    ];
    for (const [text, code, found] of cases) expect(words(text, [part(text, text, { code: code as Schemas['DangerCode'] })]), text).toEqual(found);
    expect(words('ls', [part('ls', 'ls')])).toEqual([]);
  });

  test('a shell that runs a download is marked with its pipe, and a part inside another where it is written', () => {
    const piped = 'curl -s https://example.com/x.sh | sudo bash -s';
    expect(words(piped, [], { level: 'danger', why: '', code: 'runs_fetched' } as Schemas['Danger'])).toEqual(['| sudo bash']);
    const text = "bash -c 'ls && rm -rf dist'";
    const inner: Part = { kind: 'command', text: 'rm -rf dist', decision: 'confirm', why: '', danger: { level: 'danger', why: '', code: 'deletes_directories' } as Schemas['Danger'] };
    expect(words(text, [part(text, text, undefined, [inner])])).toEqual(['rm -rf']);
  });

  test('positions beyond the text mark nothing outside of it', () => {
    expect(words('rm x', [part('rm x', 'rm x', { spans: [{ start: 2, end: 900 }] })])).toEqual([' x']);
  });
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
