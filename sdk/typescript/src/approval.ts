// Asks the server about one call and always returns a decision: whatever goes wrong is a denial that says why.
import { type Call, Sekisho } from './client.js';
import { SekishoError } from './errors.js';

/** The input of a tool. */
export type ToolInput = Record<string, unknown>;

/** Where and how the helpers ask. */
export interface ApprovalSettings {
  /** The client to ask with. By default one is made from `baseUrl` and `token`. */
  sekisho?: Sekisho | undefined;
  /** The address of the server; by default `SEKISHO_URL`, or `http://127.0.0.1:8787`. */
  baseUrl?: string | undefined;
  /** A token with the role `agent`; by default `SEKISHO_TOKEN`. */
  token?: string | undefined;
  /** A label of the workspace, shown with the question; never a path. */
  workspaceId?: string | undefined;
  /** The conversation that the calls belong to. Call ids need to be unique only within it. */
  conversationId?: string | undefined;
  /** The agent's id. It counts for an allow only if the token is bound to it. */
  agentId?: string | undefined;
  /** The directory the calls would run in, absolute. Without one, relative paths are unknown. */
  cwd?: string | undefined;
  /** The root of the project, absolute. */
  projectRoot?: string | undefined;
  /** How long a human has to answer, in milliseconds; by default as the rule says, or 120 000. */
  timeoutMs?: number | undefined;
  /** How long to retry while the server cannot be reached, in milliseconds; 10 000 by default. Then the call is denied. */
  unreachableMs?: number | undefined;
}

/** One call to ask about. */
export interface ToolCall {
  toolName: string;
  input: ToolInput;
  /** The call's own id. Asking again with the same id joins the same question. */
  toolUseId: string;
  /** The MCP server of the tool. */
  serverId?: string | undefined;
  /** The JSON Schema of the input; an edited input must fit it. */
  inputSchema?: Record<string, unknown> | undefined;
}

/** The call may run with `input`, once. */
export interface Allowed {
  behavior: 'allow';
  /** The input to run with. */
  input: ToolInput;
  /** Whether a human changed the input. */
  edited: boolean;
  /** For `Sekisho.reportExecution`. */
  executionId: string;
}

/** Why a call was denied: a code of the server's refusals, of an error, or `aborted` by the caller's signal. */
export interface Denied {
  behavior: 'deny';
  /** A sentence for the model. */
  message: string;
  /** For programs: `denied`, `expired`, `Unreachable`, `Unauthenticated`, … */
  code: string;
  /** Whether the human also wants the run to stop. */
  interrupt: boolean;
}

/** Whether a call may run. */
export type Decision = Allowed | Denied;

const UNREACHABLE_MS = 10_000;

/** Asks about calls. Made once for a conversation. */
export interface Approver {
  /** Decides about one call; asks a human if necessary. Never throws. Aborting withdraws the question and denies. */
  decide(call: ToolCall, options?: { signal?: AbortSignal | undefined }): Promise<Decision>;
}

/** The approver of a conversation. The helpers of all frameworks are made from it. */
export function createApprover(settings: ApprovalSettings = {}): Approver {
  let client: Sekisho | undefined;
  return {
    async decide(call, { signal } = {}) {
      try {
        client ??= settings.sekisho ?? clientOf(settings);
        const asked = await client.ask(fields(settings, call), { signal, unreachableMs: settings.unreachableMs ?? UNREACHABLE_MS });
        if (asked.behavior === 'deny') {
          return { behavior: 'deny', message: asked.message, code: asked.code, interrupt: asked.interrupt === true };
        }
        const edited = asked.updatedInput !== undefined && asked.updatedInput !== null;
        const input = edited ? asked.updatedInput : call.input;
        if (!isObject(input)) return denied('InvalidResponse', 'the approved input is not an object, so the call cannot run with it');
        return { behavior: 'allow', input, edited, executionId: asked.executionId };
      } catch (error) {
        return signal?.aborted === true ? denied('aborted', 'the call was cancelled before it was approved') : failure(error);
      }
    },
  };
}

/** Whether a value is an object with fields, as the input of a tool is. */
export function isObject(value: unknown): value is ToolInput {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A denial without a human. */
export function denied(code: string, message: string): Denied {
  return { behavior: 'deny', message, code, interrupt: false };
}

function clientOf(settings: ApprovalSettings): Sekisho {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const env = process?.env ?? {};
  const token = settings.token ?? env['SEKISHO_TOKEN'];
  if (token === undefined || token === '') {
    throw new SekishoError({ code: 'Unauthenticated', message: 'no token is set', hint: 'set SEKISHO_TOKEN to one from `sekisho token create`', status: 0 });
  }
  const baseUrl = settings.baseUrl ?? env['SEKISHO_URL'] ?? 'http://127.0.0.1:8787';
  return new Sekisho({ baseUrl, token, timeoutMs: settings.unreachableMs ?? UNREACHABLE_MS });
}

function fields(settings: ApprovalSettings, call: ToolCall): Call {
  const { workspaceId, conversationId, agentId, cwd, projectRoot, timeoutMs } = settings;
  const { toolName, input, toolUseId, serverId, inputSchema } = call;
  const optional = { workspaceId, conversationId, agentId, cwd, projectRoot, timeoutMs, serverId, inputSchema };
  const given = Object.entries(optional).filter(([, value]) => value !== undefined);
  return { toolName, input, toolUseId, ...Object.fromEntries(given) } as Call;
}

/** Why the server could not decide, as a sentence. */
function failure(error: unknown): Denied {
  if (!(error instanceof SekishoError)) {
    return denied('Failed', `the call could not be checked: ${error instanceof Error ? error.message : String(error)}`);
  }
  const hint = error.hint === undefined ? '' : ` (${error.hint})`;
  if (error.code === 'Unauthenticated') return denied(error.code, `the call could not be checked: sekisho does not accept the token: ${error.message}${hint}`);
  if (error.code === 'TimedOut') return denied(error.code, `the call could not be checked: sekisho did not respond: ${error.message}`);
  if (error.code === 'Unreachable') return denied(error.code, `the call could not be checked: sekisho cannot be reached: ${error.message.replace(/^the server cannot be reached: /, '')}`);
  return denied(error.code, `the call could not be checked: ${error.message}${hint}`);
}
