// Links a suggestion to the call test of the rules page.
import type { Schemas } from '../lib/client';

/** A longer call does not fit into a URL. */
const LONGEST = 6000;

/** A call in the format of the call test. */
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

/** Link that opens a rule as a draft, with a call to test it on if there is one. */
export function callTestHref(effect: Schemas['Effect'], rule: Schemas['RuleFields'], call?: TestCall): string {
  const query = new URLSearchParams({ draft: JSON.stringify({ effect, rule }) });
  const text = call === undefined ? '' : JSON.stringify(call);
  if (text !== '' && text.length <= LONGEST) query.set('call', text);
  return `/rules?${query.toString()}`;
}
