// HTTP requests: address, headers, body and result.
import { SekishoError, errorOf } from './errors.js';
import { type operations, routes } from './generated.js';

/** The server's address and the client's credential. */
export interface Settings {
  /** The address of the server: `http://127.0.0.1:8787`. In a browser `''` is the page's own server. */
  baseUrl: string;
  /** The token, or a function that returns it for each request. Without a token the browser's cookie is sent. */
  token?: string | (() => string | Promise<string>) | undefined;
  /** In a browser: the `pageKey` from signing in, or a function that returns it. The cookie alone is not accepted. */
  pageKey?: string | (() => string | null | undefined) | undefined;
  /** Timeout of a request, in milliseconds; 30 000 by default. Requests that wait for humans ignore it. */
  timeoutMs?: number | undefined;
  /** Another `fetch`, for tests or proxies. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** Options of one request. */
export interface RequestOptions {
  /** Aborts the request. */
  signal?: AbortSignal | undefined;
  /** Timeout in milliseconds; `Infinity` for none. */
  timeoutMs?: number | undefined;
}

/** The name of an operation. */
export type Operation = keyof operations & keyof typeof routes;

type Parameters<O extends Operation> = operations[O]['parameters'];
type Part<T, K extends string> = T extends { [P in K]?: infer V } ? Exclude<V, undefined> : never;
/** The path parameters of an operation. */
export type PathOf<O extends Operation> = Part<Parameters<O>, 'path'>;
/** The query parameters of an operation. */
export type QueryOf<O extends Operation> = Part<Parameters<O>, 'query'>;
/** The request body of an operation. */
export type BodyOf<O extends Operation> = operations[O] extends {
  requestBody: { content: { 'application/json': infer B } };
}
  ? B
  : never;

type Good = 200 | 201 | 202 | 204;
type Content<R> = R extends { content: { 'application/json': infer J } }
  ? J
  : R extends { content: infer C }
    ? [C] extends [never] | [undefined]
      ? undefined
      : string
    : undefined;
type Responses<O extends Operation> = operations[O]['responses'];
/** The result of an operation. */
export type ResultOf<O extends Operation> = {
  [S in keyof Responses<O> & Good]: Content<Responses<O>[S]>;
}[keyof Responses<O> & Good];

/** The parameters of a request. */
export interface Sent {
  path?: Record<string, string> | undefined;
  query?: object | undefined;
  body?: unknown;
  headers?: Record<string, string> | undefined;
}

const PATIENCE_MS = 30_000;

/** Sends requests to one server. */
export class Http {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The response to a request, whatever its status. Its body may still be arriving. */
  async send(operation: Operation, sent: Sent, signal?: AbortSignal): Promise<Response> {
    const [method, template] = routes[operation];
    const headers: Record<string, string> = { ...sent.headers };
    const token = this.#settings.token;
    if (token !== undefined) headers['authorization'] = `Bearer ${typeof token === 'string' ? token : await token()}`;
    const given = this.#settings.pageKey;
    const pageKey = typeof given === 'function' ? given() : given;
    if (token === undefined && pageKey) headers['x-sekisho-page'] = pageKey;
    const init: RequestInit = { method, headers, credentials: token === undefined ? 'same-origin' : 'omit' };
    if (sent.body !== undefined) {
      headers['content-type'] = 'application/json';
      init.body = JSON.stringify(sent.body);
    }
    if (signal !== undefined) init.signal = signal;
    const address = this.#settings.baseUrl.replace(/\/+$/, '') + filled(template, sent.path ?? {}) + query(sent.query);
    const fetch = this.#settings.fetch ?? globalThis.fetch;
    try {
      return await fetch(address, init);
    } catch (cause) {
      throw signal?.aborted === true ? signal.reason : unreachable(cause);
    }
  }

  /** Calls an operation and returns its result; throws a {@link SekishoError} on failure. */
  async call<O extends Operation>(operation: O, sent: Sent = {}, options: RequestOptions = {}): Promise<ResultOf<O>> {
    // A missing path parameter is the caller's mistake, so it is not a SekishoError.
    filled(routes[operation][1], sent.path ?? {});
    const patience = options.timeoutMs ?? this.#settings.timeoutMs ?? PATIENCE_MS;
    const limit = limited(options.signal, patience);
    try {
      const response = await this.send(operation, sent, limit.signal);
      if (!response.ok) throw await errorOf(response);
      return (await content(response)) as ResultOf<O>;
    } catch (error) {
      if (options.signal?.aborted === true) throw options.signal.reason;
      if (limit.signal.aborted) {
        throw new SekishoError({ code: 'TimedOut', message: `no answer within ${patience} ms`, status: 0 });
      }
      throw error instanceof SekishoError ? error : unreachable(error);
    } finally {
      limit.release();
    }
  }
}

function unreachable(cause: unknown): SekishoError {
  const why = cause instanceof Error ? (cause.cause instanceof Error ? cause.cause.message : cause.message) : String(cause);
  return new SekishoError({ code: 'Unreachable', message: `the server cannot be reached: ${why}`, status: 0 }, { cause });
}

async function content(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const media = response.headers.get('content-type') ?? '';
  return media.startsWith('application/json') ? response.json() : response.text();
}

function filled(template: string, values: Record<string, string>): string {
  return template.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined || value === '') throw new TypeError(`\`${name}\` is missing`);
    return encodeURIComponent(value);
  });
}

function query(values: object | undefined): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values ?? {})) {
    if (value !== undefined && value !== null) search.append(name, String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

/** A signal that is aborted with another, or after a timeout. */
function limited(outer: AbortSignal | undefined, ms: number): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort(outer?.reason);
  if (outer?.aborted === true) abort();
  outer?.addEventListener('abort', abort, { once: true });
  // Longer than a timer supports: no timer.
  const timer = ms <= 0x7fff_ffff ? setTimeout(() => controller.abort(), ms) : undefined;
  const release = (): void => {
    clearTimeout(timer);
    outer?.removeEventListener('abort', abort);
  };
  return { signal: controller.signal, release };
}
