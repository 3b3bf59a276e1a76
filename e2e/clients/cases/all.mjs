// The cases of each agent.
import { claudeCode } from './claude-code.mjs';
import { codex } from './codex.mjs';
import { failures } from './failures.mjs';
import { geminiCli, opencode } from './others.mjs';
import { verdicts } from './verdicts.mjs';
import claudeCodeAgent from '../agents/claude-code.mjs';
import codexAgent from '../agents/codex.mjs';
import geminiCliAgent from '../agents/gemini-cli.mjs';
import opencodeAgent from '../agents/opencode.mjs';

export const agents = Object.fromEntries(
  [claudeCodeAgent, codexAgent, geminiCliAgent, opencodeAgent].map((agent) => [agent.name, agent]),
);

const own = { 'claude-code': claudeCode, codex, 'gemini-cli': geminiCli, opencode };

/// The cases of an agent: names and functions.
export function casesOf(name) {
  return { ...verdicts, ...failures, ...own[name] };
}
