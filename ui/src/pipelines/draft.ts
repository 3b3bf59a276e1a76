// The form of a pipeline: its stages as texts, what is wrong with them, the request they make, and files.
import type { Schemas } from '../lib/client';
import type { ToolConfig } from '../agents/toolSettings';
import { type Agent, enabledTools } from '../agents/agentList.svelte';

export type PipelineBody = Schemas['PipelineBodyInput'];
export type StageBody = Schemas['PipelineStageBodyInput'];

export interface StageDraft {
  /** For the list of stages; not sent. */
  key: number;
  name: string;
  agent: string;
  prompt: string;
  /** undefined: all tools of the agent. */
  tools: string[] | undefined;
  config: Record<string, ToolConfig>;
  maxIterations: string;
  tokenBudget: string;
  timeBudgetSeconds: string;
}
export interface PipelineDraft {
  name: string;
  description: string;
  tokenBudget: string;
  timeBudgetSeconds: string;
  stages: StageDraft[];
}

export const MAX_STAGES = 20;
let keys = 0;

export function emptyStage(first: boolean): StageDraft {
  return {
    key: (keys += 1),
    name: '',
    agent: '',
    prompt: first ? '{{input}}' : '{{previous}}',
    tools: undefined,
    config: {},
    maxIterations: '',
    tokenBudget: '',
    timeBudgetSeconds: '',
  };
}

export function emptyPipeline(): PipelineDraft {
  return { name: '', description: '', tokenBudget: '', timeBudgetSeconds: '', stages: [emptyStage(true)] };
}

const text = (value: number | string | null | undefined): string => (value === null || value === undefined ? '' : String(value));

export function draftOf(body: PipelineBody): PipelineDraft {
  return {
    name: body.name,
    description: text(body.description),
    tokenBudget: text(body.tokenBudget),
    timeBudgetSeconds: text(body.timeBudgetSeconds),
    stages: body.stages.map((stage) => ({
      key: (keys += 1),
      name: text(stage.name),
      agent: stage.agent,
      prompt: stage.prompt,
      tools: stage.enabledTools ?? undefined,
      config: (stage.toolConfig ?? {}) as Record<string, ToolConfig>,
      maxIterations: text(stage.maxIterations),
      tokenBudget: text(stage.tokenBudget),
      timeBudgetSeconds: text(stage.timeBudgetSeconds),
    })),
  };
}

function given<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')) as Partial<T>;
}
const number = (typed: string): number | undefined => (typed.trim() === '' ? undefined : Number(typed));

/** The request, which is also the file. Empty texts are left out. */
export function bodyOf(draft: PipelineDraft): PipelineBody {
  return {
    name: draft.name.trim(),
    ...given({ description: draft.description.trim() }),
    stages: draft.stages.map((stage) => ({
      ...given({ name: stage.name.trim() }),
      agent: stage.agent.trim(),
      prompt: stage.prompt,
      ...given({ enabledTools: stage.tools }),
      ...(Object.keys(stage.config).length > 0 && { toolConfig: stage.config as Record<string, unknown> }),
      ...given({ maxIterations: number(stage.maxIterations), tokenBudget: number(stage.tokenBudget), timeBudgetSeconds: number(stage.timeBudgetSeconds) }),
    })),
    ...given({ tokenBudget: number(draft.tokenBudget), timeBudgetSeconds: number(draft.timeBudgetSeconds) }),
  } as PipelineBody;
}

export function isSame(one: PipelineDraft, other: PipelineDraft): boolean {
  return JSON.stringify(bodyOf(one)) === JSON.stringify(bodyOf(other));
}

/** What is wrong with a field, as a code. */
export type FieldError = 'needed' | 'long' | 'previousFirst' | 'previousNeeded' | 'placeholder' | 'unknownAgent' | 'notEnabled' | 'whole' | 'iterations';

/** Placeholders in a prompt; `\{{` is text. */
export function placeholders(prompt: string): { input: boolean; previous: boolean; unknown: boolean } {
  const found = { input: false, previous: false, unknown: false };
  for (const match of prompt.matchAll(/(\\?)\{\{([^}]*)(\}\})?/g)) {
    if (match[1] !== '') continue;
    if (match[2] === 'input' && match[3] !== undefined) found.input = true;
    else if (match[2] === 'previous' && match[3] !== undefined) found.previous = true;
    else found.unknown = true;
  }
  return found;
}

