import { describe, expect, test } from 'vitest';
import type { Schemas } from '../src/lib/client';
import { folded, foldsOf, displayLength } from '../src/question/blankFolds';
import { dangersOf } from '../src/question/dangers';
import { clipped, segments } from '../src/question/segments';
import { randomSentence } from './randomSentence';

const told = (text: string, parts: Schemas['MarkedPart'][] = [], opened = new Set<number>()) =>
  folded(segments(text, parts), foldsOf(text), opened).map((one) => (one.fold === undefined ? one.text : `<${one.fold.count} ${one.fold.kind}>`));

describe('blank folds', () => {
  test('folds three or more empty lines and eighty or more blanks', () => {
    expect(told(`a\n\n\nb`)).toEqual(['a\n\n\nb']);
    expect(told(`git push${'\n'.repeat(60)}python3`)).toEqual(['git push\n', '<59 lines>', 'python3']);
    expect(told(`a\n \n\t\n  \n  b`)).toEqual(['a\n', '<3 lines>', '  b']);
    expect(told(`ls${' '.repeat(80)}; id`)).toHaveLength(1);
    expect(told(`ls${' '.repeat(3000)}; id`)).toEqual(['ls', '<3000 blanks>', '; id']);
    expect(told('\n\n\nls\n\n\n\n')).toEqual(['<3 lines>', 'ls\n', '<3 lines>']);
  });

  test('an opened fold is verbatim, and no text is lost', () => {
    const text = `a\n\n\n\n\nb${' '.repeat(100)}c`;
    const folds = foldsOf(text);
    expect(told(text, [], new Set(folds.map((fold) => fold.from)))).toEqual([text]);
    expect(told(text, [], new Set([folds[0]!.from]))).toEqual(['a\n\n\n\n\nb', '<100 blanks>', 'c']);
  });

  test('a fold that spans parts is shown once, and the parts stay marked', () => {
    const text = `ls\n\n\n\n\n\nid`;
    const part = (range: [number, number]): Schemas['MarkedPart'] => ({ kind: 'command', text: '', decision: 'allow', why: '', range });
    expect(told(text, [part([0, 5]), part([6, 10])])).toEqual(['ls\n', '<5 lines>', 'id']);
    const found = folded(segments(text, [part([0, 5]), part([6, 10])]), foldsOf(text), new Set());
    expect(found.map((one) => one.over)).toEqual([[0], [], [1]]);
  });

  test('folded text uses little of the initial limit', () => {
    const text = `ls${'\n'.repeat(9000)}id`;
    const brief = folded(segments(text, []), foldsOf(text), new Set());
    expect(clipped(brief, 6000, displayLength).whole).toBe(true);
    expect(clipped(segments(text, []), 6000).whole).toBe(false);
  });

  test('megabytes of blanks are scanned in linear time', () => {
    expect(foldsOf('a\n\n\n\n'.repeat(1_000_000))).toHaveLength(500);
    expect(foldsOf(`${'\n \n'.repeat(2)}${' '.repeat(2_000_000)}x`.repeat(2))).toHaveLength(4);
  });
});

test('each distinct danger is listed once, worst first', () => {
  type Codes = Schemas['DangerCode'][];
  const danger = (level: Schemas['DangerLevel'], [code, ...further]: Codes): Schemas['Danger'] => ({ level, why: randomSentence(), ...(code && { code, further }) });
  const part = (level: Schemas['DangerLevel'], codes: Codes, inner: Schemas['MarkedPart'][] = []): Schemas['MarkedPart'] =>
    ({ kind: 'command', text: '', decision: 'confirm', why: randomSentence(), danger: danger(level, codes), inner });
  const old = part('caution', []);
  const shown = {
    danger: danger('danger', ['deletes_files']),
    form: { form: 'command' as const, text: '', parts: [part('caution', ['sends_commits']), part('none', ['only_reads']), part('danger', ['deletes_files', 'changes_users'], [part('caution', ['runs_program']), part('caution', ['sends_commits'])]), old] },
  };
  expect(dangersOf(shown).map(({ level, code }) => `${level} ${code ?? ''}`)).toEqual(['danger deletes_files', 'danger changes_users', 'caution sends_commits', 'caution runs_program', 'caution ']);
  expect(dangersOf(shown).at(-1)).toBe(old.danger);
  expect(dangersOf({ ...shown, form: { form: 'json' } as Schemas['Form'] })).toHaveLength(1);
});
