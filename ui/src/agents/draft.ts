// The form of an agent: its fields as texts, what is wrong with them, and the request they make.
import type { Schemas } from '../lib/client';
import { visible } from '../lib/hiddenCharacters';

export type AgentBody = Schemas['AgentBodyInput'];
export const PROVIDERS = ['anthropic', 'openai', 'scripted'] as const satisfies readonly AgentBody['provider'][];
export const MODES = ['none', 'auto', 'approval'] as const satisfies readonly NonNullable<AgentBody['mode']>[];

/** What `sekisho run` uses by default. */
export const DEFAULT_MODELS: Readonly<Record<AgentBody['provider'], string>> = { anthropic: 'claude-sonnet-4-5', openai: 'gpt-4.1', scripted: '' };

export interface AgentDraft {
  name: string;
  provider: (typeof PROVIDERS)[number];
  model: string;
  systemPrompt: string;
  userPrompt: string;
  temperature: string;
  maxTokens: string;
  contextTokens: string;
  maxIterations: string;
  tokenBudget: string;
  costBudgetUsd: string;
  timeBudgetSeconds: string;
  mode: (typeof MODES)[number];
  requireToolApproval: boolean;
  workspace: string;
}
export type AgentField = keyof AgentDraft;

export const EMPTY: AgentDraft = {
  name: '',
  provider: 'anthropic',
  model: DEFAULT_MODELS.anthropic,
  systemPrompt: '',
  userPrompt: '',
  temperature: '0.7',
  maxTokens: '4096',
  contextTokens: '128000',
  maxIterations: '5',
  tokenBudget: '',
  costBudgetUsd: '',
  timeBudgetSeconds: '',
  mode: 'none',
  requireToolApproval: false,
  workspace: '',
};

export function draftOf(body: AgentBody): AgentDraft {
  const text = (value: number | string | null | undefined, otherwise = ''): string => (value === null || value === undefined ? otherwise : String(value));
  return {
    name: body.name,
    provider: body.provider,
    model: body.model,
    systemPrompt: text(body.systemPrompt),
    userPrompt: text(body.userPrompt),
    temperature: text(body.temperature, EMPTY.temperature),
    maxTokens: text(body.maxTokens, EMPTY.maxTokens),
    contextTokens: text(body.contextTokens, EMPTY.contextTokens),
    maxIterations: text(body.maxIterations, EMPTY.maxIterations),
    tokenBudget: text(body.tokenBudget),
    costBudgetUsd: text(body.costBudgetUsd),
    timeBudgetSeconds: text(body.timeBudgetSeconds),
    mode: body.mode ?? 'none',
    requireToolApproval: body.requireToolApproval ?? false,
    workspace: text(body.workspace),
  };
}

/** The request. Empty texts are left out, so that they get their defaults. */
export function bodyOf(draft: AgentDraft): AgentBody {
  const number = (text: string): number | undefined => (text.trim() === '' ? undefined : Number(text));
  const numbers = {
    temperature: number(draft.temperature),
    maxTokens: number(draft.maxTokens),
    contextTokens: number(draft.contextTokens),
    maxIterations: number(draft.maxIterations),
    tokenBudget: number(draft.tokenBudget),
    timeBudgetSeconds: number(draft.timeBudgetSeconds),
  };
  const texts = {
    systemPrompt: draft.systemPrompt.trim() === '' ? undefined : draft.systemPrompt,
    userPrompt: draft.userPrompt.trim() === '' ? undefined : draft.userPrompt,
    costBudgetUsd: draft.costBudgetUsd.trim() || undefined,
    workspace: draft.workspace || undefined,
  };
  const given = Object.entries({ ...numbers, ...texts }).filter(([, value]) => value !== undefined);
  const { provider, mode, requireToolApproval } = draft;
  return { name: draft.name.trim(), provider, model: draft.model.trim(), mode, requireToolApproval, ...Object.fromEntries(given) };
}

/** What is wrong with a field, as a code. */
export type FieldError = 'needed' | 'long' | 'hidden' | 'slash' | 'temperature' | 'maxTokens' | 'contextTokens' | 'maxIterations' | 'whole' | 'money';

const RANGES = { maxTokens: [1, 1_000_000], contextTokens: [1000, 10_000_000], maxIterations: [1, 1000] } as const;
export const MAX_NAME = 100;
const MAX_PROMPT = 100_000;

export function fieldErrors(draft: AgentDraft): Partial<Record<AgentField, FieldError>> {
  const found: Partial<Record<AgentField, FieldError>> = {};
  for (const field of ['name', 'model'] as const) {
    const text = draft[field].trim();
    if (text === '') found[field] = 'needed';
    else if (Array.from(text).length > MAX_NAME) found[field] = 'long';
  }
  for (const field of ['systemPrompt', 'userPrompt'] as const) {
    if (Array.from(draft[field]).length > MAX_PROMPT) found[field] = 'long';
  }
  if (found.name === undefined && visible(draft.name.trim()) !== draft.name.trim()) found.name = 'hidden';
  if (found.name === undefined && draft.name.includes('/')) found.name = 'slash';
  const temperature = draft.temperature.trim();
  if (temperature !== '' && !(/^[0-9]*[.]?[0-9]+$/.test(temperature) && Number(temperature) <= 2)) found.temperature = 'temperature';
  for (const [field, [least, most]] of Object.entries(RANGES) as [keyof typeof RANGES, readonly [number, number]][]) {
    const text = draft[field].trim();
    if (text !== '' && !(/^[0-9]+$/.test(text) && Number(text) >= least && Number(text) <= most)) found[field] = field;
  }
  for (const field of ['tokenBudget', 'timeBudgetSeconds'] as const) {
    const text = draft[field].trim();
    if (text !== '' && !(/^[0-9]+$/.test(text) && Number(text) >= 1 && Number.isSafeInteger(Number(text)))) found[field] = 'whole';
  }
  const cost = draft.costBudgetUsd.trim();
  if (cost !== '' && !(/^[0-9]+([.][0-9]+)?$/.test(cost) && Number(cost) > 0)) found.costBudgetUsd = 'money';
  return found;
}

export function isSame(a: AgentDraft, b: AgentDraft): boolean {
  return (Object.keys(EMPTY) as AgentField[]).every((field) => a[field] === b[field]);
}

/** A free name for a copy: "writer copy", "writer copy 2". */
export function copyName(name: string, taken: ReadonlySet<string>): string {
  return numbered((count) => {
    const suffix = count === 1 ? ' copy' : ` copy ${count}`;
    return Array.from(name).slice(0, MAX_NAME - suffix.length).join('') + suffix;
  }, taken);
}

/** A free name for a new agent: "assistant", "assistant 2". */
export function newName(taken: ReadonlySet<string>): string {
  return numbered((count) => (count === 1 ? 'assistant' : `assistant ${count}`), taken);
}

function numbered(name: (count: number) => string, taken: ReadonlySet<string>): string {
  for (let count = 1; ; count += 1) if (!taken.has(name(count))) return name(count);
}
