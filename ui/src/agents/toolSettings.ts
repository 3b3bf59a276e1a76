// Settings of tools: which tool has which, and what is wrong with them. The server checks the same again.

/** The settings of a tool, as the server stores them. What is missing keeps its default. */
export interface ToolConfig {
  allowed_dirs?: string[];
  allowed_commands?: string[];
  allowed_hosts?: string[];
  git_permission?: GitPermission;
  shell_timeout_ms?: number;
  http_timeout_secs?: number;
  respect_robots?: boolean;
  skills?: string[];
  checks?: Partial<Record<Check, string>>;
}
export type Setting = keyof ToolConfig;
export type GitPermission = 'Disabled' | 'ReadOnly' | 'ReadWrite';
export const GIT_PERMISSIONS: readonly GitPermission[] = ['Disabled', 'ReadOnly', 'ReadWrite'];
export const CHECKS = ['build', 'lint', 'type_check', 'test'] as const;
export type Check = (typeof CHECKS)[number];
export const LISTS = ['allowed_dirs', 'allowed_commands', 'allowed_hosts', 'skills'] as const;
export type ListSetting = (typeof LISTS)[number];

const SETTINGS: Readonly<Record<string, readonly Setting[]>> = {
  edit: ['allowed_dirs'],
  file_write: ['allowed_dirs'],
  git_ops: ['git_permission', 'shell_timeout_ms'],
  self_eval: ['allowed_dirs', 'allowed_commands', 'allowed_hosts', 'shell_timeout_ms', 'checks'],
  shell_exec: ['allowed_dirs', 'allowed_commands', 'allowed_hosts', 'shell_timeout_ms'],
  skill_load: ['skills'],
  web_fetch: ['allowed_hosts', 'http_timeout_secs', 'respect_robots'],
  web_search: ['http_timeout_secs'],
};

/** Tools that an agent has by its mode, not by this list. */
export const BY_MODE: ReadonlySet<string> = new Set(['create_sub_agent', 'execute_sub_agent', 'get_sub_agent_result']);

export function settingsOf(tool: string): readonly Setting[] {
  return SETTINGS[tool] ?? [];
}

/** A stored config. The server sends it as an unknown value; what has another type is left out. */
export function configOf(stored: unknown): ToolConfig {
  return typeof stored === 'object' && stored !== null && !Array.isArray(stored) ? (stored as ToolConfig) : {};
}

/** What somebody types: lists as lines, times in seconds. `undefined` lists and empty texts keep the default. */
export interface ConfigDraft {
  lists: Record<ListSetting, { own: boolean; text: string }>;
  git: GitPermission | '';
  shellSeconds: string;
  httpSeconds: string;
  robots: boolean;
  checks: Record<Check, string>;
}

export function configDraft(config: ToolConfig): ConfigDraft {
  const list = (name: ListSetting): { own: boolean; text: string } => ({ own: config[name] !== undefined, text: (config[name] ?? []).join('\n') });
  return {
    lists: { allowed_dirs: list('allowed_dirs'), allowed_commands: list('allowed_commands'), allowed_hosts: list('allowed_hosts'), skills: list('skills') },
    git: config.git_permission ?? '',
    shellSeconds: config.shell_timeout_ms === undefined ? '' : String(config.shell_timeout_ms / 1000),
    httpSeconds: config.http_timeout_secs === undefined ? '' : String(config.http_timeout_secs),
    robots: config.respect_robots ?? false,
    checks: { build: '', lint: '', type_check: '', test: '', ...config.checks },
  };
}

export function linesOf(text: string): string[] {
  return text.split('\n').map((line) => line.trim()).filter((line) => line !== '');
}

