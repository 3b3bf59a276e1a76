// Approvals for the AI SDK: `toolApproval` of `generateText`, `streamText` and agents.
import { type ApprovalSettings, createApprover, isObject } from './approval.js';
import { editRefusal } from './edit-refusal.js';

export type { ApprovalSettings } from './approval.js';

/** The part of a tool call that is read. */
export interface AiToolCall {
  toolCallId: string;
  toolName: string;
  input: unknown;
}

/** The status that the AI SDK expects. */
export type AiApprovalStatus = { type: 'approved' } | { type: 'denied'; reason: string };

/**
 * A function for `toolApproval` that asks sekisho about every call of a tool. The AI SDK calls it for one call after the other;
 * {@link answerApprovalRequests} asks about all at once. `signal` withdraws the question; pass the one of `abortSignal`.
 */
export function toolApproval(settings: ApprovalSettings & { signal?: AbortSignal | undefined } = {}) {
  const approver = createApprover(settings);
  return async ({ toolCall }: { toolCall: AiToolCall }): Promise<AiApprovalStatus> => {
    const { toolCallId, toolName, input } = toolCall;
    if (!isObject(input)) return { type: 'denied', reason: 'the call could not be checked: its input is not an object' };
    const decision = await approver.decide({ toolName, input, toolUseId: toolCallId }, { signal: settings.signal });
    if (decision.behavior === 'deny') return { type: 'denied', reason: decision.message };
    return decision.edited ? { type: 'denied', reason: editRefusal('the AI SDK', decision) } : { type: 'approved' };
  };
}

/** A request for an approval as `needsApproval` or `user-approval` produces it. */
export interface AiApprovalRequest {
  type: 'tool-approval-request';
  approvalId: string;
  toolCall: AiToolCall;
  /** Answered by a function of `toolApproval` already. */
  isAutomatic?: boolean;
}

/** The answer to a request. */
export interface AiApprovalResponse {
  type: 'tool-approval-response';
  approvalId: string;
  approved: boolean;
  reason?: string;
}

/** The message that continues after requests for approval. */
export interface AiApprovalMessage {
  role: 'tool';
  content: AiApprovalResponse[];
}

/**
 * Answers the requests in the `content` of a result, for tools with `needsApproval`. Send the message after the result's own:
 * `messages: [...messages, ...result.response.messages, answers]`. It is `undefined` if there is nothing to answer.
 */
export async function answerApprovalRequests(
  content: readonly { type: string }[],
  settings: ApprovalSettings & { signal?: AbortSignal | undefined } = {},
): Promise<AiApprovalMessage | undefined> {
  const decide = toolApproval(settings);
  const isOpen = (part: { type: string }): part is AiApprovalRequest =>
    part.type === 'tool-approval-request' && (part as AiApprovalRequest).isAutomatic !== true;
  const answers = content.filter(isOpen).map(async ({ approvalId, toolCall }): Promise<AiApprovalResponse> => {
    const status = await decide({ toolCall });
    const answer = { type: 'tool-approval-response', approvalId } as const;
    return status.type === 'approved' ? { ...answer, approved: true } : { ...answer, approved: false, reason: status.reason };
  });
  return answers.length === 0 ? undefined : { role: 'tool', content: await Promise.all(answers) };
}
