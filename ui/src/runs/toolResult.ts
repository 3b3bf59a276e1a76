// What a tool returned, in a form that can be laid out. Results are text; those of programs are JSON with known fields.

export interface CommandRun {
  command: string;
  label?: string;
  exitCode: number | undefined;
  signal: string | undefined;
  stdout: string;
  stderr: string;
  durationMs: number | undefined;
  /** The level of the sandbox, as the tool reported it. */
  sandbox: string | undefined;
}
export type ToolResult = { kind: 'commands'; runs: CommandRun[] } | { kind: 'fields'; fields: Record<string, unknown> } | { kind: 'text'; text: string };

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const count = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

function commandOf(fields: Fields, sandbox: unknown, label?: string): CommandRun | undefined {
  if (typeof fields['stdout'] !== 'string' && typeof fields['stderr'] !== 'string') return undefined;
  const signal = fields['signal'];
  return {
    command: text(fields['command']),
    ...(label !== undefined && { label }),
    exitCode: count(fields['exit_code']),
    signal: signal === null || signal === undefined ? undefined : String(signal as string | number),
    stdout: text(fields['stdout']),
    stderr: text(fields['stderr']),
    durationMs: count(fields['duration_ms']),
    sandbox: text(fields['sandbox'] ?? sandbox) || undefined,
  };
}

/** Parses a result. A result that was cut, or that is not JSON, is text. */
export function toolResult(result: string): ToolResult {
  if (!result.startsWith('{')) return { kind: 'text', text: result };
  let fields: unknown;
  try {
    fields = JSON.parse(result);
  } catch {
    return { kind: 'text', text: result };
  }
  if (!isFields(fields)) return { kind: 'text', text: result };
  const one = commandOf(fields, undefined);
  if (one !== undefined) return { kind: 'commands', runs: [one] };
  // `self_eval` runs several: a list, or one for each name.
  const checks = fields['checks'];
  if (typeof checks === 'object' && checks !== null) {
    const listed: [string, unknown][] = Array.isArray(checks) ? checks.map((check) => [isFields(check) ? text(check['check'] ?? check['name']) : '', check]) : Object.entries(checks);
    const runs = listed.flatMap(([name, check]) => (isFields(check) ? (commandOf(check, fields['sandbox'], name) ?? []) : []));
    if (runs.length > 0 && runs.length === listed.length) return { kind: 'commands', runs };
  }
  return { kind: 'fields', fields };
}

/** The first program that failed. */
export function failedRun(result: ToolResult): CommandRun | undefined {
  return result.kind === 'commands' ? result.runs.find((run) => run.exitCode !== 0 || run.signal !== undefined) : undefined;
}

/** Whether a program failed, without parsing results that report only successes. Quotes inside a value are escaped. */
export function reportsFailure(result: string): boolean {
  return /"exit_code"\s*:\s*(?!0\b)/.test(result) && failedRun(toolResult(result)) !== undefined;
}

/** How long the tool itself worked, if it said so. */
export function reportedDuration(result: ToolResult): number | undefined {
  if (result.kind === 'fields') return count(result.fields['duration_ms']);
  if (result.kind === 'text') return undefined;
  const times = result.runs.map((run) => run.durationMs);
  return times.some((time) => time === undefined) ? undefined : times.reduce<number>((sum, time) => sum + (time ?? 0), 0);
}

/** The levels of the sandbox that the server names, strongest first. */
export const SANDBOX_LEVELS = ['landlock+seccomp+bubblewrap', 'landlock+seccomp+namespaces', 'landlock+seccomp', 'partial', 'none'] as const;
export type SandboxLevel = (typeof SANDBOX_LEVELS)[number];
export function sandboxLevel(told: string): SandboxLevel | undefined {
  return SANDBOX_LEVELS.find((level) => level === told);
}

export type Wall = 'files' | 'network' | 'system';
const WALLS: [Wall, RegExp][] = [
  ['files', /read-only file ?system|\(os error 30\)|\bEROFS\b/i],
  ['network', /network is unreachable|could not resolve|temporary failure in name resolution|name or service not known|(?:address family|protocol family) not supported|\bENETUNREACH\b|\bEAI_AGAIN\b|cannot (?:create|open) socket/i],
  ['files', /permission denied|\(os error 13\)|\bEACCES\b/i],
  ['system', /operation not permitted|\(os error 1\)|\bEPERM\b|bad system call|function not implemented/i],
];
/** How much is searched at the beginning and at the end of a long output. */
const PART = 16_000;
export interface WallLine {
  wall: Wall;
  line: string;
}

/**
 * Lines of a program's error output that look like the sandbox stopped something. Programs word their errors themselves,
 * and the server does not report what the sandbox denied, so these are signs and no proof.
 */
export function wallLines(stderr: string, most = 5): WallLine[] {
  const found: WallLine[] = [];
  for (const line of (stderr.length <= 2 * PART ? stderr : `${stderr.slice(0, PART)}\n${stderr.slice(-PART)}`).split('\n')) {
    const wall = WALLS.find(([, sign]) => sign.test(line.slice(0, 2000)))?.[0];
    if (wall !== undefined) found.push({ wall, line: line.slice(0, 300) });
    if (found.length >= most) break;
  }
  return found;
}
