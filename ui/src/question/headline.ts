// What would happen if a question were approved, in a few words: "Delete build and everything in it". A command with
// several steps has a line for its gravest ones, in the order of the command. Where these words would be a guess, the line names the program only.
import type { Schemas } from '../lib/client';
import type { Question } from '../lib/live.svelte';
import { commandLine } from './commandHeadline';
import { hostOf } from './hosts';
import { keyFields, wordsOfName } from './toolHeadline';
import { within } from './diffFolding';
import type { InnerProgram } from './programs';
import { stepsOf } from './steps';
import { type Tone, toneOf } from './tone';

/** What a line says; the page has a sentence for each in `headlineText.ts`. */
export type HeadlineKind =
  | 'run' | 'run_script' | 'run_program' | 'run_deleting' | 'run_sending' | 'run_downloaded' | 'run_decoded' | 'run_on'
  | 'delete' | 'delete_all' | 'delete_found' | 'delete_named' | 'delete_untracked' | 'delete_remote'
  | 'push' | 'push_head' | 'push_all' | 'force_push' | 'force_push_all' | 'commit' | 'commit_as' | 'discard' | 'check_out'
  | 'install' | 'install_all' | 'fetch' | 'send' | 'send_mail' | 'move' | 'copy' | 'make_directory' | 'write' | 'create' | 'edit'
  | 'permissions' | 'stop_processes' | 'read' | 'search' | 'search_web' | 'change_files' | 'delete_file' | 'automation' | 'delegate' | 'call' | 'call_with';

/** One line: its kind, and the names it is about. All names come from the agent. */
export interface HeadlineLine {
  kind: HeadlineKind;
  names?: readonly string[];
  /** A second list of names: where to, or with what. */
  to?: readonly string[];
  count?: number;
}

export interface Headline {
  lines: HeadlineLine[];
  /** How many more steps there are, and how many of them are dangerous. */
  more: number;
  grave?: number;
}

/** Lines that a question has at most. */
const MOST_LINES = 3;
/** The steps of a harmless command that its title lists, if there are no more. */
const MOST_STEPS = 4;
const RANK: Record<Tone, number> = { danger: 0, caution: 1, calm: 2 };

/** The headline of a question; `undefined` if its form says nothing specific. `steps`: a short command without danger has a line for each step, too. */
export function headlineOf(question: Question, programs: readonly InnerProgram[] = [], steps = false): Headline | undefined {
  const { shown } = question;
  const { form } = shown;
  if (form.form === 'command') return ofCommand(question, programs, steps);
  const line = ofForm(question, form);
  return line === undefined ? undefined : { lines: [line], more: 0 };
}

function ofCommand({ shown, verdict }: Question, programs: readonly InnerProgram[], listed: boolean): Headline | undefined {
  const { form } = shown;
  const steps = stepsOf(verdict?.parts ?? []);
  const fetched = shown.danger.code === 'runs_fetched';
  const left = [...programs];
  const entered = form.form === 'command' ? enteredFirst(form.text) : undefined;
  const found = steps.flatMap((part, at): Step[] => {
    const told = commandLine(part, left);
    if (told === undefined) return [];
    const line = entered?.next.startsWith(part.text) === true && SEARCHES.has(told.kind) && told.to?.length === 0 ? { ...told, to: [entered.directory] } : told;
    // Fetching and running is one step.
    if (fetched && (line.kind === 'fetch' || line.kind === 'run_interpreter')) return [];
    return [{ line: line.kind === 'run_interpreter' ? { ...line, kind: 'run' } : (line as HeadlineLine), tone: toneOf(part.danger), at }];
  });
  // The call's own danger is never left out, wherever it stands.
  if (fetched) found.unshift({ line: { kind: 'run_downloaded', names: hostsOf(steps) }, tone: 'danger', at: fetchedAt(steps, programs) });
  if (shown.danger.code === 'runs_decoded') found.unshift({ line: { kind: 'run_decoded' }, tone: 'danger', at: 0 });
  const ranked = found.toSorted((a, b) => RANK[a.tone] - RANK[b.tone]);
  const grave = ranked.filter(({ tone }) => tone === 'danger');
  const most = listed && found.length <= MOST_STEPS ? MOST_STEPS : 1;
  const lines = (grave.length > 0 ? grave.slice(0, MOST_LINES) : ranked.slice(0, most)).toSorted((a, b) => a.at - b.at).map(({ line }) => line);
  const more = found.length - lines.length + besides(verdict?.parts ?? []);
  return lines.length === 0 ? undefined : { lines, more, ...(grave.length > lines.length && { grave: grave.length - lines.length }) };
}

