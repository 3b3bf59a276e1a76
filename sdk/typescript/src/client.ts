import { Backoff, pause } from './backoff.js';
import { SekishoError } from './errors.js';
import { EventClient, type EventSettings } from './events.js';
import type { components } from './generated.js';
import {
  type BodyOf,
  Http,
  type Operation,
  type QueryOf,
  type RequestOptions,
  type ResultOf,
  type Sent,
  type Settings,
} from './http.js';

type Schemas = components['schemas'];
/** A question put to people, and what became of it. */
export type Question = Schemas['Question'];
/** A question as its asker sees it. */
export type OwnQuestion = Schemas['OwnQuestion'];
/** A question, as far as whoever looks at it may see it. */
export type SeenQuestion = Schemas['SeenQuestion'];
/** Whether a call may run. */
export type Permission = Schemas['Permission'];
/** A call that wants to run. */
export type Call = BodyOf<'canUseTool'>;
/** An answer to a question. */
export type Answer = BodyOf<'answerApproval'>;

/** How long one look at a question takes while {@link Sekisho.ask} waits. */
const LOOK_MS = 30_000;
/** As long as agents wait for their hooks. */
const HOOK_MS = 600_000;
/** A long poll is answered by then, unless the way is broken. */
const MARGIN_MS = 10_000;

/** Whether somebody has to be asked first. */
export function isQuestion(told: Permission | OwnQuestion): told is OwnQuestion {
  return !('behavior' in told);
}

/** Whether all of a question is there: people see it whole, an agent sees what it asked itself. */
export function isWhole(question: SeenQuestion): question is Question {
  return 'shown' in question;
}

/**
 * A client of one server. Works in browsers and in Node.
 *
 * Every method takes `{signal, timeoutMs}` last, and throws a `SekishoError` where something does not work.
 */
export class Sekisho {
  readonly #http: Http;

  constructor(settings: Settings) {
    this.#http = new Http(settings);
  }

  /** Any operation by its name in the OpenAPI document. The other methods are this with better names. */
  call<O extends Operation>(operation: O, sent?: Sent, options?: RequestOptions): Promise<ResultOf<O>> {
    return this.#http.call(operation, sent, options);
  }

  /**
   * May this call run? Asks people if it has to, and waits for them.
   *
   * Aborting withdraws the question. With `wait: false` a question comes back instead of the answer; asking again with the
   * same `toolUseId` takes the answer when there is one. Node's `fetch` gives up after five minutes without an answer:
   * {@link ask} does not.
   */
  canUseTool(call: Call, options?: RequestOptions & { wait?: true }): Promise<Permission>;
  canUseTool(call: Call, options: RequestOptions & { wait: boolean }): Promise<Permission | OwnQuestion>;
  canUseTool(call: Call, options: RequestOptions & { wait?: boolean } = {}): Promise<Permission | OwnQuestion> {
    const { wait, ...rest } = options;
    const waits = wait !== false;
    const query: QueryOf<'canUseTool'> = waits ? {} : { wait: false };
    return this.call('canUseTool', { query, body: call }, waits ? { timeoutMs: Infinity, ...rest } : rest);
  }

  /**
   * The same without one long request: the question stays while the server restarts or the network is away, and is
   * answered in the end however long that takes. Aborting withdraws it.
   */
  async ask(call: Call, options: { signal?: AbortSignal | undefined } = {}): Promise<Permission> {
    const { signal } = options;
    for (;;) {
      signal?.throwIfAborted();
      // Not ended by the signal: a question whose id never arrived could not be withdrawn.
      const told = await this.#insist(signal, () => this.canUseTool(call, { wait: false }));
      if (!isQuestion(told)) return told;
      try {
        signal?.throwIfAborted();
        await this.#insist(signal, () => this.#ended(told.id, signal));
      } catch (error) {
        // Nobody waits any more. If this does not arrive either, the question expires by itself.
        if (signal?.aborted === true) await this.approvals.withdraw(told.id).catch(() => undefined);
        throw error;
      }
    }
  }

