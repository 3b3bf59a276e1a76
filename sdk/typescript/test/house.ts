// The real binary, on a scratch directory and a port of its own.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

const BIN = process.env['SEKISHO_BIN'] ?? join(workspace(), 'target/debug/sekisho');

/** How long the server may take to say where it listens. */
const START_MS = 120_000;

/** How a server differs from a plain one. */
export interface Wishes {
  /** More of its command line. */
  flags?: readonly string[] | undefined;
  /** The text of the global config file. */
  config?: string | undefined;
  /** It speaks TLS, with a certificate that nobody has signed. */
  tls?: boolean | undefined;
}

export class House {
  /** Home of this server and of everything it keeps. */
  readonly folder = mkdtempSync(join(tmpdir(), 'sekisho-house-'));
  readonly #tokens = new Map<string, string>();
  readonly #flags: readonly string[];
  readonly #scheme: string;
  #child: ChildProcess | undefined;
  #port = 0;

  private constructor(wishes: Wishes) {
    const { tls = false, flags = [] } = wishes;
    this.#flags = tls ? [...flags, ...this.#certificate()] : flags;
    this.#scheme = tls ? 'https' : 'http';
    if (wishes.config === undefined) return;
    mkdirSync(join(this.folder, 'config/sekisho'), { recursive: true });
    writeFileSync(join(this.folder, 'config/sekisho/config.json'), wishes.config);
  }

  /** Makes a key and a certificate; the flags that name them. */
  #certificate(): string[] {
    const [cert, key] = [join(this.folder, 'cert.pem'), join(this.folder, 'key.pem')];
    const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    const named = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
    execFileSync('openssl', ['req', ...made, ...named, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    return ['--tls-cert', cert, '--tls-key', key];
  }

  /** Starts a server. */
  static async start(wishes: Wishes = {}): Promise<House> {
    if (!existsSync(BIN)) throw new Error(`${BIN} is not there: build it, or say where it is by SEKISHO_BIN`);
    const house = new House(wishes);
    for (const role of ['agent', 'viewer', 'approver', 'admin']) {
      const said = house.run('token', 'create', '--name', role, '--role', role, '--json');
      house.#tokens.set(role, (JSON.parse(said) as { token: string }).token);
    }
    await house.up();
    return house;
  }

  /** Runs the program in this house: what it says. */
  run(...words: string[]): string {
    return execFileSync(BIN, words, { env: this.#environment, encoding: 'utf8' });
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
    };
  }

  /** A client with the token of a role. */
  as(role: string): Sekisho {
    return new Sekisho({ baseUrl: this.address, token: this.token(role) });
  }

  /** The token of a role. */
  token(role: string): string | undefined {
    return this.#tokens.get(role);
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
      const late = setTimeout(() => reject(new Error(`the server does not start:\n${said.join('\n')}`)), START_MS);
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${said.join('\n')}`)));
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

  /** Stops the server; what it keeps stays. */
  async down(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }

  /** Stops the server and removes what it kept. */
  async end(): Promise<void> {
    await this.down('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
