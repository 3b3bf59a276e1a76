// Approvals for the OpenAI Agents SDK: answers the interruptions of a run.
import { type ApprovalSettings, type ToolCall, createApprover, denied, isObject } from './approval.js';
import { editRefusal } from './edit-refusal.js';

export type { ApprovalSettings } from './approval.js';

/** The part of an interruption that is read. */
export interface Interruption {
  rawItem: object;
  name?: string | undefined;
}

/** The part of a result that is used. */
export interface InterruptedResult<I extends Interruption> {
  interruptions?: readonly I[] | undefined;
  state: {
    approve(interruption: I): void;
    reject(interruption: I, options?: { message?: string }): void;
  };
}

interface RawItem {
  type?: string;
  callId?: string;
  id?: string;
  name?: string;
  arguments?: unknown;
  action?: unknown;
  operation?: unknown;
}

/**
 * A function that asks sekisho about every interruption of a result, all at once, and approves or rejects it in the state.
 * It returns whether there were any: run the agent again with the state while it does.
 */
export function createInterruptionHandler(settings: ApprovalSettings = {}) {
  const approver = createApprover(settings);
  return async <I extends Interruption>(result: InterruptedResult<I>, options: { signal?: AbortSignal | undefined } = {}): Promise<boolean> => {
    const interruptions = [...(result.interruptions ?? [])];
    const decisions = interruptions.map(async (interruption) => {
      const call = callOf(interruption);
      return typeof call === 'string' ? denied('InvalidRequest', `the call could not be checked: ${call}`) : approver.decide(call, options);
    });
    for (const [index, decision] of (await Promise.all(decisions)).entries()) {
      const interruption = interruptions[index]!;
      if (decision.behavior === 'deny') result.state.reject(interruption, { message: decision.message });
      else if (decision.edited) result.state.reject(interruption, { message: editRefusal('the OpenAI Agents SDK', decision) });
      else result.state.approve(interruption);
    }
    return interruptions.length > 0;
  };
}

/** The call of an interruption, or why it cannot be asked about. */
function callOf(interruption: Interruption): ToolCall | string {
  const raw = interruption.rawItem as RawItem;
  const toolName = interruption.name ?? raw.name ?? raw.type;
  const toolUseId = raw.callId ?? raw.id;
  if (!toolName) return 'it names no tool';
  if (!toolUseId) return 'it has no id';
  let input: unknown = raw.action ?? raw.operation ?? raw.arguments;
  if (typeof input === 'string') {
    try {
      input = JSON.parse(input);
    } catch {
      return 'its arguments are not JSON';
    }
  }
  return isObject(input) ? { toolName, input, toolUseId } : 'its arguments are not an object';
}
