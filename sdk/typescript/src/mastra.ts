// Approvals for Mastra: answers the `tool-call-approval` chunks of an agent's stream, and goes on with the resumed stream.
import { type ApprovalSettings, type Decision, createApprover, isObject } from './approval.js';
import { editRefusal } from './edit-refusal.js';

export type { ApprovalSettings } from './approval.js';

interface AnswerOptions {
  runId: string;
  toolCallId: string;
}

/** The part of a stream that is read. */
export interface MastraStream<C> {
  fullStream: AsyncIterable<C>;
}

/** The part of an agent that is used. Its Mastra needs a storage, or nothing can be resumed. */
export interface MastraAgent<S> {
  approveToolCall(options: AnswerOptions): Promise<S>;
  declineToolCall(options: AnswerOptions & { reason: string }): Promise<S>;
}

interface Pending {
  answer: AnswerOptions;
  decision: Promise<Decision>;
}

/**
 * All chunks of a stream and of the streams that follow it, while sekisho is asked about the calls that need an approval.
 * Several pending calls are asked about at once and resumed in the order of their answers. A denied call is declined with
 * its reason.
 */
export async function* streamWithApproval<C extends { type: string }, S extends MastraStream<C>>(
  agent: MastraAgent<S>,
  stream: MastraStream<C>,
  settings: ApprovalSettings & { signal?: AbortSignal | undefined } = {},
): AsyncGenerator<C, void, undefined> {
  const approver = createApprover(settings);
  const pending = new Map<string, Pending>();
  const seen = new Set<string>();
  const ask = (chunk: C): void => {
    const { runId, payload } = chunk as unknown as { runId: string; payload: { toolCallId: string; toolName: string; args?: unknown } };
    const { toolCallId, toolName } = payload;
    const key = JSON.stringify([runId, toolCallId]);
    if (seen.has(key)) return;
    seen.add(key);
    const input = isObject(payload.args) ? payload.args : {};
    const decision = approver.decide({ toolName, input, toolUseId: `${runId}/${toolCallId}` }, { signal: settings.signal });
    pending.set(key, { answer: { runId, toolCallId }, decision });
  };
  for (let current: MastraStream<C> | undefined = stream; current !== undefined; ) {
    for await (const chunk of current.fullStream) {
      if (chunk.type === 'tool-call-approval') ask(chunk);
      yield chunk;
    }
    current = undefined;
    if (pending.size === 0) return;
    const [key, answer, decision] = await first(pending);
    pending.delete(key);
    const reason = decision.behavior === 'deny' ? decision.message : decision.edited ? editRefusal('Mastra', decision) : undefined;
    current = reason === undefined ? await agent.approveToolCall(answer) : await agent.declineToolCall({ ...answer, reason });
  }
}

/** The call that is decided first. */
function first(pending: ReadonlyMap<string, Pending>): Promise<[string, AnswerOptions, Decision]> {
  return Promise.race([...pending].map(async ([key, { answer, decision }]) => [key, answer, await decision] as [string, AnswerOptions, Decision]));
}
