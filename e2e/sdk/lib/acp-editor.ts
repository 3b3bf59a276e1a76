// The editor's side of the Agent Client Protocol, with `sekisho acp` between it and the agent.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type ClientConnection, type NewSessionRequest, PROTOCOL_VERSION, type PromptRequest, client, methods, ndJsonStream } from '@agentclientprotocol/sdk';
import { BIN } from '../../../sdk/typescript/test/test-server.js';

/** The editor's side of one agent. */
export class Editor {
  /** What the agent was told about each call. */
  readonly outcomes = new Map<string, unknown>();
  /** How often the editor itself was asked for permission. */
  asked = 0;
  text = '';
  session = '';
  readonly #folder = mkdtempSync(join(tmpdir(), 'acp-'));
  readonly #sent: Uint8Array[] = [];
  readonly #received: Uint8Array[] = [];
  readonly #process: ChildProcess;
  readonly #connection: ClientConnection;
  #errors = '';

  /** `agent` is the agent's command. What it reads and writes is also written to files. */
  constructor(agent: readonly string[], variables: Readonly<Record<string, string | undefined>>) {
    const env = { ...variables, AGENT_IN: join(this.#folder, 'in'), AGENT_OUT: join(this.#folder, 'out') };
    const recorded = ['sh', '-c', 'tee "$AGENT_IN" | "$@" | tee "$AGENT_OUT"', 'sh', ...agent];
    this.#process = spawn(BIN, ['acp', '--', ...recorded], { env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#process.stderr!.on('data', (text) => (this.#errors += String(text)));
    const { stdin, stdout } = this.#process;
    const output = new WritableStream<Uint8Array>({
      write: (bytes) => {
        this.#sent.push(bytes.slice());
        return new Promise((resolve, reject) => stdin!.write(bytes, (error) => (error ? reject(error) : resolve())));
      },
    });
    const received = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        this.#received.push(bytes.slice());
        controller.enqueue(bytes);
      },
    });
    const input = (Readable.toWeb(stdout!) as ReadableStream<Uint8Array>).pipeThrough(received);
    this.#connection = client({ name: 'editor' })
      .onRequest(methods.client.session.requestPermission, () => {
        this.asked += 1;
        return { outcome: { outcome: 'cancelled' } };
      })
      .onRequest(methods.client.fs.readTextFile, () => ({ content: 'the notes ✓' }))
      .onNotification(methods.client.session.update, ({ params: { update } }) => {
        if (update.sessionUpdate === 'tool_call_update') this.outcomes.set(update.toolCallId, update.rawOutput);
        if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text') this.text += update.content.text;
      })
      .connect(ndJsonStream(output, input));
  }

  /** Begins a session in a directory. */
  async open(cwd: string): Promise<this> {
    const { agent } = this.#connection;
    await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: { fs: { readTextFile: true, writeTextFile: false } } });
    const request: NewSessionRequest = { cwd, mcpServers: [] };
    this.session = (await agent.request(methods.agent.session.new, request)).sessionId;
    return this;
  }

  async prompt(text: string): Promise<string> {
    const request: PromptRequest = { sessionId: this.session, prompt: [{ type: 'text', text }] };
    return (await this.#connection.agent.request(methods.agent.session.prompt, request)).stopReason;
  }

  cancel(): Promise<void> {
    return this.#connection.agent.notify(methods.agent.session.cancel, { sessionId: this.session });
  }

  /** Ends the agent. Returns what the proxy said, and checks that it passed everything else on byte for byte. */
  async end(): Promise<string> {
    const ended = once(this.#process, 'exit');
    this.#process.stdin!.end();
    assert.deepEqual(await ended, [0, null], this.#errors);
    const [agentRead, agentWrote] = ['in', 'out'].map((name) => readFileSync(join(this.#folder, name)));
    const answers = /^\{[^\n]*"outcome":\{"(optionId|outcome)"[^\n]*\}\n/gm;
    const requests = /^\{[^\n]*"method":"session\/request_permission"[^\n]*\}\n/gm;
    assert.equal(without(agentRead!, answers), Buffer.concat(this.#sent).toString('latin1'));
    assert.equal(without(agentWrote!, requests), Buffer.concat(this.#received).toString('latin1'));
    assert.ok(agentWrote!.toString('latin1').match(requests), 'the agent asked for permission');
    assert.equal(this.asked, 0, 'the editor was asked');
    return this.#errors;
  }
}

/** Bytes without the lines that are not for the other side. */
function without(bytes: Buffer, lines: RegExp): string {
  return bytes.toString('latin1').replace(lines, '');
}
