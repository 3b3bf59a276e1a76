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
import { type PipelineEvent, followPipelineRun } from './pipeline-events.js';
import { type FollowSettings, type RunEvent, type RunFollowSettings, followRun } from './run-events.js';

type Schemas = components['schemas'];
/** An approval: a question to a human about one call, and its outcome. */
export type Question = Schemas['Question'];
/** An approval as its caller sees it. */
export type OwnQuestion = Schemas['OwnQuestion'];
/** An approval, as far as the caller's role may see it. */
export type SeenQuestion = Schemas['SeenQuestion'];
/** Whether a call may run. */
export type Permission = Schemas['Permission'];
/** A tool call to decide about. */
export type Call = BodyOf<'canUseTool'>;
/** An answer to an approval. */
export type Answer = BodyOf<'answerApproval'>;

/** Timeout of one long poll while {@link Sekisho.ask} waits. */
const LOOK_MS = 30_000;
/** As long as agents wait for their hooks. */
const HOOK_MS = 600_000;
/** How long after its timeout a long poll is answered at the latest, unless the connection is broken. */
const MARGIN_MS = 10_000;

/** Whether the call waits for a human. */
export function isQuestion(told: Permission | OwnQuestion): told is OwnQuestion {
  return !('behavior' in told);
}

/** The denial of a call whose approval ended without an answer. */
function unanswered({ state, outcome }: SeenQuestion): Permission {
  const code = state === 'expired' ? 'expired' : 'aborted';
  const message = outcome?.message ?? (state === 'expired' ? 'nobody answered in time' : 'the question was withdrawn');
  return { behavior: 'deny', message, code: outcome?.code ?? code, ...(outcome?.detail !== undefined && { detail: outcome.detail }) };
}

/** Whether an approval is complete: people see all of it, an agent sees only its own part. */
export function isWhole(question: SeenQuestion): question is Question {
  return 'shown' in question;
}

/**
 * A client of one server. Works in browsers and in Node.
 *
 * Every method takes `{signal, timeoutMs}` last, and throws a `SekishoError` on failure.
 */
export class Sekisho {
  readonly #http: Http;

  constructor(settings: Settings) {
    this.#http = new Http(settings);
  }

  /** Calls any operation by its name in the OpenAPI document. The other methods wrap this one. */
  call<O extends Operation>(operation: O, sent?: Sent, options?: RequestOptions): Promise<ResultOf<O>> {
    return this.#http.call(operation, sent, options);
  }

  /**
   * Decides whether a call may run; asks a human if necessary, and waits.
   *
   * Aborting withdraws the approval. With `wait: false` a pending approval is returned instead of waiting; calling again
   * with the same `toolUseId` returns the answer once there is one. Node's `fetch` gives up after five minutes without a
   * response: {@link ask} does not.
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
   * Like {@link canUseTool}, without one long request: the approval survives server restarts and network failures, and
   * waits for an answer however long that takes. Aborting withdraws it.
   *
   * While the server cannot be reached, it is tried again; with `unreachableMs` only for about so long, then the last
   * error is thrown. Repeating is safe: the same `toolUseId` joins the same question.
   */
  async ask(call: Call, options: { signal?: AbortSignal | undefined; unreachableMs?: number | undefined } = {}): Promise<Permission> {
    const { signal, unreachableMs = Infinity } = options;
    for (;;) {
      signal?.throwIfAborted();
      // Not aborted by the signal: an approval whose id never arrived could not be withdrawn.
      const told = await this.#insist(signal, unreachableMs, () => this.canUseTool(call, { wait: false }));
      if (!isQuestion(told)) return told;
      try {
        signal?.throwIfAborted();
        let question: SeenQuestion;
        do question = await this.#insist(signal, unreachableMs, () => this.#poll(told.id, signal));
        while (question.state === 'pending');
        // Asking again would be a new question.
        if (question.state === 'expired' || question.state === 'aborted') return unanswered(question);
      } catch (error) {
        // The caller no longer waits. If this request fails too, the approval expires by itself.
        if (signal?.aborted === true) await this.approvals.withdraw(told.id).catch(() => undefined);
        throw error;
      }
    }
  }

