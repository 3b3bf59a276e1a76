// Runs the real binary with a temporary directory and its own port.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Sekisho } from '../src/index.js';

/** The root of the workspace, wherever this file was compiled to. */
export function workspace(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'Cargo.lock')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

export const BIN = process.env['SEKISHO_BIN'] ?? join(workspace(), 'target/debug/sekisho');

/** How long the server may take to print its address. */
const START_MS = 120_000;

const ROLES = ['agent', 'viewer', 'approver', 'admin'] as const;

/** The state of a new server with a token for each role. Creating tokens takes longer than starting a server, so it is copied. */
interface Template {
  folder: string;
  tokens: ReadonlyMap<string, string>;
}
let template: Template | undefined;

/** Options that differ from a default server. */
export interface ServerOptions {
  /** Copy the state of another new server instead of making one. */
  copied?: boolean;
  /** Additional command-line flags. */
  flags?: readonly string[] | undefined;
  /** The text of the global config file. */
  config?: string | undefined;
  /** Use TLS with a self-signed certificate. */
  tls?: boolean | undefined;
  /** Additional environment variables. */
  env?: Readonly<Record<string, string>> | undefined;
  /** A directory in the server's home that is its project. It is created. */
  project?: string | undefined;
}

export class TestServer {
  /** Home directory of the server, with all its files. */
  readonly folder = mkdtempSync(join(tmpdir(), 'sekisho-test-server-'));
  #tokens: ReadonlyMap<string, string> = new Map();
  readonly #flags: readonly string[];
  readonly #scheme: string;
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #port = 0;

  private constructor(serverOptions: ServerOptions) {
    const { tls = false, flags = [] } = serverOptions;
    this.#flags = tls ? [...flags, ...this.#certificate()] : flags;
    this.#scheme = tls ? 'https' : 'http';
    this.#env = { ...serverOptions.env, ...this.#project(serverOptions.project) };
    if (serverOptions.config === undefined) return;
    mkdirSync(join(this.folder, 'config/sekisho'), { recursive: true });
    writeFileSync(join(this.folder, 'config/sekisho/config.json'), serverOptions.config);
  }

  #project(name: string | undefined): Record<string, string> {
    if (name === undefined) return {};
    const project = join(this.folder, name);
    mkdirSync(project);
    return { SEKISHO_PROJECT_ROOT: project };
  }

  #certificateFiles(): [cert: string, key: string] {
    return [join(this.folder, 'cert.pem'), join(this.folder, 'key.pem')];
  }

  /** Creates a key and a certificate, and returns the flags that name them. */
  #certificate(): string[] {
    const [cert, key] = this.#certificateFiles();
    const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    const named = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    execFileSync('openssl', ['req', ...made, ...named, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    return ['--tls-cert', cert, '--tls-key', key];
  }

  /** Starts a server. */
  static async start(serverOptions: ServerOptions = {}): Promise<TestServer> {
    if (!existsSync(BIN)) throw new Error(`${BIN} does not exist: build it, or set SEKISHO_BIN`);
    const server = new TestServer(serverOptions);
    // A config or an environment may say where the state is.
    const isDefault = serverOptions.config === undefined && serverOptions.env === undefined;
    if (serverOptions.copied === true && isDefault) server.#copyTemplate();
    else server.#tokens = server.#createTokens();
    await server.up();
    return server;
  }

  #createTokens(): ReadonlyMap<string, string> {
    return new Map(ROLES.map((role) => [role, (JSON.parse(this.run('token', 'create', '--name', role, '--role', role, '--json')) as { token: string }).token]));
  }

  #copyTemplate(): void {
    if (template === undefined) {
      const made = new TestServer({});
      template = { folder: made.folder, tokens: made.#createTokens() };
      process.once('exit', () => rmSync(made.folder, { recursive: true, force: true }));
    }
    cpSync(join(template.folder, 'state'), join(this.folder, 'state'), { recursive: true });
    this.#tokens = template.tokens;
  }

  /** Runs a `sekisho` command in the server's environment and returns its output. */
  run(...words: string[]): string {
    return this.runWith({}, ...words);
  }

  /** The same with further environment variables. */
  runWith(env: Readonly<Record<string, string>>, ...words: string[]): string {
    return execFileSync(BIN, words, { env: { ...this.#environment, ...env }, encoding: 'utf8' });
  }

  /** Writes the script of a scripted model. */
  script(name: string, steps: unknown[]): void {
    mkdirSync(join(this.folder, 'scripts'), { recursive: true });
    writeFileSync(join(this.folder, 'scripts', `${name}.json`), JSON.stringify(steps));
  }

  /** A link that signs one browser in. */
  link(name: string, role: string): string {
    const said = this.run('token', 'link', '--name', name, '--role', role, '--url', this.address, '--json');
    return (JSON.parse(said) as { link: string }).link;
  }

  get #environment(): NodeJS.ProcessEnv {
    const { folder } = this;
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, 'config'),
      XDG_STATE_HOME: join(folder, 'state'),
      XDG_DATA_HOME: join(folder, 'data'),
      SEKISHO_SCRIPTS: join(folder, 'scripts'),
      ...this.#env,
    };
  }

  /** Its key and certificate, if it uses TLS. */
  get certificate(): { cert: string; key: string } | undefined {
    if (this.#scheme === 'http') return undefined;
    const [cert, key] = this.#certificateFiles();
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  }

  /** A client with the token of a role. */
  as(role: string): Sekisho {
    return new Sekisho({ baseUrl: this.address, token: this.token(role) });
  }

  /** The token of a role. */
  token(role: string): string | undefined {
    return this.#tokens.get(role);
  }

  /** The most memory that the server had so far, in bytes. `undefined` where the system does not say. */
  get peakMemory(): number | undefined {
    const status = `/proc/${this.#child?.pid ?? ''}/status`;
    if (!existsSync(status)) return undefined;
    const kilobytes = /^VmHWM:\s+([0-9]+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  }

  get address(): string {
    return `${this.#scheme}://127.0.0.1:${this.#port}`;
  }

  /** Starts the server, on the port it had before if it had one. */
  async up(): Promise<void> {
    const listen = `127.0.0.1:${this.#port}`;
    const child = spawn(BIN, ['serve', '--listen', listen, '--socket', 'none', '--log-format', 'json', ...this.#flags], {
      env: this.#environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    const said: string[] = [];
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`the server did not start:\n${said.join('\n')}`)), START_MS);
      child.once('exit', (code) => reject(new Error(`the server exited with ${code}:\n${said.join('\n')}`)));
      createInterface(child.stderr!).on('line', (line) => {
        said.push(line);
        const port = /https?:\/\/127\.0\.0\.1:([0-9]+)/.exec(line)?.[1];
        if (port === undefined) return;
        this.#port = Number(port);
        clearTimeout(late);
        resolve();
      });
    });
  }

  /** Stops the server and keeps its files. */
  async down(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }

  /** Stops the server and removes its files. */
  async end(): Promise<void> {
    await this.down('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
