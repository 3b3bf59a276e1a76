// What a simple command does, in a few words. It reads words as the shell would, and only where their meaning is certain.
import type { Schemas } from '../lib/client';
import type { HeadlineLine } from './headline';
import { hostOf } from './hosts';
import { type InnerProgram, wordsOf } from './programs';
import { programOf } from './steps';

type Line = HeadlineLine | (Omit<HeadlineLine, 'kind'> & { kind: 'run_interpreter' });
type Reader = (args: string[], code: string | undefined) => Line | undefined;

/** Longer commands are named by their program. */
const LONGEST = 44;
const SHELLS = /^(?:ba|da|z|k|a)?sh$/;
const INTERPRETERS = /^(?:python[\d.]*|pypy3?|node|nodejs|deno|bun|ruby|perl|php)$/;

/** The line for a command or redirect. A shell or an interpreter that reads what others wrote is `run_interpreter`. */
export function commandLine(part: Schemas['Part'], programs: InnerProgram[]): Line | undefined {
  if (part.kind === 'redirect') {
    const name = /^(?:\d|&)?>{1,2}\|?\s*(\S+)$/.exec(part.text)?.[1];
    return name === undefined ? undefined : { kind: 'write', names: [name] };
  }
  const program = programOf(part.text);
  const words = wordsOf(part.text, 0, part.text.length).map(({ value }) => value);
  const code = part.danger?.code ?? undefined;
  if (code === 'runs_deleting_program' || code === 'runs_sending_program') {
    const language = programs.shift()?.language ?? 'python';
    return { kind: code === 'runs_deleting_program' ? 'run_deleting' : 'run_sending', to: [language] };
  }
  if (INTERPRETERS.test(program) && programs.length > 0) {
    const inner = programs.shift();
    return { kind: 'run_program', count: inner?.lines ?? 1, to: [inner?.language ?? 'python'] };
  }
  const plain = !part.text.includes('\n') && !/\$\(|`/.test(part.text);
  const read = plain ? READERS[program]?.(words.slice(1), code) : undefined;
  if (read !== undefined) return read;
  if ((SHELLS.test(program) || INTERPRETERS.test(program)) && operands(words.slice(1)).length === 0) return { ...run(part.text, words), kind: 'run_interpreter' };
  return run(part.text, words);
}

/** "Run docker compose up": the command if it is short, else its program and subcommands. */
function run(text: string, words: readonly string[]): HeadlineLine {
  if (text.length <= LONGEST && !text.includes('\n')) return { kind: 'run', names: [text] };
  const named = words.slice(1, 3).filter((word, at, all) => /^[a-z][\w:.-]*$/.test(word) && (at === 0 || all[0] === words[1]));
  return { kind: 'run', names: [[words[0] ?? '', ...named].join(' ').slice(0, LONGEST) + ' …'] };
}

const operands = (args: readonly string[]): string[] => {
  const end = args.indexOf('--');
  return end === -1 ? args.filter((arg) => !arg.startsWith('-')) : [...args.slice(0, end).filter((arg) => !arg.startsWith('-')), ...args.slice(end + 1)];
};
const has = (args: readonly string[], long: RegExp, letter?: RegExp): boolean => args.some((arg) => long.test(arg) || (letter !== undefined && /^-[a-zA-Z]+$/.test(arg) && letter.test(arg)));
const of = (kind: HeadlineLine['kind'], names: string[] | undefined, to?: string[]): HeadlineLine | undefined => (names === undefined || names.length === 0 ? undefined : { kind, names, ...(to !== undefined && { to }) });

/** Options that do not change what a line says. With any other one the command is named by its program. */
interface Options {
  /** Short ones, which may be joined. */
  letters?: string;
  long?: readonly string[];
  /** Those whose value is the next word. */
  valued?: readonly string[];
}

/** The operands, or `undefined` if one of the options is not known to be harmless to the line. */
function operandsWith({ letters = '', long = [], valued = [] }: Options, args: readonly string[]): string[] | undefined {
  const found: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg === '--') return [...found, ...args.slice(at + 1)];
    if (valued.includes(arg)) at += 1;
    else if (!arg.startsWith('-') || arg === '-') found.push(arg);
    else if (!long.includes(arg.replace(/=.*$/s, '')) && !(/^-[a-zA-Z0-9]+$/.test(arg) && [...arg.slice(1)].every((letter) => letters.includes(letter)))) return undefined;
  }
  return found;
}

const REMOVING: Options = { letters: 'rRfivdpuz', long: ['--recursive', '--force', '--verbose', '--interactive', '--dir', '--parents', '--one-file-system', '--preserve-root'] };
const remove: Reader = (args) => of(has(args, /^--recursive$/, /[rR]/) ? 'delete_all' : 'delete', operandsWith(REMOVING, args));
const removeFiles: Reader = (args) => of('delete', operandsWith(REMOVING, args));

/** Tests of `find` that choose files and do nothing. */
const FIND_TESTS = /^-(?:name|iname|type|path|ipath|wholename|regex|iregex|maxdepth|mindepth|mtime|mmin|atime|amin|ctime|cmin|newer|size|empty|user|group|perm|not|o|or|a|and|prune|print|depth|mount|xdev|delete|[\d]+)$/;
const find: Reader = (args) => {
  const begin = args.findIndex((arg) => /^[-!(]/.test(arg));
  const tests = args.slice(begin).filter((arg) => arg.startsWith('-'));
  if (!args.includes('-delete') || begin === -1 || !tests.every((test) => FIND_TESTS.test(test))) return undefined;
  const places = args.slice(0, begin).filter((place) => place !== '.' && place !== './');
  const named = args[args.findIndex((arg) => arg === '-name' || arg === '-iname') + 1];
  const names = args.filter((arg) => arg === '-name' || arg === '-iname').length;
  const narrow = tests.every((test) => /^-(?:name|iname|type|maxdepth|mindepth|depth|print|delete)$/.test(test)) && !args.includes('!');
  return names === 1 && narrow && named !== undefined ? { kind: 'delete_named', names: [named], to: places } : { kind: 'delete_found', to: places };
};

const PUSHING: Options = {
  letters: 'ufdqv',
  long: ['--set-upstream', '--force', '--force-with-lease', '--force-if-includes', '--delete', '--follow-tags', '--no-verify', '--quiet', '--verbose', '--atomic', '--progress'],
};
const COMMITTING: Options = { letters: 'aqsvmn', long: ['--all', '--quiet', '--signoff', '--message', '--no-verify', '--allow-empty', '--verbose'] };
const git: Reader = (args, code) => {
  // What precedes the subcommand may change what it does, except for its directory.
  const [sub, ...rest] = args[0] === '-C' ? args.slice(2) : args;
  switch (sub) {
    case 'push': {
      const named = operandsWith(PUSHING, rest);
      if (named === undefined) return undefined;
      const [remote, ...refs] = named;
      if (has(rest, /^--delete$/, /d/)) return of('delete_remote', refs, remote === undefined ? [] : [remote]);
      const forced = code === 'overwrites_remote_history' || has(rest, /^--force/, /f/) || refs.some((ref) => ref.startsWith('+'));
      if (remote === undefined || refs.length === 0) return { kind: forced ? 'force_push_all' : 'push_all', to: remote === undefined ? [] : [remote] };
      if (!forced && refs.length === 1 && refs[0] === 'HEAD') return { kind: 'push_head', to: [remote] };
      return { kind: forced ? 'force_push' : 'push', names: refs, to: [remote] };
    }
    case 'commit': {
      if (operandsWith(COMMITTING, rest) === undefined) return undefined;
      const option = rest.findIndex((arg) => arg === '--message' || /^-[a-z]*m$/.test(arg));
      const message = option === -1 ? undefined : rest[option + 1];
      return message === undefined ? { kind: 'commit' } : { kind: 'commit_as', names: [message] };
    }
    case 'reset':
      return rest.includes('--hard') ? { kind: 'discard' } : undefined;
    case 'clean':
      return has(rest, /^--force$/, /f/) ? { kind: 'delete_untracked' } : undefined;
    case 'switch':
    case 'checkout':
      return operands(rest).length === 1 && rest.length === 1 && !rest.includes('.') ? of('check_out', rest) : undefined;
    default:
      return undefined;
  }
};

/** Options of package managers that change neither what is installed nor from where. */
const INSTALLING: Options = {
  letters: 'DSEgyqU',
  long: [
    '--save-dev', '--save', '--save-exact', '--dev', '--exact', '--global', '--yes', '--assume-yes', '--quiet', '--silent', '--user', '--upgrade', '--no-audit', '--no-fund', '--ignore-scripts',
    '--frozen-lockfile', '--locked', '--legacy-peer-deps', '--prefer-offline', '--no-install-recommends', '--no-cache', '--no-cache-dir', '--cask',
  ],
};
/** Package managers, with the names of their installing subcommands. */
const installer = (name: string, subs: readonly string[]): Reader => (args) => {
  const [sub, ...rest] = args;
  if (sub === 'run' || sub === 'run-script') return rest[0]?.startsWith('-') === false ? of('run_script', rest.slice(0, 1)) : undefined;
  if (sub === 'test' && name !== 'cargo' && name !== 'go') return of('run_script', ['test']);
  if (sub === undefined || !subs.includes(sub)) return undefined;
  const names = operandsWith(INSTALLING, rest);
  if (names === undefined) return undefined;
  return names.length === 0 ? { kind: 'install_all', to: [name] } : { kind: 'install', names, to: [name] };
};

const FETCHING: Options = {
  letters: 'sSfLIvikq',
  long: ['--silent', '--show-error', '--fail', '--location', '--head', '--verbose', '--include', '--compressed', '--quiet', '--insecure', '--retry', '--max-time', '--connect-timeout'],
  valued: ['-H', '--header', '-A', '--user-agent', '-m', '--max-time', '--retry', '--connect-timeout'],
};
/** Options whose value is what is sent. */
const SENDING: Options = {
  ...FETCHING,
  valued: [...(FETCHING.valued ?? []), '-d', '--data', '--data-raw', '--data-binary', '--data-urlencode', '--json', '-F', '--form', '-T', '--upload-file', '-X', '--request', '--post-data', '--post-file'],
};
const fetch: Reader = (args, code) => {
  const sends = code === 'sends_data';
  const urls = operandsWith(sends ? SENDING : FETCHING, args) ?? [];
  const hosts = urls.flatMap((url) => (/^https?:\/\//.test(url) ? hostOf(url) : []));
  // An address without a scheme is one too.
  return hosts.length < urls.length ? undefined : of(sends ? 'send' : 'fetch', [...new Set(hosts)]);
};

const MOVING: Options = { letters: 'fnivpruaRdLTHP', long: ['--force', '--verbose', '--recursive', '--archive', '--no-clobber', '--interactive', '--update', '--parents'] };
const two = (kind: 'move' | 'copy'): Reader => (args) => {
  const names = operandsWith(MOVING, args);
  return names === undefined || names.length < 2 ? undefined : { kind, names: names.slice(0, -1), to: names.slice(-1) };
};
const permissions: Reader = (args) => {
  const [mode, ...names] = operandsWith({ letters: 'Rvcf', long: ['--recursive', '--verbose'] }, args) ?? [];
  return mode === undefined || names.length === 0 ? undefined : { kind: 'permissions', names, to: [mode] };
};
const stop: Reader = (args) => (args.every((arg) => !arg.startsWith('-') || /^-(?:\d+|(?:SIG)?[A-Z]+\d?|f|x)$/.test(arg)) ? of('stop_processes', operands(args)) : undefined);
/** `cat` of a protected file. Other reading says more as the command itself. */
const show: Reader = (args, code) => {
  const files = code === 'touches_protected' ? operandsWith({ letters: 'AbeEnstTuv' }, args) : undefined;
  return files?.every((file) => /^[^<>|&;()-][^<>|&;()]*$/.test(file)) === true ? of('read', files) : undefined;
};
const mail: Reader = () => ({ kind: 'send_mail' });
const over: Reader = (args) => (args[0]?.startsWith('-') === false && args.length > 1 ? { kind: 'run_on', names: [args[0]], to: [args.slice(1).join(' ').slice(0, LONGEST)] } : undefined);

const READERS: Partial<Record<string, Reader>> = {
  rm: remove, rmdir: removeFiles, unlink: removeFiles, shred: removeFiles, find, git,
  npm: installer('npm', ['install', 'i', 'add', 'ci']), pnpm: installer('pnpm', ['install', 'i', 'add']), yarn: installer('yarn', ['install', 'add']), bun: installer('bun', ['install', 'i', 'add']),
  pip: installer('pip', ['install']), pip3: installer('pip', ['install']), cargo: installer('cargo', ['install', 'add']), gem: installer('gem', ['install']), brew: installer('brew', ['install']),
  apt: installer('apt', ['install']), 'apt-get': installer('apt-get', ['install']), dnf: installer('dnf', ['install']), apk: installer('apk', ['add']),
  cat: show, curl: fetch, wget: fetch, mv: two('move'), cp: two('copy'), chmod: permissions, kill: stop, pkill: stop, killall: stop,
  mkdir: (args) => of('make_directory', operandsWith({ letters: 'pv', long: ['--parents', '--verbose'] }, args)), touch: (args) => of('create', operandsWith({ letters: 'c' }, args)), sendmail: mail, mail, ssh: over,
};
