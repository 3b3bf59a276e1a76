// Agents whose model does what a test says: either a script of the server, or a model that streams piece by piece and
// waits until the test lets it go on.
import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Harness } from './harness.js';

export interface ScriptStep {
  text?: string;
  calls?: { name: string; input: Record<string, unknown> }[];
  usage?: Record<string, number>;
  delay_ms?: number;
  [more: string]: unknown;
}

/** Creates an agent that follows a script, and returns its id. */
export async function scriptedAgent(harness: Harness, name: string, steps: ScriptStep[], tools: readonly string[], more: Record<string, unknown> = {}): Promise<string> {
  harness.server.script(name, steps);
  return agentWith(harness, { name, provider: 'scripted', model: name, maxIterations: 50, ...more }, tools);
}

/** Creates an agent with some tools enabled. Programs may write in `doc`. */
export async function agentWith(harness: Harness, settings: Record<string, unknown>, tools: readonly string[]): Promise<string> {
  const admin = harness.as('admin');
  const { id } = await admin.agents.create(settings as never);
  if (tools.length > 0) await admin.tools.configure({ agent_id: id, tools: tools.map((tool_name) => ({ tool_name, is_enabled: true })) } as never);
  return id;
}

/** Starts a run without waiting for it, and returns its id. */
export async function startRun(harness: Harness, agent: string, input = 'Do it.'): Promise<string> {
  return (await harness.as('approver').runs.start({ agent_id: agent, input }, { wait: false })).run_id;
}

/** Waits until a run has this state. */
export async function runReaches(harness: Harness, run: string, status: string): Promise<void> {
  for (let turn = 0; turn < 600; turn += 1) {
    if ((await harness.as('admin').runs.show(run)).status === status) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`run ${run} did not become ${status}`);
}

interface Call {
  name: string;
  input: Record<string, unknown>;
}

/** One reply of a streamed model. */
export class Reply {
  readonly #response: ServerResponse;
  readonly #head: Record<string, unknown>;

  constructor(response: ServerResponse, model: string) {
    this.#response = response;
    this.#head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.#send({ role: 'assistant', content: '' });
  }

  /** Sends a piece of text, and waits until it can be sent. */
  async say(text: string): Promise<void> {
    if (!this.#send({ content: text })) await new Promise<void>((resolve) => this.#response.once('drain', resolve).once('close', resolve));
  }

  end(calls: readonly Call[] = []): void {
    calls.forEach(({ name, input }, index) => {
      this.#send({ tool_calls: [{ index, id: `call_${Math.random().toString(36).slice(2)}`, type: 'function', function: { name, arguments: JSON.stringify(input) } }] });
    });
    this.#send({}, calls.length > 0 ? 'tool_calls' : 'stop');
    const usage = { prompt_tokens: 1200, completion_tokens: 340, total_tokens: 1540 };
    this.#response.write(`data: ${JSON.stringify({ ...this.#head, choices: [], usage })}\n\n`);
    this.#response.end('data: [DONE]\n\n');
  }

  #send(delta: object, finish: string | null = null): boolean {
    return this.#response.write(`data: ${JSON.stringify({ ...this.#head, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
  }
}

/** A model that speaks OpenAI's streaming interface. `reply` is called for each request, with how many came before. */
export class StreamedModel {
  readonly #server: Server;
  #count = 0;

  private constructor(reply: (reply: Reply, nth: number) => Promise<void>) {
    this.#server = createServer((request, response) => {
      let body = '';
      request.on('data', (piece) => (body += String(piece)));
      request.on('end', () => {
        const { model } = JSON.parse(body) as { model: string };
        const nth = this.#count;
        this.#count += 1;
        void reply(new Reply(response, model), nth);
      });
    });
  }

  static async start(reply: (reply: Reply, nth: number) => Promise<void>): Promise<StreamedModel> {
    const model = new StreamedModel(reply);
    await new Promise<void>((resolve) => model.#server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  /** The environment of a server that uses it. */
  get env(): Record<string, string> {
    return { OPENAI_BASE_URL: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`, OPENAI_API_KEY: 'none' };
  }

  end(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** A gate that a test opens. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
