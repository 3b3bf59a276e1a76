import { describe, expect, it } from 'vitest';
import { BLOCK_LINES, ansiPieces, lineBlocks } from '../src/runs/ansi';
import { callSummary, writtenText } from '../src/runs/callSummary';
import { WHOLE, folded, growing, longText, withoutLastLines } from '../src/runs/folding';
import { isTooOld, matchesRun, matchesText, runFilters, serverQuery } from '../src/runs/runFilters';
import { TextBuffer } from '../src/runs/textBuffer';
import { reportedDuration, toolResult, wallLines } from '../src/runs/toolResult';

const ESC = '\u001b';
const words = (text: string): string => ansiPieces(text).pieces.map((piece) => piece.text).join('');

describe('colours of a terminal', () => {
  it('keeps colours and weights', () => {
    const { pieces, dropped } = ansiPieces(`a${ESC}[1;31mred${ESC}[0m${ESC}[38;5;46mgreen${ESC}[38;2;10;20;250mblue${ESC}[m end`);
    expect(pieces.map(({ text, colour, bold }) => [text, colour, bold])).toEqual([['a', undefined, false], ['red', 1, true], ['green', 10, false], ['blue', 12, false], [' end', undefined, false]]);
    expect(dropped).toBe(0);
  });

  it('shows text that a terminal would overwrite, erase or hide', () => {
    expect(words(`rm -rf x\rls      `)).toBe('rm -rf x\nls      ');
    expect(words(`secret${ESC}[2K${ESC}[1Ashown`)).toBe('secretshown');
    expect(words(`${ESC}[8mhidden${ESC}[0m ${ESC}[30;40mblack${ESC}[0m`)).toBe('hidden black');
    expect(words('a\r\nb')).toBe('a\nb');
  });

  it('leaves out titles, links and other codes, and counts them', () => {
    const { pieces, dropped } = ansiPieces(`${ESC}]0;title\u0007${ESC}]8;;http://evil.test${ESC}\\link${ESC}]8;;${ESC}\\${ESC}c${ESC}[?1049h`);
    expect(pieces.map((piece) => piece.text)).toEqual(['link']);
    expect(dropped).toBe(5);
  });

  it('does not lose text after a code that never ends', () => {
    expect(words(`${ESC}]0;no end, and much text`)).toContain('no end, and much text');
    expect(words(`${ESC}[`)).toContain('[');
  });

  it('limits the pieces, not the text', () => {
    const text = Array.from({ length: 50 }, (_, at) => `${ESC}[3${at % 8}m${at},`).join('');
    const found = ansiPieces(text, 10);
    expect(found.pieces).toHaveLength(10);
    expect(found.plain).toBe(true);
    expect(words(text)).toBe(Array.from({ length: 50 }, (_, at) => `${at},`).join(''));
  });
});

describe('blocks of lines', () => {
  const textOf = (pieces: readonly { text: string }[]): string => pieces.map(({ text }) => text).join('');
  const coloured = (count: number): string => Array.from({ length: count }, (_, at) => `${ESC}[3${at % 8}mline ${at}${ESC}[0m and more`).join('\n');

  it('hold every line once and keep the styles', () => {
    for (const count of [1, BLOCK_LINES, 2 * BLOCK_LINES - 1, 2 * BLOCK_LINES, 2 * BLOCK_LINES + 1, 3 * BLOCK_LINES, 101]) {
      const { pieces } = ansiPieces(coloured(count));
      const blocks = lineBlocks(pieces);
      expect(textOf(blocks.flat())).toBe(textOf(pieces));
      expect(blocks.flat().filter(({ colour }) => colour !== undefined).length).toBe(pieces.filter(({ colour }) => colour !== undefined).length);
      const [first, ...later] = blocks.map((block) => textOf(block).replace(/\n$/, '').split('\n').length);
      expect(first).toBeLessThan(2 * BLOCK_LINES);
      expect(later.every((lines) => lines === BLOCK_LINES)).toBe(true);
    }
  });

  it('split a piece that has many lines, and keep line breaks at the end', () => {
    const text = Array.from({ length: 100 }, (_, at) => `${at}`).join('\n');
    for (const end of ['', '\n', '\n\n\n']) expect(textOf(lineBlocks(ansiPieces(text + end).pieces).flat())).toBe(text + end);
    expect(lineBlocks(ansiPieces(text).pieces)).toHaveLength(100 / BLOCK_LINES);
    expect(lineBlocks([])).toEqual([[]]);
  });
});

