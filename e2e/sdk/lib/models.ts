// The scripted models of the agents' tests, with types.
import { anthropic as anthropicModel, results as anthropicResults } from '../../clients/models/anthropic.mjs';
import { chat as chatModel, results as chatResults } from '../../clients/models/chat.mjs';

/** A call that the model makes. */
export interface ScriptedCall {
  tool: string;
  id: string;
  input: Record<string, unknown>;
}

/** What the model says: calls of tools, or a text that ends its turn. */
export type Script = readonly (string | readonly ScriptedCall[])[];

/** A model on loopback. */
export interface Model {
  address: string;
  log: unknown[];
  close(): void;
}

/** A result of a tool, as the model read it. */
export interface ToolResult {
  id: string;
  text: string;
  error?: boolean;
}

export const anthropic = anthropicModel as (script: Script) => Promise<Model>;
/** OpenAI's chat completions; the address is without `/v1`. */
export const chat = chatModel as (script: Script) => Promise<Model>;
export const anthropicToolResults = anthropicResults as (log: unknown[]) => ToolResult[];
export const chatToolResults = chatResults as (log: unknown[]) => ToolResult[];
