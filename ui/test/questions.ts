// Questions for tests: as much of one as a test needs.
import type { Schemas } from '../src/lib/client';
import type { Question } from '../src/lib/live.svelte';

interface Overrides {
  level?: Schemas['DangerLevel'];
  whole?: boolean;
  expiresAt?: string;
  toolName?: string;
  serverId?: string;
  agentId?: string;
  message?: string;
  proposals?: Schemas['Proposal'][];
  form?: Schemas['Form'];
  input?: unknown;
  titleCode?: Schemas['TitleCode'];
  json?: string;
  besides?: Schemas['FieldBeside'][];
  directory?: string;
}

export function question(id: string, overrides: Overrides = {}): Question {
  const { level = 'none', whole = true, toolName = 'Bash', message = 'Bash: ls', proposals = [], form = { form: 'json' }, titleCode = 'run_command', json = '{}', besides, directory, input = { command: 'ls' }, ...rest } = overrides;
  const shown = { title: '', titleCode, message, whole, json, why: '', danger: { level, why: '' }, form, ...(besides && { besides }), ...(directory !== undefined && { directory }) };
  return { id, toolName, digest: `digest-of-${id}`, workspaceId: null, conversationId: null, shown, proposals, input, ...rest } as unknown as Question;
}
