// The two servers that a client of Mastra talks to: ours and Mastra's own, with the same script and the same tools.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MastraClient } from '@mastra/client-js';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { MastraServer } from '@mastra/hono';
import { LibSQLStore } from '@mastra/libsql';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { z } from 'zod';
import { TestServer } from '../../../sdk/typescript/test/test-server.js';
import { ScriptedModel, type Reply } from './model.js';

/** The agent in all tests. */
export const AGENT = 'notes';

export interface Peer {
  client: MastraClient;
  end: () => Promise<void>;
}

/** Our server with an agent that may read and write files of an empty project. Writing is asked about. */
export class OurServer implements Peer {
  readonly project: string;
  readonly model: ScriptedModel;
  readonly server: TestServer;

  private constructor(server: TestServer, model: ScriptedModel, project: string) {
    [this.server, this.model, this.project] = [server, model, project];
  }

  /** `more`: further flags of the agent. */
  static async start(script: readonly Reply[], more: readonly string[] = []): Promise<OurServer> {
    const model = await ScriptedModel.start(script);
    const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'none' };
    const server = await TestServer.start({ env, project: 'project' });
    const project = join(server.folder, 'project');
    writeFileSync(join(project, 'hello.txt'), 'hello\n');
    const admin = { SEKISHO_TOKEN: server.token('admin') ?? '', SEKISHO_URL: server.address };
    const tools = ['--tool', 'read', '--tool', 'file_write'];
    server.runWith(admin, 'agents', 'create', AGENT, '--provider', 'openai', '--model', 'm', ...tools, ...more);
    return new OurServer(server, model, project);
  }

  get client(): MastraClient {
    return this.as('approver');
  }

  as(role: string): MastraClient {
    const headers = { Authorization: `Bearer ${this.server.token(role) ?? ''}` };
    return new MastraClient({ baseUrl: `${this.server.address}/mastra`, headers, retries: 0 });
  }

  async end(): Promise<void> {
    await this.server.end();
    this.model.end();
  }
}

/** Mastra's own server. Its tools return what ours returned for the same calls. */
export async function mastraServer(script: readonly Reply[], results: ReadonlyMap<string, unknown>): Promise<Peer> {
  const model = await ScriptedModel.start(script);
  const tool = (id: string, requireApproval: boolean) =>
    createTool({
      id,
      description: id,
      requireApproval,
      inputSchema: z.object({ path: z.string(), content: z.string().optional() }),
      execute: (_input, context) => Promise.resolve(results.get(context?.agent?.toolCallId ?? '')),
    });
  const agent = new Agent({
    id: AGENT,
    name: AGENT,
    instructions: 'You take notes.',
    tools: { read: tool('read', false), file_write: tool('file_write', true) },
    model: { providerId: 'local', modelId: 'm', url: model.url, apiKey: 'none' },
  });
  const storage = new LibSQLStore({ id: 'store', url: ':memory:' });
  const mastra = new Mastra({ agents: { [AGENT]: agent }, storage, logger: false });
  const app = new Hono();
  await new MastraServer({ app, mastra }).init();
  const server = await new Promise<{ port: number; close: () => void }>((resolve) => {
    const started = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve({ port, close: () => started.close() }));
  });
  return {
    client: new MastraClient({ baseUrl: `http://127.0.0.1:${server.port}`, retries: 0 }),
    end: async () => {
      server.close();
      model.end();
    },
  };
}
