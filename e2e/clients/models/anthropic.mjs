// Anthropic Messages, the protocol of Claude Code.
import { events, json, serve, turnOf } from './serve.mjs';

const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

function blocksOf(turn) {
  if (typeof turn === 'string') return [{ type: 'text', text: turn }];
  return turn.map((call) => ({ type: 'tool_use', id: call.id, name: call.tool, input: call.input }));
}

function stream(response, head, blocks, stop) {
  const list = [['message_start', { type: 'message_start', message: { ...head, content: [], stop_reason: null, usage } }]];
  blocks.forEach((block, index) => {
    const text = block.type === 'text';
    const start = text ? { type: 'text', text: '' } : { ...block, input: {} };
    const delta = text
      ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
    list.push(
      ['content_block_start', { type: 'content_block_start', index, content_block: start }],
      ['content_block_delta', { type: 'content_block_delta', index, delta }],
      ['content_block_stop', { type: 'content_block_stop', index }],
    );
  });
  list.push(
    ['message_delta', { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage }],
    ['message_stop', { type: 'message_stop' }],
  );
  events(response, list);
}

/// A model that plays `script`; a request with few or no tools is a side request and gets a text.
export function anthropic(script, port) {
  return serve((request, response, body) => {
    if (!request.url.startsWith('/v1/messages')) return json(response, {}, 404);
    if (request.url.includes('count_tokens')) return json(response, { input_tokens: 10 });
    const number = (body.messages ?? []).filter((message) => message.role === 'assistant').length;
    const turn = (body.tools ?? []).length > 0 ? turnOf(script, number) : 'errand';
    const blocks = blocksOf(turn);
    const stop = typeof turn === 'string' ? 'end_turn' : 'tool_use';
    const head = { id: `msg_${number}`, type: 'message', role: 'assistant', model: body.model, stop_sequence: null };
    if (body.stream) return stream(response, head, blocks, stop);
    return json(response, { ...head, content: blocks, stop_reason: stop, usage });
  }, port);
}

/// The tool results that the model received: {id, text, error} of every tool result, in order.
export function results(log) {
  const found = new Map();
  for (const { body } of log) {
    for (const message of body.messages ?? []) {
      if (!Array.isArray(message.content)) continue;
      for (const part of message.content.filter((one) => one.type === 'tool_result')) {
        const text = typeof part.content === 'string' ? part.content : (part.content ?? []).map((one) => one.text ?? '').join('');
        found.set(part.tool_use_id, { id: part.tool_use_id, text, error: part.is_error === true });
      }
    }
  }
  return [...found.values()];
}
