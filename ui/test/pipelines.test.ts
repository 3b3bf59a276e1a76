import { describe, expect, test } from 'vitest';
import type { Agent } from '../src/agents/agentList.svelte';
import { type PipelineBody, bodyOf, draftOf, emptyPipeline, fileName, isSame, moved, pipelineErrors, placeholders, readFile } from '../src/pipelines/draft';

const agent = (name: string, tools: string[]): Agent =>
  ({ id: `id-${name}`, settings: { name }, tools: tools.map((toolName) => ({ toolName, isEnabled: true, requireApproval: false })) }) as unknown as Agent;
const agents = [agent('searcher', ['web_search']), agent('writer', ['file_write', 'read'])];
const REPORT: PipelineBody = {
  name: 'report',
  description: 'Writes a report.',
  stages: [
    { name: 'search', agent: 'searcher', prompt: 'Find {{input}}.', enabledTools: ['web_search'] },
    { agent: 'id-writer', prompt: 'Write:\n{{previous}}', enabledTools: ['file_write'], toolConfig: { file_write: { allowed_dirs: ['doc'] } }, maxIterations: 3 },
  ],
  tokenBudget: 1000,
};

describe('the form of a pipeline', () => {
  test('a definition is unchanged by a round trip', () => {
    expect(bodyOf(draftOf(REPORT))).toEqual(REPORT);
    expect(isSame(draftOf(REPORT), draftOf(REPORT))).toBe(true);
    expect(pipelineErrors(draftOf(REPORT), agents)).toEqual({});
  });

  test('no tools and all tools differ', () => {
    const none = { ...REPORT, stages: [{ agent: 'writer', prompt: 'x', enabledTools: [] }] };
    expect(bodyOf(draftOf(none)).stages[0]).toEqual({ agent: 'writer', prompt: 'x', enabledTools: [] });
  });

  test('what is wrong is named by stage and field', () => {
    const draft = draftOf({
      name: ' ',
      stages: [
        { agent: 'searcher', prompt: 'a {{previous}}', enabledTools: ['shell_exec'] },
        { agent: 'nobody', prompt: 'nothing before', maxIterations: 0 },
        { agent: '', prompt: '{{previous}} {{inputs}}', tokenBudget: 0 },
      ],
    });
    expect(pipelineErrors(draft, agents)).toEqual({
      name: 'needed',
      'stages[0].prompt': 'previousFirst',
      'stages[0].enabledTools': 'notEnabled',
      'stages[1].agent': 'unknownAgent',
      'stages[1].prompt': 'previousNeeded',
      'stages[1].maxIterations': 'iterations',
      'stages[2].agent': 'needed',
      'stages[2].prompt': 'placeholder',
      'stages[2].tokenBudget': 'whole',
    });
    // While agents are loading, none is unknown.
    expect(pipelineErrors(draft, undefined)['stages[1].agent']).toBeUndefined();
  });

  test.each([
    ['{{input}} {{previous}}', { input: true, previous: true, unknown: false }],
    ['\\{{input}}', { input: false, previous: false, unknown: false }],
    ['{{ input }}', { input: false, previous: false, unknown: true }],
    ['{{input', { input: false, previous: false, unknown: true }],
  ])('placeholders of %s', (prompt, found) => expect(placeholders(prompt)).toEqual(found));

  test('a stage moves by one place, and not past the ends', () => {
    expect(moved(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c']);
    expect(moved(['a', 'b', 'c'], 2, 1)).toEqual(['a', 'b', 'c']);
    expect(moved(['a', 'b', 'c'], 0, -1)).toEqual(['a', 'b', 'c']);
    expect(emptyPipeline().stages).toHaveLength(1);
  });
});

describe('files', () => {
  test('a file that was exported can be imported', () => {
    const read = readFile(JSON.stringify(REPORT, null, 2));
    expect('draft' in read && bodyOf(read.draft)).toEqual(REPORT);
  });

  test.each([
    ['{', { why: 'json' }],
    ['[]', { why: 'shape', where: '{…}' }],
    ['{"stages":[]}', { why: 'shape', where: 'name' }],
    ['{"name":"x","stages":[]}', { why: 'shape', where: 'stages' }],
    ['{"name":"x","stages":[{"agent":"a"}]}', { why: 'shape', where: 'stages[0].prompt' }],
    ['{"name":"x","stages":[{"agent":"a","prompt":"p","enabledTools":"read"}]}', { why: 'shape', where: 'stages[0].enabledTools' }],
    ['{"name":"x","stages":[{"agent":"a","prompt":"p","constructor":1}]}', { why: 'shape', where: 'stages[0].constructor' }],
    ['{"name":"x","steps":[]}', { why: 'shape', where: 'steps' }],
  ])('%s is refused', (content, problem) => expect(readFile(content)).toEqual({ problem }));

  test.each([
    ['report', 'report.json'],
    ['../../etc/passwd', 'etc-passwd.json'],
    ['日本', 'pipeline.json'],
  ])('the file of %s is %s', (name, file) => expect(fileName(name)).toBe(file));
});