  #poll(id: string, signal: AbortSignal | undefined): Promise<SeenQuestion> {
    return this.approvals.wait(id, { timeoutMs: LOOK_MS }, { signal });
  }

  /** Retries on transient errors, for a limited time since the first one. */
  async #insist<T>(signal: AbortSignal | undefined, unreachableMs: number, what: () => Promise<T>): Promise<T> {
    const backoff = new Backoff();
    let failing: number | undefined;
    for (;;) {
      const began = Date.now();
      try {
        return await what();
      } catch (error) {
        if (!(error instanceof SekishoError) || !error.passing) throw error;
        const pauseMs = backoff.next((error.retryAfter ?? 0) * 1000);
        failing ??= error.code === 'TimedOut' ? began : Date.now();
        if (Date.now() - failing + pauseMs > unreachableMs) throw error;
        await pause(pauseMs, signal ?? new AbortController().signal);
        signal?.throwIfAborted();
      }
    }
  }

  /** Judges a call without asking anyone. Advisory: an allow from here does not permit the call to run. */
  decide(call: BodyOf<'decide'>, options?: RequestOptions): Promise<ResultOf<'decide'>> {
    return this.call('decide', { body: call }, options);
  }

  /** Reports how an allowed call ended. */
  async reportExecution(id: string, ended: BodyOf<'reportExecution'>, options?: RequestOptions): Promise<void> {
    await this.call('reportExecution', { path: { id }, body: ended }, options);
  }

  /**
   * An agent's hook over HTTP: its JSON in, its JSON out. Waits for a human if necessary, up to ten minutes by default.
   */
  hook(agent: string, told: BodyOf<'hook'>, options?: RequestOptions) {
    return this.call('hook', { path: { agent }, body: told }, { timeoutMs: HOOK_MS, ...options });
  }

  /** Approvals: questions to humans about calls. */
  readonly approvals = {
    /** Lists approvals, newest first; an agent sees its own. */
    list: (query?: QueryOf<'listApprovals'>, options?: RequestOptions) =>
      this.call('listApprovals', { query }, options),
    /** Gets an approval. */
    show: (id: string, options?: RequestOptions) => this.call('getApproval', { path: { id } }, options),
    /** Waits until an approval has ended, or until a timeout, and returns it. */
    wait: (id: string, query?: QueryOf<'waitForApproval'>, options?: RequestOptions) =>
      this.call('waitForApproval', { path: { id }, query }, {
        timeoutMs: (query?.timeoutMs ?? LOOK_MS) + MARGIN_MS,
        ...options,
      }),
    /** Answers an approval; the first answer wins. With `digest` the answer is only for the call that was shown. */
    answer: (id: string, answer: Answer, options?: RequestOptions) =>
      this.call('answerApproval', { path: { id }, body: answer }, options),
    /** Withdraws an approval; an agent only its own. */
    withdraw: (id: string, options?: RequestOptions) => this.call('withdrawApproval', { path: { id } }, options),
  };

  /** The rules in force. */
  readonly rules = {
    /** Lists the rules of all layers, where each is, and how often it decided. */
    list: (query?: QueryOf<'listRules'>, options?: RequestOptions) => this.call('listRules', { query }, options),
    /** Gets a rule. */
    show: (id: string, options?: RequestOptions) => this.call('getRule', { path: { id } }, options),
    /** Adds a rule to the database. */
    add: (rule: BodyOf<'addRule'>, options?: RequestOptions) => this.call('addRule', { body: rule }, options),
    /** Replaces a stored rule. */
    replace: (id: string, rule: BodyOf<'replaceRule'>, options?: RequestOptions) =>
      this.call('replaceRule', { path: { id }, body: rule }, options),
    /** Removes a stored rule. */
    remove: (id: string, options?: RequestOptions) => this.call('removeRule', { path: { id } }, options),
    /** Tests what one or several rules would have decided on recent calls. */
    test: (trial: BodyOf<'testRule'>, options?: RequestOptions) => this.call('testRule', { body: trial }, options),
    /** Suggests rules from the answers of the last thirty days. */
    suggestions: (options?: RequestOptions) => this.call('suggestRules', {}, options),
  };

  /** The audit log. */
  readonly audit = {
    /** Searches the audit log, newest records first. */
    search: (query?: QueryOf<'searchAudit'>, options?: RequestOptions) => this.call('searchAudit', { query }, options),
    /** Searches the audit log by call, newest first. `limit` counts calls. */
    calls: (query?: QueryOf<'searchAuditCalls'>, options?: RequestOptions) =>
      this.call('searchAuditCalls', { query }, options),
    /** Gets a record and its place in its chain, by writer and number. */
    show: (writer: string, seq: number | string, options?: RequestOptions) =>
      this.call('getAuditRow', { path: { writer, seq: String(seq) } }, options),
    /** Lists all kinds of records: the values of `kind`. */
    kinds: (options?: RequestOptions) => this.call('auditKinds', {}, options),
    /** Statistics for a span of time; by default the last day. */
    stats: (query?: QueryOf<'auditStats'>, options?: RequestOptions) => this.call('auditStats', { query }, options),
    /** Exports the audit log as text, oldest records first. */
    export: (query?: QueryOf<'exportAudit'>, options?: RequestOptions) => this.call('exportAudit', { query }, options),
    /** Verifies that the audit log is complete and unchanged. */
    verify: (options?: RequestOptions) => this.call('verifyAudit', {}, { timeoutMs: Infinity, ...options }),
  };

  /** The built-in tools. */
  readonly tools = {
    /** Lists the built-in tools, by name. */
    list: (options?: RequestOptions) => this.call('listTools', {}, options),
    /** Enables, disables and configures tools of an agent. For admins. */
    configure: (tools: BodyOf<'configureTools'>, options?: RequestOptions) =>
      this.call('configureTools', { body: tools }, options),
  };

  /** The agents that the server runs. */
  readonly agents = {
    /** Lists all agents. */
    list: (options?: RequestOptions) => this.call('listAgents', {}, options),
    /** Gets an agent with its tools. */
    show: (id: string, options?: RequestOptions) => this.call('getAgent', { path: { id } }, options),
    /** Gets the tokens and the cost of all runs of an agent and of its sub-agents. */
    usage: (id: string, options?: RequestOptions) => this.call('getAgentUsage', { path: { id } }, options),
    /** Creates an agent. For admins. */
    create: (agent: BodyOf<'createAgent'>, options?: RequestOptions) =>
      this.call('createAgent', { body: agent }, options),
    /** Replaces the settings of an agent. For admins. */
    replace: (id: string, agent: BodyOf<'replaceAgent'>, options?: RequestOptions) =>
      this.call('replaceAgent', { path: { id }, body: agent }, options),
    /** Deletes an agent; its runs stay. For admins. */
    remove: (id: string, options?: RequestOptions) => this.call('deleteAgent', { path: { id } }, options),
  };

  /** Runs of agents. */
  readonly runs = {
    /** Starts a run, and waits until it has ended or only waits for approvals, or as `wait` says. */
    start: (run: BodyOf<'executeWithTools'>, query: QueryOf<'executeWithTools'> = {}, options?: RequestOptions) =>
      this.call('executeWithTools', { body: run, query }, options),
    /** Starts a run of an agent that may have sub-agents, and waits for it. */
    orchestrate: (run: BodyOf<'orchestrate'>, query: QueryOf<'orchestrate'> = {}, options?: RequestOptions) =>
      this.call('orchestrate', { body: run, query }, options),
    /** Gets a run, the runs of its sub-agents, and what they wait for. */
    orchestration: (id: string, options?: RequestOptions) => this.call('getOrchestration', { path: { id } }, options),
    /** Approves calls of a run and of its sub-agents. */
    approveOrchestration: (id: string, calls: BodyOf<'approveOrchestration'>, query: QueryOf<'approveOrchestration'> = {}, options?: RequestOptions) =>
      this.call('approveOrchestration', { path: { id }, body: calls, query }, options),
    /** Lists runs, newest first. */
    list: (query: QueryOf<'listRuns'> = {}, options?: RequestOptions) => this.call('listRuns', { query }, options),
    /** Gets a run and the calls that wait. */
    show: (id: string, options?: RequestOptions) => this.call('getRun', { path: { id } }, options),
    /** Gets the conversation of a run. */
    messages: (id: string, options?: RequestOptions) => this.call('getRunMessages', { path: { id } }, options),
    /** Sends a message to a run. It is queued while the run is busy, and is never an answer. */
    send: (id: string, message: BodyOf<'sendRunMessage'>, options?: RequestOptions) =>
      this.call('sendRunMessage', { path: { id }, body: message }, options),
    /** Approves a call that waits. */
    approve: (id: string, call: BodyOf<'approveToolCall'>, options?: RequestOptions) =>
      this.call('approveToolCall', { path: { id }, body: call }, options),
    /** Declines a call that waits; the model reads the reason. */
    decline: (id: string, call: BodyOf<'declineToolCall'>, options?: RequestOptions) =>
      this.call('declineToolCall', { path: { id }, body: call }, options),
    /** Ends the tools that run now. The run goes on, and its model reads that a human interrupted them. */
    interrupt: (id: string, options?: RequestOptions) => this.call('interruptRun', { path: { id }, body: {} }, options),
    /** Ends a run, its tools and its questions. */
    abort: (id: string, reason: BodyOf<'abortRun'>, options?: RequestOptions) =>
      this.call('abortRun', { path: { id }, body: reason }, options),
  };

  /** Pipelines: stages of agents, each fed with the output of the one before. */
  readonly pipelines = {
    /** Lists all pipelines. */
    list: (options?: RequestOptions) => this.call('listPipelines', {}, options),
    /** Gets a pipeline. */
    show: (id: string, options?: RequestOptions) => this.call('getPipeline', { path: { id } }, options),
    /** Creates a pipeline. For admins. */
    create: (pipeline: BodyOf<'createPipeline'>, options?: RequestOptions) =>
      this.call('createPipeline', { body: pipeline }, options),
    /** Replaces the definition of a pipeline; its runs keep theirs. For admins. */
    replace: (id: string, pipeline: BodyOf<'replacePipeline'>, options?: RequestOptions) =>
      this.call('replacePipeline', { path: { id }, body: pipeline }, options),
    /** Deletes a pipeline; its runs stay. For admins. */
    remove: (id: string, options?: RequestOptions) => this.call('deletePipeline', { path: { id } }, options),
    /** Starts a run, and waits until it has ended or only waits for approvals, or as `wait` says. */
    run: (id: string, run: BodyOf<'runPipeline'>, query: QueryOf<'runPipeline'> = {}, options?: RequestOptions) =>
      this.call('runPipeline', { path: { id }, body: run, query }, options),
  };

  /** Runs of pipelines. */
  readonly pipelineRuns = {
    /** Starts a run of a pipeline that is not stored, and waits as `pipelines.run` does. */
    start: (run: BodyOf<'startPipelineRun'>, query: QueryOf<'startPipelineRun'> = {}, options?: RequestOptions) =>
      this.call('startPipelineRun', { body: run, query }, options),
    /** Lists runs, newest first. */
    list: (query: QueryOf<'listPipelineRuns'> = {}, options?: RequestOptions) =>
      this.call('listPipelineRuns', { query }, options),
    /** Gets a run with its stages and their runs. */
    show: (id: string, options?: RequestOptions) => this.call('getPipelineRun', { path: { id } }, options),
    /** Tries the failed stage again, without those before it. */
    retry: (id: string, query: QueryOf<'retryPipelineStage'> = {}, options?: RequestOptions) =>
      this.call('retryPipelineStage', { path: { id }, query }, options),
    /** Ends a run, and the run of its stage. */
    abort: (id: string, reason: BodyOf<'abortPipelineRun'>, options?: RequestOptions) =>
      this.call('abortPipelineRun', { path: { id }, body: reason }, options),
  };

  /** Projects whose own rules may loosen. For admins. */
  readonly trust = {
    /** Lists the registered projects, and whether their files are trusted. */
    list: (options?: RequestOptions) => this.call('listProjects', {}, options),
    /** Trusts a project file as it was read, so that its rules may loosen. */
    add: (project: BodyOf<'trustProject'>, options?: RequestOptions) =>
      this.call('trustProject', { body: project }, options),
    /** Withdraws trust from a project file. */
    remove: (project: BodyOf<'distrustProject'>, options?: RequestOptions) =>
      this.call('distrustProject', { body: project }, options),
  };

  /** Your notification settings. */
  readonly notifications = {
    /** Gets your notification settings. */
    show: (options?: RequestOptions) => this.call('getNotifications', {}, options),
    /** Sets your notification settings. */
    set: (wanted: BodyOf<'setNotifications'>, options?: RequestOptions) =>
      this.call('setNotifications', { body: wanted }, options),
  };

  /** Credentials. For admins. */
  readonly tokens = {
    /** Lists all credentials without their secrets, including expired and revoked ones. */
    list: (options?: RequestOptions) => this.call('listTokens', {}, options),
    /** Creates a token; its secret is shown once. */
    create: (token: BodyOf<'createToken'>, options?: RequestOptions) =>
      this.call('createToken', { body: token }, options),
    /** Revokes a credential for good. */
    revoke: (id: string, options?: RequestOptions) => this.call('revokeToken', { path: { id } }, options),
    /** Creates a short-lived link that signs in one device, once. */
    link: (link: BodyOf<'createLink'>, options?: RequestOptions) => this.call('createLink', { body: link }, options),
  };

  /** The caller's session. */
  readonly session = {
    /** Gets the caller's identity and facts about the server. */
    show: (options?: RequestOptions) => this.call('getSession', {}, options),
    /** Signs this browser in with a link. */
    signIn: (link: BodyOf<'signIn'>, options?: RequestOptions) => this.call('signIn', { body: link }, options),
    /** Signs this browser out and revokes its credential. */
    signOut: (options?: RequestOptions) => this.call('signOut', {}, options),
  };

  /** `ok` while calls can be recorded. */
  health(options?: RequestOptions): Promise<ResultOf<'health'>> {
    return this.call('health', {}, options);
  }

  /** Metrics for Prometheus, as text. */
  metrics(options?: RequestOptions): Promise<ResultOf<'metrics'>> {
    return this.call('metrics', {}, options);
  }

  /** The OpenAPI document of the server. */
  openapi(options?: RequestOptions): Promise<ResultOf<'getOpenapi'>> {
    return this.call('getOpenapi', {}, options);
  }

  /** Lists the built-in tools, by name. The same as `tools.list`. */
  listTools(options?: RequestOptions): Promise<ResultOf<'listTools'>> {
    return this.tools.list(options);
  }

  /** Enables, disables and configures tools of an agent. For admins. */
  async updateToolPermissions(agentId: string, tools: BodyOf<'configureTools'>['tools'], options?: RequestOptions): Promise<void> {
    await this.tools.configure({ agent_id: agentId, tools }, options);
  }

  /**
   * Starts a run of an agent, and waits until it has ended or only waits for approvals. `enabledTools` may only narrow
   * what is enabled for the agent; by default it is all of that. `runs.start` takes further fields.
   */
  executeAgentWithTools(
    agentId: string,
    input: string,
    enabledTools?: readonly string[],
    options?: RequestOptions,
  ): Promise<ResultOf<'executeWithTools'>> {
    const narrowed = enabledTools === undefined ? {} : { enabled_tools: [...enabledTools] };
    return this.runs.start({ agent_id: agentId, input, ...narrowed }, {}, { timeoutMs: Infinity, ...options });
  }

  /** Follows the server's events, from now until it is closed. */
  events(settings?: EventSettings): EventClient {
    return new EventClient(this.#http, settings);
  }
  /**
   * Follows a run, from its beginning or after an event, until it has ended or as `until` says. Lost connections and
   * restarts of the server are survived; aborting ends the stream.
   */
  followRun(id: string, settings?: RunFollowSettings): AsyncGenerator<RunEvent, void, undefined> {
    return followRun(this.#http, id, settings);
  }
  /** Follows a run of a pipeline, from its beginning or after an event, until it has ended. As `followRun`. */
  followPipelineRun(id: string, settings?: FollowSettings): AsyncGenerator<PipelineEvent, void, undefined> {
    return followPipelineRun(this.#http, id, settings);
  }
}