/** A step of a command that has a line, and where it stands among the steps. */
interface Step {
  line: HeadlineLine;
  tone: Tone;
  at: number;
}

/** Where the step is that runs what another one fetches; if none follows the fetch, where the fetch is. */
function fetchedAt(steps: readonly Schemas['Part'][], programs: readonly InnerProgram[]): number {
  const kinds = steps.map((part) => commandLine(part, [...programs])?.kind);
  const fetch = kinds.indexOf('fetch');
  const runs = kinds.indexOf('run_interpreter', Math.max(0, fetch));
  return runs === -1 ? Math.max(0, fetch) : runs;
}

const SEARCHES: ReadonlySet<string> = new Set(['delete_found', 'delete_named']);

/** The directory that a command enters before anything else, and what it does there only if that succeeds. */
function enteredFirst(text: string): { directory: string; next: string } | undefined {
  const found = /^\s*cd\s+([\w./-]+)\s*&&\s*/.exec(text);
  return found?.[1] === undefined || found[1].startsWith('-') ? undefined : { directory: found[1], next: text.slice(found[0].length) };
}

/** Assignments that need approval: they change what the commands do, and no line speaks of them. */
function besides(parts: readonly Schemas['Part'][]): number {
  const own = parts.filter(({ kind, decision }) => decision !== 'allow' && kind === 'assignment').length;
  return parts.reduce((sum, part) => sum + besides(part.parts ?? []), own);
}

function hostsOf(steps: readonly Schemas['Part'][]): string[] {
  const hosts = steps.flatMap(({ text }) => [...text.matchAll(/https?:\/\/[^\s'"]+/g)].flatMap(([url]) => hostOf(url)));
  return [...new Set(hosts)];
}

function ofForm(question: Question, form: Schemas['Form']): HeadlineLine | undefined {
  if (form.form === 'diff') {
    const line = ofFiles(form.files, question.cwd);
    return line !== undefined && question.shown.danger.code === 'changes_automation' ? { ...line, kind: 'automation' } : line;
  }
  if (form.form === 'url') {
    const hosts = form.addresses.flatMap(({ host }) => (typeof host === 'string' ? [host] : []));
    return hosts.length === 0 || hosts.length < form.addresses.length ? undefined : { kind: 'fetch', names: [...new Set(hosts)] };
  }
  if (form.form === 'delegation') return { kind: 'delegate', names: [form.agent] };
  if (form.form !== 'json') return undefined;
  return question.shown.titleCode === undefined || question.shown.titleCode === 'run_tool' ? ofTool(question) : ofFileTool(question);
}

function ofFiles(files: readonly Schemas['FileDiff'][], base: string | undefined): HeadlineLine | undefined {
  const names = files.map(({ path }) => within(path, base));
  const [file] = files;
  if (file === undefined) return undefined;
  const gone = files.filter(({ change }) => change === 'deleted').length;
  if (files.length > 1) return gone === files.length ? { kind: 'delete', names } : { kind: 'change_files', names, count: files.length };
  if (file.movedTo !== undefined && file.movedTo !== null) return { kind: 'move', names, to: [within(file.movedTo, base)] };
  return { kind: gone > 0 ? 'delete_file' : file.change === 'created' ? 'create' : 'edit', names };
}

const OF_FILES: Partial<Record<Schemas['TitleCode'], HeadlineKind>> = { read_file: 'read', write_file: 'write', edit_file: 'edit', delete_file: 'delete_file', search_files: 'search', search_web: 'search_web' };
const FIELDS = ['file_path', 'filePath', 'path', 'absolute_path', 'target_file', 'notebook_path', 'pattern', 'query'];
const PATTERNS = ['pattern', 'query', 'regex', 'search_term'];

function ofFileTool({ shown, input, cwd }: Question): HeadlineLine | undefined {
  const kind = shown.titleCode === undefined ? undefined : OF_FILES[shown.titleCode];
  if (kind === undefined || typeof input !== 'object' || input === null) return undefined;
  const fields = kind === 'search' || kind === 'search_web' ? PATTERNS : FIELDS;
  const value = fields.map((name) => (input as Record<string, unknown>)[name]).find((one) => typeof one === 'string' && one !== '');
  return typeof value === 'string' ? { kind, names: [within(value, cwd)] } : undefined;
}

function ofTool({ toolName, input }: Question): HeadlineLine | undefined {
  const words = wordsOfName(toolName);
  if (words === undefined) return undefined;
  const to = keyFields(input);
  return { kind: to.length > 0 ? 'call_with' : 'call', names: [words], to };
}
