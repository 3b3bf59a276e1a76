// A test server, calls of an agent to it, and browsers signed in to it.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from '@playwright/test';
import { TestServer, type ServerOptions } from '../../../sdk/typescript/test/test-server.js';
import { type Call, type Permission, type Sekisho } from '../../../sdk/typescript/src/index.js';
import { PageProxy } from './pageProxy.js';

/** A pending call: its approval, and the answer it will get. */
export interface PendingCall {
  id: string;
  permission: Promise<Permission>;
}

export class Harness {
  readonly server: TestServer;
  readonly #proxy: PageProxy | undefined;
  readonly #gone = new AbortController();
  readonly #contexts: BrowserContext[] = [];
  #calls = 0;

  private constructor(server: TestServer, proxy: PageProxy | undefined) {
    this.server = server;
    this.#proxy = proxy;
  }

  static async start(serverOptions: ServerOptions = {}): Promise<Harness> {
    const server = await TestServer.start({ copied: true, ...serverOptions });
    const proxy = process.env['SEKISHO_FRONT'] === undefined ? undefined : await PageProxy.start(() => server.address, server.certificate);
    return new Harness(server, proxy);
  }

  /** The address of the page. */
  get address(): string {
    return this.#proxy?.address ?? this.server.address;
  }

  as(role: 'agent' | 'viewer' | 'approver' | 'admin'): Sekisho {
    return this.server.as(role);
  }

  /** The link that signs a browser in. */
  link(name = 'desk', role = 'admin'): string {
    return this.server.link(name, role).replace(this.server.address, this.address);
  }

  /** Makes a call as an agent, and waits until its approval is open. Await `permission` for the answer. */
  async ask(toolName: string, input: Record<string, unknown>, more: Partial<Call> = {}): Promise<PendingCall> {
    const toolUseId = more.toolUseId ?? `call-${(this.#calls += 1)}`;
    const call: Call = { toolName, input, toolUseId, timeoutMs: 600_000, ...more };
    const agent = this.as('agent');
    const question = await agent.canUseTool(call, { wait: false });
    if ('behavior' in question) throw new Error(`not a question: ${JSON.stringify(question)}`);
    const permission = agent.ask(call, { signal: this.#gone.signal });
    // Reported to callers that await it; a call that is no longer awaited is not a failure.
    permission.catch(() => undefined);
    return { id: question.id, permission };
  }

  /** Makes a call and leaves its approval open without waiting for an answer. */
  async question(command: string, more: Partial<Call> = {}): Promise<string> {
    const call: Call = { toolName: 'Bash', input: { command }, toolUseId: `call-${(this.#calls += 1)}`, onTimeout: 'park', ...more };
    const question = await this.as('agent').canUseTool(call, { wait: false });
    if ('behavior' in question) throw new Error(`not a question: ${JSON.stringify(question)}`);
    return question.id;
  }

  bash(command: string, more: Partial<Call> = {}): Promise<PendingCall> {
    return this.ask('Bash', { command }, more);
  }

  /** A separate browser, signed in, at a path. It is closed at the end, because a page that is left open keeps connecting. */
  async open(
    browser: Browser,
    path = '/',
    how: BrowserContextOptions & { name?: string; role?: string } = {},
  ): Promise<{ page: Page; context: BrowserContext }> {
    const { name, role, ...options } = how;
    const context = await browser.newContext(options);
    this.#contexts.push(context);
    const page = await context.newPage();
    await this.signIn(page, name, role);
    if (path !== '/') await page.goto(this.address + path);
    return { page, context };
  }

  async signIn(page: Page, name = 'desk', role = 'admin'): Promise<void> {
    await page.goto(await this.#newLink(name, role));
    await page.getByRole('navigation').waitFor();
  }

  /** The same as `link`, by a request instead of a process. */
  async #newLink(name: string, role: string): Promise<string> {
    // The client does not know the certificate.
    if (this.server.certificate !== undefined) return this.link(name, role);
    const { url } = await this.as('admin').tokens.link({ name, role: role as 'admin' });
    return `${this.address}/${new URL(url).hash}`;
  }

  async end(): Promise<void> {
    this.#gone.abort();
    await Promise.all(this.#contexts.map((context) => context.close()));
    this.#proxy?.end();
    await this.server.end();
  }
}
