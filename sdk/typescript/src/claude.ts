// Approvals for the Claude Agent SDK: `canUseTool`, and a hook that also sees the calls that Claude would allow by itself.
import { type ApprovalSettings, type Approver, type Decision, type ToolInput, createApprover, denied } from './approval.js';
import { parseMcpName } from './mcp-name.js';

export type { ApprovalSettings, ToolInput } from './approval.js';

// The types below describe only what is used of the SDK's, so that the SDK is not a dependency.

/** A change of Claude's own permissions. */
export interface PermissionUpdate {
  type: string;
  mode?: string;
}

/** What the SDK passes to `canUseTool` besides the tool and its input. */
export interface CanUseToolOptions {
  signal?: AbortSignal;
  toolUseID: string;
  agentID?: string;
  suggestions?: readonly PermissionUpdate[];
}

/** The result of `canUseTool`. `U` is the SDK's own type of a permission update. */
export type PermissionResult<U = never> =
  | { behavior: 'allow'; updatedInput: ToolInput; updatedPermissions?: U[]; toolUseID?: string }
  | { behavior: 'deny'; message: string; interrupt?: boolean; toolUseID?: string };

/** Today's SDK passes options, earlier ones the id of the call. */
export type CanUseTool<U = never> = (toolName: string, input: ToolInput, options: string | CanUseToolOptions) => Promise<PermissionResult<U>>;

/** Settings of the Claude helpers. */
export interface ClaudeApprovalSettings<U extends PermissionUpdate = never> extends ApprovalSettings {
  /**
   * Changes of Claude's own permissions to make after an allow, chosen from `suggestions`. By default none: calls that
   * Claude then allows by itself are seen only by the hook of {@link withApproval}. A change to `bypassPermissions` is dropped.
   */
  updatedPermissions?: ((call: { toolName: string; input: ToolInput; suggestions: readonly U[] }) => readonly U[]) | undefined;
}

/** A `canUseTool` that asks sekisho. Made once for a conversation; also use it for the messages that follow. */
export function createToolApprovalHandler<U extends PermissionUpdate = never>(settings: ClaudeApprovalSettings<U> = {}): CanUseTool<U> {
  return canUseToolOf(decisions(createApprover(settings)), settings);
}

/** The part of the SDK's options that is changed or read. */
export interface ClaudeOptions {
  permissionMode?: string;
  allowDangerouslySkipPermissions?: boolean;
  permissionPromptToolName?: string;
  canUseTool?: unknown;
  cwd?: string;
  extraArgs?: Record<string, string | null>;
  hooks?: object;
  settings?: string | object;
}

/** Seconds until Claude gives up waiting for the hook: the longest timeout of a question, and time to spare. */
const HOOK_TIMEOUT_S = 25 * 3600;
/** Command-line flags that switch Claude's own checks off, or replace `canUseTool`. */
const FLAGS = ['dangerously-skip-permissions', 'allow-dangerously-skip-permissions', 'permission-mode', 'permission-prompt-tool'];

/**
 * The options of a query in which every call of a tool is decided by sekisho first, also those that Claude would allow by
 * itself. `bypassPermissions` and everything else that skips the checks is taken out; other hooks and options are kept.
 */
export function withApproval<O extends ClaudeOptions, U extends PermissionUpdate = never>(options: O, settings: ClaudeApprovalSettings<U> = {}): O {
  if (options.canUseTool !== undefined) throw new TypeError('`canUseTool` is set, but withApproval sets its own: remove one of them');
  const { allowDangerouslySkipPermissions: _skip, permissionPromptToolName: _prompt, extraArgs, ...rest } = options;
  const decide = decisions(createApprover({ cwd: options.cwd ?? workingDirectory(), ...settings }));
  const hooks = (options.hooks ?? {}) as { PreToolUse?: readonly object[] };
  const changed = {
    ...rest,
    // Explicit, so that no settings file chooses the mode.
    permissionMode: options.permissionMode === undefined || options.permissionMode === 'bypassPermissions' ? 'default' : options.permissionMode,
    ...(extraArgs !== undefined && { extraArgs: Object.fromEntries(Object.entries(extraArgs).filter(([flag]) => !FLAGS.includes(flag.replace(/^-+/, '')))) }),
    // A settings file of the project could switch hooks off.
    ...(typeof options.settings !== 'string' && { settings: { ...options.settings, disableAllHooks: false } }),
    canUseTool: canUseToolOf(decide, settings),
    hooks: { ...hooks, PreToolUse: [{ hooks: [preToolUse(decide)], timeout: HOOK_TIMEOUT_S, onFailure: 'block' }, ...(hooks.PreToolUse ?? [])] },
  };
  return changed as unknown as O;
}

