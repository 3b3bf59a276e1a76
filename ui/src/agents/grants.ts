// What the settings of a tool grant, as codes; `toolText.ts` has the sentences.
import { type ToolConfig } from './toolSettings';

export type Grant =
  | { code: 'ownRun' | 'readsFiles' | 'writesNowhere' | 'runsRules' | 'runsNothing' | 'runsChecks' | 'offline' | 'anyHost' | 'noHost' | 'robots' | 'search' | 'skillsAsked' | 'gitDisabled' | 'gitReadOnly' | 'gitReadWrite' | 'unknown' }
  | { code: 'writes' | 'runsOnly' | 'hosts' | 'skills'; names: string[] }
  | { code: 'time'; seconds: number };
export type GrantCode = Grant['code'];

/** What a tool never does, whatever a rule or a person says, and what it always asks about. */
export type Limit = 'commands' | 'systemDirs' | 'protectedAsked' | 'gitPush' | 'privateHosts';

const DEFAULT_DIRS = ['doc'];
const SHELL_MS = 60_000;
const CHECK_MS = 120_000;
const HTTP_S = 30;

function writes(config: ToolConfig): Grant {
  const names = config.allowed_dirs ?? DEFAULT_DIRS;
  return names.length === 0 ? { code: 'writesNowhere' } : { code: 'writes', names };
}

function programs(config: ToolConfig): Grant {
  if (config.allowed_commands === undefined) return { code: 'runsRules' };
  return config.allowed_commands.length === 0 ? { code: 'runsNothing' } : { code: 'runsOnly', names: config.allowed_commands };
}

function network(config: ToolConfig): Grant {
  const names = config.allowed_hosts ?? [];
  return names.length === 0 ? { code: 'offline' } : { code: 'hosts', names };
}

/** What a tool may reach with these settings. */
export function grantsOf(tool: string, config: ToolConfig): Grant[] {
  const shellTime: Grant = { code: 'time', seconds: (config.shell_timeout_ms ?? SHELL_MS) / 1000 };
  const httpTime: Grant = { code: 'time', seconds: config.http_timeout_secs ?? HTTP_S };
  switch (tool) {
    case 'done':
    case 'todo_read':
    case 'todo_write':
    case 'tool_output_cache':
    case 'tool_output_cache_grep':
      return [{ code: 'ownRun' }];
    case 'read':
    case 'grep':
    case 'glob_search':
      return [{ code: 'readsFiles' }];
    case 'file_write':
    case 'edit':
      return [writes(config)];
    case 'shell_exec':
      return [programs(config), writes(config), network(config), shellTime];
    case 'self_eval': {
      const seconds = Math.max(config.shell_timeout_ms ?? CHECK_MS, CHECK_MS) / 1000;
      return [{ code: 'runsChecks' }, programs(config), writes(config), network(config), { code: 'time', seconds }];
    }
    case 'git_ops': {
      const permission = config.git_permission ?? 'ReadOnly';
      return permission === 'Disabled' ? [{ code: 'gitDisabled' }] : [{ code: `git${permission}` }, shellTime];
    }
    case 'skill_load':
      return (config.skills ?? []).length === 0 ? [{ code: 'skillsAsked' }] : [{ code: 'skills', names: config.skills ?? [] }];
    case 'web_fetch': {
      const hosts: Grant = config.allowed_hosts === undefined ? { code: 'anyHost' } : config.allowed_hosts.length === 0 ? { code: 'noHost' } : { code: 'hosts', names: config.allowed_hosts };
      return [hosts, ...(config.respect_robots === true ? [{ code: 'robots' } as const] : []), httpTime];
    }
    case 'web_search':
      return [{ code: 'search' }, httpTime];
    default:
      return [{ code: 'unknown' }];
  }
}

/** What stays forbidden or asked about. */
export function limitsOf(tool: string): Limit[] {
  switch (tool) {
    case 'shell_exec':
    case 'self_eval':
      return ['commands'];
    case 'file_write':
    case 'edit':
      return ['systemDirs', 'protectedAsked'];
    case 'read':
    case 'grep':
    case 'glob_search':
      return ['protectedAsked'];
    case 'git_ops':
      return ['gitPush'];
    case 'web_fetch':
      return ['privateHosts'];
    default:
      return [];
  }
}
