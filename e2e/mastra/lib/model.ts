// A model that follows a script and speaks the streaming interface of OpenAI's chat completions.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ScriptedCall {
  id: string;
  name: string;
  args: Record<string, unknown>;
}

/** One reply: text in pieces, then calls whose input comes in two pieces. */
export interface Reply {
  text?: readonly string[];
  calls?: readonly ScriptedCall[];
  finish?: string;
  /** Fails with this status instead. */
  status?: number;
}

interface Request {
  model: string;
  stream?: boolean;
  messages: { role: string; content: unknown; tool_call_id?: string }[];
}

export class ScriptedModel {
  readonly requests: Request[] = [];
  readonly #server: Server;

  private constructor(script: readonly Reply[]) {
    this.#server = createServer((incoming, outgoing) => {
      let body = '';
      incoming.on('data', (piece) => (body += String(piece)));
      incoming.on('end', () => {
        const request = JSON.parse(body) as Request;
        this.requests.push(request);
        // The reply is chosen by the replies so far, so the model needs no memory.
        const reply = script[request.messages.filter(({ role }) => role === 'assistant').length] ?? { text: ['The script has ended.'] };
        if (reply.status !== undefined) {
          outgoing.writeHead(reply.status, { 'content-type': 'application/json' });
          outgoing.end(JSON.stringify({ error: { message: 'no such model', type: 'invalid_request_error', code: 'model_not_found' } }));
          return;
        }
        outgoing.writeHead(200, { 'content-type': request.stream === true ? 'text/event-stream' : 'application/json' });
        outgoing.end(request.stream === true ? streamed(request.model, reply) : whole(request.model, reply));
      });
    });
  }

  static async start(script: readonly Reply[]): Promise<ScriptedModel> {
    const model = new ScriptedModel(script);
    await new Promise<void>((resolve) => model.#server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  end(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

function finishOf(reply: Reply): string {
  return reply.finish ?? (reply.calls === undefined ? 'stop' : 'tool_calls');
}

function streamed(model: string, reply: Reply): string {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model };
  const lines: string[] = [];
  const send = (delta: object, finish: string | null = null) =>
    lines.push(JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] }));
  send({ role: 'assistant', content: '' });
  for (const text of reply.text ?? []) send({ content: text });
  (reply.calls ?? []).forEach(({ id, name, args }, index) => {
    const text = JSON.stringify(args);
    const middle = Math.floor(text.length / 2);
    send({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
    for (const piece of [text.slice(0, middle), text.slice(middle)]) send({ tool_calls: [{ index, function: { arguments: piece } }] });
  });
  send({}, finishOf(reply));
  lines.push(JSON.stringify({ ...head, choices: [], usage: USAGE }), '[DONE]');
  return lines.map((line) => `data: ${line}\n\n`).join('');
}

function whole(model: string, reply: Reply): string {
  const calls = reply.calls?.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }));
  const message = { role: 'assistant', content: reply.text?.join('') ?? null, ...(calls !== undefined && { tool_calls: calls }) };
  const choices = [{ index: 0, finish_reason: finishOf(reply), message }];
  return JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', created: 1_700_000_000, model, choices, usage: USAGE });
}
