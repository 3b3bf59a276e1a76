// Approvals for LangGraph: answers interrupts, those of LangChain's `humanInTheLoopMiddleware` and those of your own nodes.
import { type ApprovalSettings, type Approver, type ToolInput, createApprover, isObject } from './approval.js';
import { editRefusal } from './edit-refusal.js';

export type { ApprovalSettings } from './approval.js';

/** An interrupt, as in `__interrupt__` of a result. */
export interface Interrupt {
  id?: string;
  value?: unknown;
}

/** A call to decide about: the value of an interrupt of your own, or an action of the middleware. */
export interface ActionRequest {
  name: string;
  args: ToolInput;
}

/** What the interrupted node gets for an action. */
export type ActionDecision =
  | { type: 'approve' }
  | { type: 'edit'; editedAction: ActionRequest }
  | { type: 'reject'; message: string };

interface MiddlewareRequest {
  actionRequests: readonly ActionRequest[];
  reviewConfigs?: readonly { actionName: string; allowedDecisions: readonly string[] }[];
}

/**
 * A function that asks sekisho about every call of the interrupts, all at once, and returns what `Command` resumes with, by
 * the id of the interrupt: `new Command({ resume: await decide(result.__interrupt__) })`.
 *
 * The value of an interrupt of your own is `{ name, args }`; `interrupt()` then returns an {@link ActionDecision}.
 */
export function createInterruptHandler(settings: ApprovalSettings = {}) {
  const approver = createApprover(settings);
  return async (interrupts: readonly Interrupt[], options: { signal?: AbortSignal | undefined } = {}): Promise<Record<string, unknown>> => {
    const answers = interrupts.map(async ({ id, value }) => {
      if (!id) throw new TypeError('an interrupt has no id: use a graph with a checkpointer');
      return [id, await answerOf(approver, id, value, options.signal)] as const;
    });
    return Object.fromEntries(await Promise.all(answers));
  };
}

function answerOf(approver: Approver, id: string, value: unknown, signal: AbortSignal | undefined): Promise<unknown> {
  if (isAction(value)) return decided(approver, id, value, undefined, signal);
  if (!isRequest(value)) throw new TypeError('an interrupt is no request for an approval: its value must be `{ name, args }`');
  const decisions = value.actionRequests.map((action, index) => {
    const allowed = value.reviewConfigs?.find(({ actionName }) => actionName === action.name)?.allowedDecisions;
    return decided(approver, `${id}/${index}`, action, allowed, signal);
  });
  return Promise.all(decisions).then((all) => ({ decisions: all }));
}

async function decided(
  approver: Approver,
  toolUseId: string,
  { name, args }: ActionRequest,
  allowed: readonly string[] | undefined,
  signal: AbortSignal | undefined,
): Promise<ActionDecision> {
  const decision = await approver.decide({ toolName: name, input: args, toolUseId }, { signal });
  if (decision.behavior === 'deny') return { type: 'reject', message: decision.message };
  if (!decision.edited) return { type: 'approve' };
  if (allowed !== undefined && !allowed.includes('edit')) return { type: 'reject', message: editRefusal('this agent', decision) };
  return { type: 'edit', editedAction: { name, args: decision.input } };
}

function isAction(value: unknown): value is ActionRequest {
  return isObject(value) && typeof value['name'] === 'string' && isObject(value['args']);
}

function isRequest(value: unknown): value is MiddlewareRequest {
  return isObject(value) && Array.isArray(value['actionRequests']) && value['actionRequests'].every(isAction);
}