interface ClaudeCall {
  toolName: string;
  input: ToolInput;
  toolUseID: string;
  agentID: string | undefined;
  /** The call comes from the hook, not from `canUseTool`. */
  seenByHook: boolean;
}

type Decide = (call: ClaudeCall, signal: AbortSignal | undefined) => Promise<Decision>;

/** How many edited inputs are remembered for a call of `canUseTool` that follows the hook. */
const REMEMBERED = 256;

function decisions(approver: Approver): Decide {
  const edits = new Map<string, Decision & { behavior: 'allow' }>();
  return async (call, signal) => {
    const named = parseMcpName(call.toolName);
    if (named === undefined) return denied('InvalidRequest', `\`${call.toolName}\` fits several tools of several MCP servers: use names without \`__\``);
    // Sub-agents may repeat the ids of their parents.
    const toolUseId = call.agentID === undefined ? call.toolUseID : `${call.agentID}/${call.toolUseID}`;
    const edit = call.seenByHook ? undefined : edits.get(toolUseId);
    edits.delete(toolUseId);
    // Claude may ask `canUseTool` about the input that the hook returned: the answer was about exactly this input.
    if (edit !== undefined && same(edit.input, call.input)) return edit;
    const decision = await approver.decide({ ...named, input: call.input, toolUseId }, { signal });
    if (call.seenByHook && decision.behavior === 'allow' && decision.edited) {
      edits.set(toolUseId, decision);
      for (const oldest of edits.keys()) if (edits.size > REMEMBERED) edits.delete(oldest);
    }
    return decision;
  };
}

function canUseToolOf<U extends PermissionUpdate>(decide: Decide, settings: ClaudeApprovalSettings<U>): CanUseTool<U> {
  return async (toolName, input, third) => {
    const options: CanUseToolOptions = typeof third === 'string' ? { toolUseID: third } : third;
    const { toolUseID, agentID, signal } = options;
    if (!toolUseID) return { behavior: 'deny', message: 'the call could not be checked: it has no id' };
    const decision = await decide({ toolName, input, toolUseID, agentID, seenByHook: false }, signal);
    if (decision.behavior === 'deny') {
      return { behavior: 'deny', message: decision.message, toolUseID, ...(decision.interrupt && { interrupt: true }) };
    }
    const suggestions = (options.suggestions ?? []) as readonly U[];
    const updates = settings.updatedPermissions?.({ toolName, input: decision.input, suggestions }).filter(({ mode }) => mode !== 'bypassPermissions');
    return { behavior: 'allow', updatedInput: decision.input, toolUseID, ...(updates?.length && { updatedPermissions: updates }) };
  };
}

/** The input of the hook, as far as it is read. */
interface PreToolUse {
  tool_name: string;
  tool_input: unknown;
  tool_use_id?: string;
  agent_id?: string;
}

function preToolUse(decide: Decide) {
  return async (told: PreToolUse, id: string | undefined, { signal }: { signal?: AbortSignal } = {}): Promise<object> => {
    const toolUseID = told.tool_use_id ?? id;
    const input = (told.tool_input ?? {}) as ToolInput;
    const decision = !toolUseID
      ? denied('InvalidRequest', 'the call could not be checked: it has no id')
      : await decide({ toolName: told.tool_name, input, toolUseID, agentID: told.agent_id, seenByHook: true }, signal);
    const answer =
      decision.behavior === 'allow'
        ? { permissionDecision: 'allow', ...(decision.edited && { updatedInput: decision.input }) }
        : { permissionDecision: 'deny', permissionDecisionReason: decision.message };
    const stop = decision.behavior === 'deny' && decision.interrupt ? { continue: false, stopReason: decision.message } : {};
    return { ...stop, hookSpecificOutput: { hookEventName: 'PreToolUse', ...answer } };
  };
}

function workingDirectory(): string | undefined {
  return (globalThis as { process?: { cwd?: () => string } }).process?.cwd?.();
}

/** Whether two JSON values are equal; the order of fields does not matter. */
function same(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  const [keys, others] = [Object.keys(one), Object.keys(other)];
  return keys.length === others.length && Array.isArray(one) === Array.isArray(other)
    && keys.every((key) => Object.hasOwn(other, key) && same((one as ToolInput)[key], (other as ToolInput)[key]));
}
