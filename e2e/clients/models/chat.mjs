// OpenAI-compatible chat completions, the protocol of opencode through @ai-sdk/openai-compatible.
import { events, json, serve, turnOf } from './serve.mjs';

function deltaOf(turn) {
  if (typeof turn === 'string') return { role: 'assistant', content: turn };
  const calls = turn.map((call, index) => ({
    index,
    id: call.id,
    type: 'function',
    function: { name: call.tool, arguments: JSON.stringify(call.input) },
  }));
  return { role: 'assistant', content: null, tool_calls: calls };
}

/// A model that plays `script`; the turn is how many times the model has called tools. Requests without tools
/// are side requests (titles).
export function chat(script, port) {
  return serve((request, response, body) => {
    if (!request.url.includes('chat/completions')) return json(response, { data: [] });
    const number = (body.messages ?? []).filter((message) => message.role === 'assistant' && message.tool_calls?.length).length;
    const turn = (body.tools ?? []).length > 0 ? turnOf(script, number) : 'errand';
    const finish = typeof turn === 'string' ? 'stop' : 'tool_calls';
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const head = { id: `chat_${number}`, created: 0, model: body.model };
    if (!body.stream) {
      const message = deltaOf(turn);
      return json(response, { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }], usage });
    }
    const chunk = (delta, reason) => [null, { ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }], ...(reason ? { usage } : {}) }];
    return events(response, [chunk(deltaOf(turn), null), chunk({}, finish)], 'data: [DONE]\n\n');
  }, port);
}

/// The tool results that the model received: {id, text} of every tool message, in order.
export function results(log) {
  const found = new Map();
  for (const { body } of log) {
    for (const message of body.messages ?? []) {
      if (message.role !== 'tool') continue;
      const text = typeof message.content === 'string' ? message.content : JSON.stringify(message.content);
      found.set(message.tool_call_id, { id: message.tool_call_id, text });
    }
  }
  return [...found.values()];
}
