// The real Claude Agent SDK with a scripted model, in a directory of its own.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Options, type SDKResultMessage, query } from '@anthropic-ai/claude-agent-sdk';
import { type Script, type ToolResult, anthropic, anthropicToolResults } from './models.js';

/** A call of Bash. */
export const bash = (command: string, id = 'toolu_01') => ({ tool: 'Bash', id, input: { command, description: 'a test' } });

export interface Outcome {
  results: ToolResult[];
  result: SDKResultMessage | undefined;
  session: string | undefined;
}

/** A home and a workspace in which queries run. */
export class ClaudeHome {
  readonly root = mkdtempSync(join(tmpdir(), 'claude-'));
  readonly ws = join(this.root, 'ws');

  constructor() {
    for (const name of ['ws', 'home', 'tmp']) mkdirSync(join(this.root, name));
    writeFileSync(join(this.ws, 'hello.txt'), 'hello from a file\n');
  }

  /** The options of every query: nothing of the machine's own, a dummy key, our model. */
  options(address: string): Options {
    return {
      cwd: this.ws,
      env: {
        PATH: process.env['PATH'],
        HOME: join(this.root, 'home'),
        TMPDIR: join(this.root, 'tmp'),
        CLAUDE_CODE_TMPDIR: join(this.root, 'tmp'),
        ANTHROPIC_BASE_URL: address,
        ANTHROPIC_API_KEY: 'sk-ant-dummy',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        // Without it, a run as root refuses the mode that skips all checks.
        IS_SANDBOX: '1',
      },
    };
  }

  /** Runs a query to its end. `change` makes the options that the test is about. */
  async run(script: Script, change: (options: Options) => Options, prompt = 'do the thing'): Promise<Outcome> {
    const model = await anthropic(script);
    const outcome: Outcome = { results: [], result: undefined, session: undefined };
    try {
      for await (const message of query({ prompt, options: change(this.options(model.address)) })) {
        if (message.type === 'result') outcome.result = message;
        if ('session_id' in message) outcome.session = message.session_id ?? outcome.session;
      }
    } catch (error) {
      // The SDK throws at the end of a run that was aborted or interrupted.
      if (outcome.result === undefined && !/abort/i.test(String(error))) throw error;
    } finally {
      model.close();
    }
    outcome.results = anthropicToolResults(model.log);
    return outcome;
  }

  ran(name: string): boolean {
    return existsSync(join(this.ws, name));
  }

  read(name: string): string {
    return readFileSync(join(this.ws, name), 'utf8');
  }

  write(name: string, value: object): void {
    mkdirSync(join(this.ws, name, '..'), { recursive: true });
    writeFileSync(join(this.ws, name), JSON.stringify(value));
  }
}
