// An agent made with the SDK of the Agent Client Protocol. It does what the prompt says: a JSON list of tool calls, each
// asked for and then reported.
import { Readable, Writable } from 'node:stream';
import { PROTOCOL_VERSION, type RequestPermissionRequest, agent, methods, ndJsonStream } from '@agentclientprotocol/sdk';

interface Call {
  toolCallId: string;
  kind: 'execute' | 'edit' | 'other';
  title: string;
  rawInput?: Record<string, unknown>;
}

const options = (['allow_always', 'allow_once', 'reject_once', 'reject_always'] as const).map((kind) => ({ optionId: `the ${kind}`, name: kind, kind }));
const cancelled = new Set<string>();

const stream = ndJsonStream(Writable.toWeb(process.stdout) as WritableStream<Uint8Array>, Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>);

agent({ name: 'scripted' })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: { loadSession: false } }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: 'the session' }))
  .onNotification(methods.agent.session.cancel, ({ params }) => void cancelled.add(params.sessionId))
  .onRequest(methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    cancelled.delete(sessionId);
    const [block] = prompt;
    const calls = JSON.parse(block?.type === 'text' ? block.text : '[]') as Call[];
    const work = calls.map(async ({ rawInput, ...call }) => {
      await client.notify(methods.client.session.update, { sessionId, update: { sessionUpdate: 'tool_call', ...call, rawInput, status: 'pending' } });
      const request: RequestPermissionRequest = { sessionId, toolCall: { toolCallId: call.toolCallId }, options };
      const { outcome } = await client.request(methods.client.session.requestPermission, request);
      const told = outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome;
      const status = told === 'the allow_once' ? 'completed' : 'failed';
      await client.notify(methods.client.session.update, { sessionId, update: { sessionUpdate: 'tool_call_update', toolCallId: call.toolCallId, status, rawOutput: told } });
    });
    await Promise.all(work);
    // A request to the editor that is not about permission: the proxy has nothing to do with it.
    const { content } = await client.request(methods.client.fs.readTextFile, { sessionId, path: '/notes.txt' });
    await client.notify(methods.client.session.update, { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `read ${content}` } } });
    return { stopReason: cancelled.has(sessionId) ? 'cancelled' : 'end_turn' };
  })
  .connect(stream);
