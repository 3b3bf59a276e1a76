// Gemini generateContent and streamGenerateContent, the protocol of Gemini CLI.
import { json, serve, turnOf } from './serve.mjs';

function partsOf(turn) {
  if (typeof turn === 'string') return [{ text: turn }];
  return turn.map((call) => ({ functionCall: { id: call.id, name: call.tool, args: call.input } }));
}

/// A model that plays `script`; the turn is how many times the model has called functions.
export function gemini(script, port) {
  return serve((request, response, body) => {
    if (request.url.includes('countTokens')) return json(response, { totalTokens: 10 });
    if (!request.url.includes('enerateContent')) return json(response, {}, 404);
    const called = (message) => message.role === 'model' && message.parts?.some((part) => part.functionCall);
    const number = (body.contents ?? []).filter(called).length;
    const errand = (body.tools ?? []).length === 0;
    const parts = partsOf(errand ? 'errand' : turnOf(script, number));
    const reply = {
      candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      modelVersion: 'scripted',
    };
    if (!request.url.includes('streamGenerateContent')) return json(response, reply);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify(reply)}\r\n\r\n`);
  }, port);
}

/// The tool results that the model received: {id, text} of every function response, in order.
export function results(log) {
  const found = new Map();
  for (const { body } of log) {
    const parts = (body.contents ?? []).flatMap((message) => message.parts ?? []).filter((part) => part.functionResponse);
    parts.forEach((part, index) => {
      const { id, response } = part.functionResponse;
      found.set(id ?? index, { id: id ?? index, text: response?.output ?? response?.error ?? JSON.stringify(response) });
    });
  }
  return [...found.values()];
}
