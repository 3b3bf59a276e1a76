// From a suggestion to the bench of the rules room.
import type { Schemas } from '../lib/client';

/** A longer call would not fit into an address. */
const LONGEST = 6000;

/** A call as the bench takes it. */
export interface TestCall {
  toolName: string;
  input: unknown;
  cwd?: string;
  serverId?: string;
  agentId?: string;
}

/** The call of a question. */
export function callOf(question: Schemas['Question']): TestCall {
  const { toolName, input, cwd, serverId, agentId } = question;
  return { toolName, input, ...(cwd !== undefined && { cwd }), ...(serverId !== undefined && { serverId }), ...(agentId !== undefined && { agentId }) };
}

/** The address that opens a rule as a draft, with a call to try it on where there is one. */
export function callTestHref(effect: Schemas['Effect'], rule: Schemas['RuleFields'], call?: TestCall): string {
  const query = new URLSearchParams({ draft: JSON.stringify({ effect, rule }) });
  const text = call === undefined ? '' : JSON.stringify(call);
  if (text !== '' && text.length <= LONGEST) query.set('call', text);
  return `/rules?${query.toString()}`;
}
