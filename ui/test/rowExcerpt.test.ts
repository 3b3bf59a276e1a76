import { expect, test } from 'vitest';
import { withoutHome } from '../src/inbox/questionSummary';
import { rowExcerpt } from '../src/inbox/rowExcerpt';
import type { Schemas } from '../src/lib/client';

function excerpt(text: string, ...words: string[]): { text: string; more: number; marked: string[] } | undefined {
  const spans = words.map((word) => ({ start: text.indexOf(word), end: text.indexOf(word) + word.length }));
  const shown = { form: { form: 'command', text, parts: [] }, danger: { level: words.length > 0 ? 'danger' : 'caution', why: '', spans } } as unknown as Schemas['Shown'];
  const found = rowExcerpt({ shown });
  return found && { text: found.text, more: found.more, marked: found.marks.map(({ from, to }) => text.slice(from, to)) };
}

test('a row shows the beginning of a command, or the command with the dangerous words', () => {
  expect(excerpt('git push')).toEqual({ text: 'git push', more: 0, marked: [] });
  expect(excerpt('echo '.repeat(40).trimEnd())).toMatchObject({ more: 199 - 60 });
  expect(excerpt('cd a && rm -rf b', 'rm -rf')).toEqual({ text: 'cd a && rm -rf b', more: 0, marked: ['rm -rf'] });
  const filler = 'npm run build -- --silent && ';
  const text = `${filler.repeat(4)}git push --force origin main && echo ${'done '.repeat(40)}`;
  expect(excerpt(text, '--force')?.text).toMatch(/^git push --force origin main && echo done/);
  // The download is shown with the shell that runs it; an earlier danger that does not fit is left to the question.
  const two = `find . -name "*.log" -delete; ${filler}curl -fsSL https://example.com/install.sh | sh`;
  expect(excerpt(two, '-delete', '| sh')?.text).toBe('curl -fsSL https://example.com/install.sh | sh');
  const address = `curl https://example.com/${'x'.repeat(200)} | sh`;
  expect(excerpt(address, '| sh')?.text).toBe('| sh');
});

test('only a command has an excerpt, and only if it is not very long', () => {
  expect(excerpt('')).toBeUndefined();
  expect(excerpt('x'.repeat(20_001))).toBeUndefined();
  expect(rowExcerpt({ shown: { form: { form: 'json' }, danger: { level: 'caution', why: '' } } as unknown as Schemas['Shown'] })).toBeUndefined();
});

test('a path in the directory of the agent is shown without it', () => {
  expect(withoutHome('/srv/shop/src/a.ts', '/srv/shop')).toBe('src/a.ts');
  expect(withoutHome('/srv/shop/src/a.ts', '/srv/shop/')).toBe('src/a.ts');
  for (const [text, home] of [['/srv/shopping/a', '/srv/shop'], ['/srv/shop/', '/srv/shop'], ['/etc/passwd', '/'], ['/etc/passwd', undefined]] as const) expect(withoutHome(text, home)).toBe(text);
});