  async #ended(id: string, signal: AbortSignal | undefined): Promise<void> {
    while ((await this.approvals.wait(id, { timeoutMs: LOOK_MS }, { signal })).state === 'pending');
  }

  /** Tries again while what is wrong may pass. */
  async #insist<T>(signal: AbortSignal | undefined, what: () => Promise<T>): Promise<T> {
    const backoff = new Backoff();
    for (;;) {
      try {
        return await what();
      } catch (error) {
        if (!(error instanceof SekishoError) || !error.passing) throw error;
        await pause(backoff.next((error.retryAfter ?? 0) * 1000), signal ?? new AbortController().signal);
        signal?.throwIfAborted();
      }
    }
  }

  /** What the verdict on a call would be. Advisory: nothing may run on its word. */
  decide(call: BodyOf<'decide'>, options?: RequestOptions): Promise<ResultOf<'decide'>> {
    return this.call('decide', { body: call }, options);
  }

  /** Tells how a call ended that was let through. */
  async reportExecution(id: string, ended: BodyOf<'reportExecution'>, options?: RequestOptions): Promise<void> {
    await this.call('reportExecution', { path: { id }, body: ended }, options);
  }

  /**
   * What an agent told its hook, or asked for approval, in its own JSON; gives the answer in its own JSON. Waits for a
   * human where it has to, up to ten minutes unless told otherwise.
   */
  hook(agent: string, told: BodyOf<'hook'>, options?: RequestOptions) {
    return this.call('hook', { path: { agent }, body: told }, { timeoutMs: HOOK_MS, ...options });
  }

  /** Questions put to people. */
  readonly approvals = {
    /** A page of questions, newest first; an agent's own. */
    list: (query?: QueryOf<'listApprovals'>, options?: RequestOptions) =>
      this.call('listApprovals', { query }, options),
    /** One question. */
    show: (id: string, options?: RequestOptions) => this.call('getApproval', { path: { id } }, options),
    /** Waits until a question has ended, or for a while; gives it as it is then. */
    wait: (id: string, query?: QueryOf<'waitForApproval'>, options?: RequestOptions) =>
      this.call('waitForApproval', { path: { id }, query }, {
        timeoutMs: (query?.timeoutMs ?? LOOK_MS) + MARGIN_MS,
        ...options,
      }),
    /** Answers a question; the first answer wins. With `digest` only what was shown is answered. */
    answer: (id: string, answer: Answer, options?: RequestOptions) =>
      this.call('answerApproval', { path: { id }, body: answer }, options),
    /** Withdraws a question; an agent its own. */
    withdraw: (id: string, options?: RequestOptions) => this.call('withdrawApproval', { path: { id } }, options),
  };

  /** The rules in force. */
  readonly rules = {
    /** All rules with where they stand and how often they decided. */
    list: (query?: QueryOf<'listRules'>, options?: RequestOptions) => this.call('listRules', { query }, options),
    /** One rule. */
    show: (id: string, options?: RequestOptions) => this.call('getRule', { path: { id } }, options),
    /** Adds a rule to the database. */
    add: (rule: BodyOf<'addRule'>, options?: RequestOptions) => this.call('addRule', { body: rule }, options),
    /** Puts another rule in the place of one. */
    replace: (id: string, rule: BodyOf<'replaceRule'>, options?: RequestOptions) =>
      this.call('replaceRule', { path: { id }, body: rule }, options),
    /** Removes a rule. */
    remove: (id: string, options?: RequestOptions) => this.call('removeRule', { path: { id } }, options),
    /** What a rule would have done to past calls. */
    test: (trial: BodyOf<'testRule'>, options?: RequestOptions) => this.call('testRule', { body: trial }, options),
    /** Rules worth having, by how people answered. */
    suggestions: (options?: RequestOptions) => this.call('suggestRules', {}, options),
  };

  /** The record. */
  readonly audit = {
    /** A page of entries, newest first. */
    search: (query?: QueryOf<'searchAudit'>, options?: RequestOptions) => this.call('searchAudit', { query }, options),
    /** One entry by its writer and number. */
    show: (writer: string, seq: number | string, options?: RequestOptions) =>
      this.call('getAuditRow', { path: { writer, seq: String(seq) } }, options),
    /** All kinds of rows, those that other parts of the server registered among them. */
    kinds: (options?: RequestOptions) => this.call('auditKinds', {}, options),
    /** Figures over time. */
    stats: (query?: QueryOf<'auditStats'>, options?: RequestOptions) => this.call('auditStats', { query }, options),
    /** The record as text. */
    export: (query?: QueryOf<'exportAudit'>, options?: RequestOptions) => this.call('exportAudit', { query }, options),
    /** Whether the record is whole. */
    verify: (options?: RequestOptions) => this.call('verifyAudit', {}, { timeoutMs: Infinity, ...options }),
  };

  /** The projects whose own rules may loosen. For admins. */
  readonly trust = {
    /** The registered projects, and whether their files are trusted as they are. */
    list: (options?: RequestOptions) => this.call('listProjects', {}, options),
    /** Trusts a project's file as it was read. */
    add: (project: BodyOf<'trustProject'>, options?: RequestOptions) =>
      this.call('trustProject', { body: project }, options),
    /** Takes trust away. */
    remove: (project: BodyOf<'distrustProject'>, options?: RequestOptions) =>
      this.call('distrustProject', { body: project }, options),
  };

  /** What one wants to be notified of. */
  readonly notifications = {
    /** As it was said last. */
    show: (options?: RequestOptions) => this.call('getNotifications', {}, options),
    /** Says it anew. */
    set: (wanted: BodyOf<'setNotifications'>, options?: RequestOptions) =>
      this.call('setNotifications', { body: wanted }, options),
  };

  /** Credentials. For admins. */
  readonly tokens = {
    /** All of them, without their secrets. */
    list: (options?: RequestOptions) => this.call('listTokens', {}, options),
    /** Makes one. Its secret is told this once. */
    create: (token: BodyOf<'createToken'>, options?: RequestOptions) =>
      this.call('createToken', { body: token }, options),
    /** Takes one out of use, for good. */
    revoke: (id: string, options?: RequestOptions) => this.call('revokeToken', { path: { id } }, options),
    /** Makes a link that signs one device in, once. */
    link: (link: BodyOf<'createLink'>, options?: RequestOptions) => this.call('createLink', { body: link }, options),
  };

  /** Who one is. */
  readonly session = {
    /** Who the server takes this client for. */
    show: (options?: RequestOptions) => this.call('getSession', {}, options),
    /** Signs this browser in with the secret of a link. */
    signIn: (link: BodyOf<'signIn'>, options?: RequestOptions) => this.call('signIn', { body: link }, options),
    /** Signs this browser out. */
    signOut: (options?: RequestOptions) => this.call('signOut', {}, options),
  };

  /** `ok` while the server's ledger can be read. */
  health(options?: RequestOptions): Promise<ResultOf<'health'>> {
    return this.call('health', {}, options);
  }

  /** Figures for Prometheus, as text. */
  metrics(options?: RequestOptions): Promise<ResultOf<'metrics'>> {
    return this.call('metrics', {}, options);
  }

  /** The OpenAPI document of the server. */
  openapi(options?: RequestOptions): Promise<ResultOf<'getOpenapi'>> {
    return this.call('getOpenapi', {}, options);
  }

  /** Follows what happens, from now until it is closed. */
  events(settings?: EventSettings): EventClient {
    return new EventClient(this.#http, settings);
  }
}
