// OpenAI Responses, the protocol of Codex.
import { events, json, serve, turnOf } from './serve.mjs';

function itemOf(call) {
  if (call.freeform) return { type: 'custom_tool_call', id: `ctc_${call.id}`, call_id: call.id, name: call.tool, input: call.input, status: 'completed' };
  const place = call.namespace ? { namespace: call.namespace } : {};
  return { type: 'function_call', id: `fc_${call.id}`, call_id: call.id, name: call.tool, ...place, arguments: JSON.stringify(call.input), status: 'completed' };
}

function itemsOf(turn, number) {
  if (typeof turn !== 'string') return turn.map(itemOf);
  const content = [{ type: 'output_text', text: turn, annotations: [] }];
  return [{ type: 'message', id: `msg_${number}`, role: 'assistant', status: 'completed', content }];
}

/// A model that plays `script`; the turn is how many batches of tool results have come back.
export function responses(script, port) {
  return serve((request, response, body) => {
    if (!request.url.startsWith('/v1/responses')) return json(response, { data: [], models: [] });
    const input = Array.isArray(body.input) ? body.input : [];
    const done = input.filter((item) => /^(function|custom_tool)_call_output$/.test(item.type)).length;
    const session = Number(/session ID (\d+)/.exec(JSON.stringify(input))?.[1] ?? 0);
    const turn = turnAfter(script, done, session);
    const items = itemsOf(turn, done);
    const usage = { input_tokens: 10, input_tokens_details: { cached_tokens: 0 }, output_tokens: 5, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 15 };
    const head = { id: `resp_${done}`, object: 'response', model: body.model, created_at: 0 };
    const list = [['response.created', { type: 'response.created', response: { ...head, status: 'in_progress', output: [] } }]];
    items.forEach((item, index) => {
      list.push(['response.output_item.added', { type: 'response.output_item.added', output_index: index, item }]);
      list.push(['response.output_item.done', { type: 'response.output_item.done', output_index: index, item }]);
    });
    list.push(['response.completed', { type: 'response.completed', response: { ...head, status: 'completed', output: items, usage } }]);
    events(response, list);
  }, port);
}

/// A call may refer to a process that an earlier one left running, whose number only the client knows.
function filled(turn, session) {
  return typeof turn === 'string' ? turn : JSON.parse(JSON.stringify(turn).replaceAll('"$session"', session));
}

/// The turn that is due when `done` calls have been answered.
export function turnAfter(script, done, session) {
  let answered = 0;
  for (const [number, turn] of script.entries()) {
    if (answered >= done || typeof turn === 'string') return filled(turnOf(script, number), session);
    answered += turn.length;
  }
  return 'done';
}

/// The tool results that the model received: {id, text} of every tool result, in order.
export function results(log) {
  const found = new Map();
  for (const { body } of log) {
    for (const item of Array.isArray(body.input) ? body.input : []) {
      if (!/^(function|custom_tool)_call_output$/.test(item.type)) continue;
      const text = typeof item.output === 'string' ? item.output : JSON.stringify(item.output);
      found.set(item.call_id, { id: item.call_id, text });
    }
  }
  return [...found.values()];
}
