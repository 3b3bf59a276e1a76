import { describe, expect, test } from 'vitest';
import type { Schemas } from '../src/lib/client';
import { highlight } from '../src/question/highlight';
import { programsIn, linesFrom, programLines } from '../src/question/programs';

type Part = Schemas['MarkedPart'];

function part(text: string, of: string, more: Partial<Part> = {}): Part {
  const at = of.indexOf(text);
  return { kind: 'command', text, decision: 'confirm', why: '', range: [at, at + text.length], ...more };
}

/** The language, lines and findings of each program, and its text. */
function found(text: string, parts: Part[]) {
  return programsIn(text, parts).map(({ from, to, language, lines, found }) => ({ language, lines, found, code: text.slice(from, to) }));
}

describe('programs inside a command', () => {
  test('a here-document', () => {
    const text = "python3 - <<'EOF'\nimport os\nos.remove('x')\nimport subprocess\nEOF\nls";
    expect(found(text, [part("python3 - <<'EOF'", text), part('ls', text)])).toEqual([
      { language: 'python', lines: 3, found: { deletes: [2], starts: [3] }, code: "import os\nos.remove('x')\nimport subprocess" },
    ]);
    const tabs = 'cd x && node <<-END\n\tfetch("https://example.com")\n\tEND';
    expect(found(tabs, [part('node <<-END', tabs)])).toMatchObject([{ language: 'javascript', lines: 1, found: { network: [1] } }]);
    const open = 'perl <<X\nunlink "a";';
    expect(found(open, [part('perl <<X', open)])).toMatchObject([{ language: 'perl', found: { deletes: [1] } }]);
  });

  test('a text after an option', () => {
    const cases: [string, string, Record<string, number[]>][] = [
      [`python3 -c 'print(1)'`, 'python', {}],
      [`/usr/bin/python3.12 -uc "import shutil; shutil.rmtree('x')"`, 'python', { deletes: [1] }],
      [`node -e 'require("child_process").execSync("ls")'`, 'javascript', { starts: [1] }],
      [`sudo ruby -e 'FileUtils.rm_rf("x")'`, 'ruby', { deletes: [1] }],
      [`php -r 'unlink("x");'`, 'php', { deletes: [1] }],
      [`bash -c 'rm x; curl example.com'`, 'shell', { deletes: [1], network: [1] }],
    ];
    for (const [text, language, finds] of cases) expect(found(text, [part(text, text)]), text).toMatchObject([{ language, lines: 1, found: finds }]);
  });

  test('what a shell runs inside was checked if it has parts of its own', () => {
    const text = `bash -c 'rm x'`;
    const inner: Part = { kind: 'command', text: 'rm x', decision: 'confirm', why: '' };
    expect(found(text, [part(text, text, { inner: [inner] })])).toEqual([]);
    expect(found(text, [part(text, text, { inner: [{ ...inner, kind: 'opaque' }] })])).toHaveLength(1);
  });

  test('other commands and files have none', () => {
    for (const text of ['python3 x.py', 'cat <<EOF\nrm\nEOF', 'node', `echo -e 'a'`, `python3 -c 'unclosed`, 'python3 -m http.server', '']) expect(found(text, [part(text.split('\n')[0] ?? '', text)]), text).toEqual([]);
  });
});

test('comments, strings and keywords are coloured, at their place', () => {
  const code = 'if x: # not "s"\n  y = "# no"';
  expect(highlight(code, 'python', 10).map(({ from, to, as }) => [code.slice(from - 10, to - 10), as])).toEqual([['if', 'keyword'], ['# not "s"', 'comment'], ['"# no"', 'string']]);
  expect(highlight('const a = `b`; // c', 'javascript', 0).map(({ as }) => as)).toEqual(['keyword', 'string', 'comment']);
});

test('the lines of a program are numbered from its first one', () => {
  const text = "cd x\npython3 - <<'EOF'\nimport os\n\nos.remove('a')\nEOF\necho done";
  const from = text.indexOf('import');
  const program = { from, to: text.indexOf('EOF\necho'), language: 'python' as const, lines: 3, found: {} };
  const lines = programLines(text, [program]);
  const begins = [...lines].map(([at, line]) => [line, text.slice(at).split('\n')[0]]);
  expect(begins).toEqual([[1, 'import os'], [2, ''], [3, "os.remove('a')"]]);
  const pieces = linesFrom(text.slice(5), 5, lines);
  expect(pieces.map(({ text }) => text).join('')).toBe(text.slice(5));
  expect(pieces.map(({ line }) => line)).toEqual([undefined, 1, 2, 3]);
  for (const { begin, text: piece } of pieces) expect(text.slice(begin, begin + piece.length)).toBe(piece);
  // One line needs no number, and text without programs is not cut.
  expect(programLines(text, [{ ...program, lines: 1 }]).size).toBe(0);
  expect(linesFrom(text, 0, new Map())).toEqual([{ text, begin: 0, line: undefined }]);
});
