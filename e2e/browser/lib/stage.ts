// A server, and what to open in a browser to see it.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from '@playwright/test';
import { House, type Wishes } from '../../../sdk/typescript/test/house.js';
import { type Call, type Permission, type Sekisho } from '../../../sdk/typescript/src/index.js';
import { Front } from './front.js';

/** A pending call: its approval, and the answer it will get. */
export interface Asked {
  id: string;
  told: Promise<Permission>;
}

export class Stage {
  readonly house: House;
  readonly #front: Front | undefined;
  readonly #gone = new AbortController();
  #calls = 0;

  private constructor(house: House, front: Front | undefined) {
    this.house = house;
    this.#front = front;
  }

  static async start(wishes: Wishes = {}): Promise<Stage> {
    const house = await House.start(wishes);
    // It supports only a server without TLS.
    const wanted = process.env['SEKISHO_FRONT'] !== undefined && wishes.tls !== true;
    const front = wanted ? await Front.start(() => house.address) : undefined;
    return new Stage(house, front);
  }

  /** The address of the page. */
  get address(): string {
    return this.#front?.address ?? this.house.address;
  }

  as(role: 'agent' | 'viewer' | 'approver' | 'admin'): Sekisho {
    return this.house.as(role);
  }

  /** The link that signs a browser in. */
  link(name = 'desk', role = 'admin'): string {
    return this.house.link(name, role).replace(this.house.address, this.address);
  }

  /** Makes a call as an agent, and waits until its approval is open. Await `told` for the answer. */
  async ask(toolName: string, input: Record<string, unknown>, more: Partial<Call> = {}): Promise<Asked> {
    const toolUseId = more.toolUseId ?? `call-${(this.#calls += 1)}`;
    const call: Call = { toolName, input, toolUseId, timeoutMs: 600_000, ...more };
    const agent = this.as('agent');
    const question = await agent.canUseTool(call, { wait: false });
    if ('behavior' in question) throw new Error(`not a question: ${JSON.stringify(question)}`);
    const told = agent.ask(call, { signal: this.#gone.signal });
    // Reported to callers that await it; a call that is no longer awaited is not a failure.
    told.catch(() => undefined);
    return { id: question.id, told };
  }

  /** Makes a call and leaves its approval open without waiting for an answer. */
  async question(command: string, more: Partial<Call> = {}): Promise<string> {
    const call: Call = { toolName: 'Bash', input: { command }, toolUseId: `call-${(this.#calls += 1)}`, onTimeout: 'park', ...more };
    const question = await this.as('agent').canUseTool(call, { wait: false });
    if ('behavior' in question) throw new Error(`not a question: ${JSON.stringify(question)}`);
    return question.id;
  }

  bash(command: string, more: Partial<Call> = {}): Promise<Asked> {
    return this.ask('Bash', { command }, more);
  }

  /** A separate browser, signed in, at a path. */
  async open(
    browser: Browser,
    path = '/',
    how: BrowserContextOptions & { name?: string; role?: string } = {},
  ): Promise<{ page: Page; context: BrowserContext }> {
    const { name, role, ...options } = how;
    const context = await browser.newContext(options);
    const page = await context.newPage();
    await this.signIn(page, name, role);
    if (path !== '/') await page.goto(this.address + path);
    return { page, context };
  }

  async signIn(page: Page, name = 'desk', role = 'admin'): Promise<void> {
    await page.goto(this.link(name, role));
    await page.getByRole('navigation').waitFor();
  }

  async end(): Promise<void> {
    this.#gone.abort();
    this.#front?.end();
    await this.house.end();
  }
}