describe('folding', () => {
  it('shows short texts whole, and of long ones both ends', () => {
    expect(folded(longText('x'.repeat(WHOLE)))).toMatchObject({ left: 0, tail: '' });
    const text = `${'a'.repeat(50_000)}END`;
    const part = folded(longText(text));
    expect(part.head.length + part.left + part.tail.length).toBe(text.length);
    expect(part.tail.endsWith('END')).toBe(true);
    expect(folded(longText(text), 60_000)).toMatchObject({ left: 0, head: text });
  });

  it('splits no character', () => {
    const text = '😀'.repeat(10_000);
    for (const part of [folded(longText(text)), folded(new TextBuffer(text)), growing(new TextBuffer(text))]) {
      expect(part.head).not.toMatch(/[\uD800-\uDBFF]$/);
      expect(part.tail).not.toMatch(/^[\uDC00-\uDFFF]/);
    }
  });

  it('shows the end of a text that grows', () => {
    const text = new TextBuffer();
    for (let at = 0; at < 20_000; at += 1) text.append(`line ${at}\n`);
    const part = growing(text);
    expect(part.tail.endsWith('line 19999\n')).toBe(true);
    expect(part.tail.startsWith('line ')).toBe(true);
    expect(part.tail.length).toBeLessThan(WHOLE);
    expect(text.all()).toHaveLength(text.length);
  });

  it('leaves out the line breaks at the end, however many there are before', () => {
    expect(withoutLastLines('a\n\nb\n\n')).toBe('a\n\nb');
    expect(withoutLastLines('\n\n')).toBe('');
    // A search for breaks at the end would begin anew at each of these.
    const many = '\n'.repeat(2_000_000);
    expect(withoutLastLines(`${many}x`)).toHaveLength(many.length + 1);
    expect(words(`${'\r'.repeat(500_000)}x`)).toBe('\nx');
  });
});

describe('results of tools', () => {
  const shell = { command: 'x', duration_ms: 29, exit_code: 1, sandbox: 'landlock+seccomp', signal: null, stdout: 'o', stderr: 'e' };
  it('reads what a program returned', () => {
    const result = toolResult(JSON.stringify(shell));
    expect(result).toMatchObject({ kind: 'commands', runs: [{ exitCode: 1, signal: undefined, sandbox: 'landlock+seccomp', stdout: 'o' }] });
    expect(reportedDuration(result)).toBe(29);
  });
  it('reads several checks, and falls back to text', () => {
    expect(toolResult(JSON.stringify({ all_passed: false, checks: [{ check: 'build', ...shell }, { check: 'test', ...shell }] }))).toMatchObject({ kind: 'commands', runs: [{ label: 'build' }, { label: 'test' }] });
    expect(toolResult(JSON.stringify({ checks: { lint: shell } }))).toMatchObject({ kind: 'commands', runs: [{ label: 'lint' }] });
    expect(toolResult('{"stdout": "cut off')).toMatchObject({ kind: 'text' });
    expect(toolResult('plain')).toEqual({ kind: 'text', text: 'plain' });
    expect(toolResult('{"a":1}')).toEqual({ kind: 'fields', fields: { a: 1 } });
  });
  it('finds signs of the sandbox', () => {
    expect(wallLines('bash: /etc/x: Read-only file system\nok\ncurl: (6) Could not resolve host: a\nkill: Operation not permitted').map(({ wall }) => wall)).toEqual(['files', 'network', 'system']);
    expect(wallLines('error: test failed')).toEqual([]);
  });
  it('summarises a call', () => {
    expect(callSummary({ content: 'long', path: 'doc/a.md' })).toBe('doc/a.md');
    expect(callSummary({ command: ' a\n\n  b\tc\n' })).toBe('a\n\n b\tc');
    expect(callSummary(null)).toBe('');
    expect(callSummary({ command: 'x'.repeat(1e6) }).length).toBeLessThan(200);
    expect(writtenText('edit', { path: 'a', old_text: '1', new_text: '2' })).toEqual({ path: 'a', before: '1', after: '2' });
    expect(writtenText('read', { path: 'a', content: '1' })).toBeUndefined();
  });
});

describe('filters of the list', () => {
  const run = { id: '1', agentName: 'writer', model: 'm', workspace: '/srv/shop', status: 'failed', createdAt: '2026-01-02T00:00:00Z', pending: [{ toolName: 'file_write' }] } as never;
  const now = Date.parse('2026-01-02T05:00:00Z');
  const of = (query: string) => runFilters(new URLSearchParams(query));
  it('drops invalid values', () => {
    expect(of('agent=x&state=odd&span=9y&text=%20a%20')).toEqual({ agent: '', status: '', span: 'any', text: 'a' });
  });
  it('matches each word of a search, in the task or elsewhere', () => {
    const found = (query: string, task = ''): boolean => matchesText(run, of(query), task);
    expect(found('')).toBe(true);
    expect(found('text=SHOP+writer')).toBe(true);
    expect(found('text=file_write')).toBe(true);
    expect(found('text=other')).toBe(false);
    expect(found('text=solar+writer', 'Report on Solar power')).toBe(true);
    expect(found('text=solar+wind', 'Report on Solar power')).toBe(false);
    expect(found('text=太陽光', '太陽光発電の報告書')).toBe(true);
  });
  it('matches state and time', () => {
    expect(matchesRun(run, of(''), now)).toBe(true);
    expect(matchesRun(run, of('state=completed'), now)).toBe(false);
    expect(matchesRun(run, of('span=1h'), now)).toBe(false);
    expect(isTooOld(run, of('span=1h'), now)).toBe(true);
    expect(isTooOld(run, of('span=24h'), now)).toBe(false);
  });
  it('asks the server for what it can filter', () => {
    expect(serverQuery(of('state=suspended'))).toEqual({ roots: true, active: true });
    expect(serverQuery(of('state=failed'))).toEqual({ roots: true, active: false });
  });
});