/** What is wrong, by the names that the server uses: `name`, `stages[1].prompt`. `agents`: undefined while they are loading. */
export function pipelineErrors(draft: PipelineDraft, agents: readonly Agent[] | undefined): Record<string, FieldError> {
  const found: Record<string, FieldError> = {};
  const wrong = (field: string, error: FieldError | undefined): void => {
    if (error !== undefined) found[field] ??= error;
  };
  wrong('name', line(draft.name));
  if (Array.from(draft.description).length > 1000) wrong('description', 'long');
  for (const field of ['tokenBudget', 'timeBudgetSeconds'] as const) wrong(field, whole(draft[field]));
  for (const [at, stage] of draft.stages.entries()) {
    const field = (name: string): string => `stages[${at}].${name}`;
    if (Array.from(stage.name).length > 100) wrong(field('name'), 'long');
    const agent = agents?.find((agent) => agent.settings.name === stage.agent || agent.id === stage.agent);
    wrong(field('agent'), stage.agent.trim() === '' ? 'needed' : agents !== undefined && agent === undefined ? 'unknownAgent' : undefined);
    const has = placeholders(stage.prompt);
    if (stage.prompt.trim() === '') wrong(field('prompt'), 'needed');
    else if (Array.from(stage.prompt).length > 100_000) wrong(field('prompt'), 'long');
    else if (has.unknown) wrong(field('prompt'), 'placeholder');
    else if (at === 0 && has.previous) wrong(field('prompt'), 'previousFirst');
    else if (at > 0 && !has.previous) wrong(field('prompt'), 'previousNeeded');
    if (agent !== undefined) {
      const enabled = enabledTools(agent);
      if ([...(stage.tools ?? []), ...Object.keys(stage.config)].some((tool) => !enabled.includes(tool))) wrong(field('enabledTools'), 'notEnabled');
    }
    const iterations = stage.maxIterations.trim();
    if (iterations !== '' && !(/^[0-9]+$/.test(iterations) && Number(iterations) >= 1 && Number(iterations) <= 1000)) wrong(field('maxIterations'), 'iterations');
    for (const name of ['tokenBudget', 'timeBudgetSeconds'] as const) wrong(field(name), whole(stage[name]));
  }
  return found;
}

function line(typed: string): FieldError | undefined {
  if (typed.trim() === '') return 'needed';
  return Array.from(typed.trim()).length > 100 ? 'long' : undefined;
}

function whole(typed: string): FieldError | undefined {
  const trimmed = typed.trim();
  return trimmed === '' || (/^[0-9]+$/.test(trimmed) && Number(trimmed) >= 1 && Number.isSafeInteger(Number(trimmed))) ? undefined : 'whole';
}

/** Moves a stage by one place. */
export function moved<T>(list: readonly T[], from: number, by: -1 | 1): T[] {
  const result = [...list];
  const to = from + by;
  if (to < 0 || to >= list.length) return result;
  const [stage] = result.splice(from, 1);
  if (stage !== undefined) result.splice(to, 0, stage);
  return result;
}

/** Files of pipelines are small; larger ones are something else. */
export const MAX_FILE = 2_000_000;

/** Why a file cannot be imported. `where` names the field. */
export type FileProblem = { why: 'json' | 'shape' | 'size'; where?: string };

/** Reads a file of a pipeline. Fields that this page does not know are an error, because they would be lost. */
export function readFile(content: string): { draft: PipelineDraft } | { problem: FileProblem } {
  if (content.length > MAX_FILE) return { problem: { why: 'size' } };
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch {
    return { problem: { why: 'json' } };
  }
  const where = shapeProblem(parsed);
  return where === undefined ? { draft: draftOf(parsed as PipelineBody) } : { problem: { why: 'shape', where } };
}

type Kind = 'string' | 'number' | 'strings' | 'object' | 'stages';
const TOP: Record<string, Kind> = { name: 'string', description: 'string', stages: 'stages', tokenBudget: 'number', timeBudgetSeconds: 'number' };
const STAGE: Record<string, Kind> = { name: 'string', agent: 'string', prompt: 'string', enabledTools: 'strings', toolConfig: 'object', maxIterations: 'number', tokenBudget: 'number', timeBudgetSeconds: 'number' };

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fits(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'strings':
      return Array.isArray(value) && value.every((one) => typeof one === 'string');
    case 'object':
      return isObject(value) && Object.values(value).every(isObject);
    case 'stages':
      return Array.isArray(value);
    default:
      return typeof value === kind;
  }
}

/** The first field that is missing, unknown or of another kind. */
function shapeProblem(value: unknown): string | undefined {
  if (!isObject(value)) return '{…}';
  const wrong = Object.keys(value).find((name) => !Object.hasOwn(TOP, name) || (value[name] !== null && !fits(value[name], TOP[name]!)));
  if (wrong !== undefined) return wrong;
  if (typeof value['name'] !== 'string') return 'name';
  const stages = value['stages'];
  if (!Array.isArray(stages) || stages.length === 0 || stages.length > MAX_STAGES) return 'stages';
  for (const [at, stage] of (stages as unknown[]).entries()) {
    if (!isObject(stage)) return `stages[${at}]`;
    const bad = Object.keys(stage).find((name) => !Object.hasOwn(STAGE, name) || (stage[name] !== null && !fits(stage[name], STAGE[name]!)));
    if (bad !== undefined) return `stages[${at}].${bad}`;
    for (const name of ['agent', 'prompt']) if (typeof stage[name] !== 'string') return `stages[${at}].${name}`;
  }
  return undefined;
}

/** A name for the file, with plain characters only. */
export function fileName(name: string): string {
  const plain = name.normalize('NFKD').replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+|-+$/g, '').slice(0, 60);
  return `${plain === '' ? 'pipeline' : plain}.json`;
}