/** The settings that were typed, without those that the tool does not have. */
export function typedConfig(tool: string, draft: ConfigDraft): ToolConfig {
  const config: ToolConfig = {};
  for (const setting of settingsOf(tool)) {
    switch (setting) {
      case 'allowed_dirs':
      case 'allowed_commands':
      case 'allowed_hosts':
      case 'skills':
        if (draft.lists[setting].own) config[setting] = linesOf(draft.lists[setting].text);
        break;
      case 'git_permission':
        if (draft.git !== '') config.git_permission = draft.git;
        break;
      case 'shell_timeout_ms':
        if (draft.shellSeconds.trim() !== '') config.shell_timeout_ms = Math.round(Number(draft.shellSeconds) * 1000);
        break;
      case 'http_timeout_secs':
        if (draft.httpSeconds.trim() !== '') config.http_timeout_secs = Number(draft.httpSeconds);
        break;
      case 'respect_robots':
        if (draft.robots) config.respect_robots = true;
        break;
      case 'checks': {
        const typed = CHECKS.filter((check) => draft.checks[check].trim() !== '');
        if (typed.length > 0) config.checks = Object.fromEntries(typed.map((check) => [check, draft.checks[check].trim()]));
      }
    }
  }
  return config;
}

/** What is wrong with a line or a number. */
export type SettingError = 'home' | 'climbs' | 'system' | 'arguments' | 'host' | 'absolute' | 'shellSeconds' | 'httpSeconds';
export interface SettingProblem {
  error: SettingError;
  /** The line that is wrong. */
  line?: string;
}

/** What is wrong, by setting. */
export function configErrors(tool: string, draft: ConfigDraft): Partial<Record<Setting, SettingProblem>> {
  const found: Partial<Record<Setting, SettingProblem>> = {};
  for (const setting of settingsOf(tool)) {
    if (setting === 'shell_timeout_ms' && !isTime(draft.shellSeconds, 0.001, 86_400)) found[setting] = { error: 'shellSeconds' };
    if (setting === 'http_timeout_secs' && !(isTime(draft.httpSeconds, 1, 3600) && Number.isInteger(Number(draft.httpSeconds)))) found[setting] = { error: 'httpSeconds' };
    if (!isList(setting) || !draft.lists[setting].own) continue;
    for (const line of linesOf(draft.lists[setting].text)) {
      const error = LINE_ERROR[setting](line);
      if (error === undefined) continue;
      found[setting] = { error, line };
      break;
    }
  }
  return found;
}

function isList(setting: Setting): setting is ListSetting {
  return (LISTS as readonly string[]).includes(setting);
}

function isTime(text: string, least: number, most: number): boolean {
  const trimmed = text.trim();
  if (trimmed === '') return true;
  return /^[0-9]+([.][0-9]+)?$/.test(trimmed) && Number(trimmed) >= least && Number(trimmed) <= most;
}

const SYSTEM = new Set(['etc', 'usr', 'bin', 'sbin', 'boot', 'dev', 'proc', 'sys']);

function isSystem(dir: string): boolean {
  if (!dir.startsWith('/')) return false;
  const first = dir.toLowerCase().split('/').find((name) => name !== '' && name !== '.' && name !== 'private');
  return first === undefined || SYSTEM.has(first) || first.startsWith('lib');
}

const LINE_ERROR: Record<ListSetting, (line: string) => SettingError | undefined> = {
  allowed_dirs(line) {
    if (line === '~' || line.startsWith('~/')) return 'home';
    if (line.split('/').includes('..')) return 'climbs';
    return isSystem(line) ? 'system' : undefined;
  },
  allowed_commands: (line) => (/\s/.test(line) ? 'arguments' : undefined),
  allowed_hosts(line) {
    const [, port] = /^[A-Za-z0-9._-]+(?::([0-9]+))?$/.exec(line) ?? [undefined, 'x'];
    return port === undefined || (Number(port) > 0 && Number(port) < 65_536) ? undefined : 'host';
  },
  skills: (line) => (!line.startsWith('/') || line.split('/').includes('..') ? 'absolute' : undefined),
};
