// How loud a question is. Caution covers everything that may change something; most of it is everyday work, and a page
// that warns about everything warns about nothing. What is decided does not depend on the tone.
import type { Schemas } from '../lib/client';
import type { Question } from '../lib/live.svelte';
import { programsIn } from './programs';
import { dangersOf } from './dangers';

type Danger = Schemas['Danger'];

export type Tone = 'calm' | 'caution' | 'danger';

/** Everyday work of a developer inside a project, which can be undone or changes nothing that lasts. */
const EVERYDAY: ReadonlySet<string> = new Set([
  'adds_files_to_repository', 'builds_and_runs_project', 'builds_and_runs_tests', 'builds_go_programs', 'changes_files', 'changes_repository', 'changes_repository_and_runs_hooks',
  'checks_or_rewrites_sources', 'contacts_remote', 'contacts_remotes', 'creates_files_or_changes_times', 'creates_files_or_directories', 'loads_instructions', 'only_reads', 'reads_files',
  'reads_from_cluster', 'reads_package_list', 'reads_service_state', 'reads_system_state', 'runs_build_scripts', 'runs_project_code', 'runs_project_commands', 'runs_project_configuration',
  'runs_script_of_package', 'stays_in_conversation',
]);

/** The tone of one danger: that of a step, or of a call without steps. */
export function toneOf(danger: Danger | null | undefined): Tone {
  if (danger === null || danger === undefined) return 'caution';
  if (danger.level !== 'caution') return danger.level === 'danger' ? 'danger' : 'calm';
  const codes = [danger.code, ...(danger.further ?? [])].filter((code) => typeof code === 'string');
  return codes.length > 0 && codes.every((code) => EVERYDAY.has(code)) ? 'calm' : 'caution';
}

/** The tone of a question. */
export function toneOfQuestion({ shown, cwd, toolName, serverId, verdict }: Question): Tone {
  if (shown.danger.level === 'danger') return 'danger';
  if (!shown.whole || (shown.hidden ?? []).length > 0) return 'caution';
  const { form } = shown;
  if (form.form === 'command') {
    if (shown.directory !== undefined || programsIn(form.text, form.parts).length > 0) return 'caution';
    const unread = (verdict?.parts ?? []).some(({ kind, decision }) => kind === 'opaque' && decision !== 'allow');
    return !unread && dangersOf(shown).every((danger) => toneOf(danger) === 'calm') ? 'calm' : 'caution';
  }
  if (form.form === 'diff') return form.files.every((file) => isInside(file, cwd)) ? toneOf(shown.danger) : 'caution';
  if (form.form === 'url') return form.addresses.every(({ url, host, notes = [] }) => typeof host === 'string' && notes.length === 0 && url.startsWith('https://')) ? 'calm' : 'caution';
  // A name proves nothing, but a look-up by its name deserves no alarm.
  if (form.form === 'json' && serverId !== undefined && shown.danger.code === 'unknown_server_tool') return isLookUp(toolName) ? 'calm' : 'caution';
  return toneOf(shown.danger);
}

function isInside({ path, change, movedTo }: Schemas['FileDiff'], cwd: string | undefined): boolean {
  if (cwd === undefined || change === 'deleted' || change === 'unknown' || (movedTo !== undefined && movedTo !== null)) return false;
  return path.startsWith(`${cwd.replace(/\/+$/, '')}/`) && !/(?:^|\/)\.\.(?:\/|$)/.test(path);
}

function isLookUp(name: string): boolean {
  return /^(?:get|list|search|find|read|fetch|describe|count|show|lookup|query)(?:[_.-]|(?=[A-Z])|$)/.test(name.replace(/^mcp__.+?__/, '')) && !/(?:^|[_.-])(?:and|or|then|exec|execute|run|update|set|write|create)(?:[_.-]|$)/.test(name);
}
