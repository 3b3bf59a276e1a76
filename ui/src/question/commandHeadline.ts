// What a simple command does, in a few words. It reads words as the shell would, and only where their meaning is certain.
import type { Schemas } from '../lib/client';
import type { HeadlineLine } from './headline';
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
const of = (kind: HeadlineLine['kind'], names: string[], to?: string[]): HeadlineLine | undefined => (names.length === 0 ? undefined : { kind, names, ...(to !== undefined && { to }) });

const remove: Reader = (args) => of(has(args, /^--recursive$/, /[rR]/) ? 'delete_all' : 'delete', operands(args));
const removeFiles: Reader = (args) => of('delete', operands(args));

const find: Reader = (args) => {
  if (!args.includes('-delete')) return undefined;
  const begin = args.findIndex((arg) => arg.startsWith('-'));
  const places = args.slice(0, begin).filter((place) => place !== '.' && place !== './');
  const named = args[args.findIndex((arg) => arg === '-name' || arg === '-iname') + 1];
  const more = args.filter((arg) => /^-(?:not|o|or|path|regex|mtime|newer|size|prune)$|^!$/.test(arg)).length;
  return args.some((arg) => arg === '-name' || arg === '-iname') && more === 0 && named !== undefined
    ? { kind: 'delete_named', names: [named], to: places }
    : { kind: 'delete_found', to: places };
};

const git: Reader = (args, code) => {
  let at = 0;
  while (args[at]?.startsWith('-') === true) at += args[at] === '-C' || args[at] === '-c' ? 2 : 1;
  const [sub, rest] = [args[at], args.slice(at + 1)];
  switch (sub) {
    case 'push': {
      const [remote, ...refs] = operands(rest);
      if (has(rest, /^--delete$/, /^-d$/)) return of('delete_remote', refs, remote === undefined ? [] : [remote]);
      const forced = code === 'overwrites_remote_history' || has(rest, /^--force/, /f/) || refs.some((ref) => ref.startsWith('+'));
      if (remote === undefined || refs.length === 0) return { kind: forced ? 'force_push_all' : 'push_all', to: remote === undefined ? [] : [remote] };
      return { kind: forced ? 'force_push' : 'push', names: refs, to: [remote] };
    }
    case 'commit': {
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

/** Package managers, with the names of their installing subcommands. */
const installer = (name: string, subs: readonly string[]): Reader => (args) => {
  const [sub, ...rest] = args;
  if (sub === 'run' || sub === 'run-script') return operands(rest).length > 0 ? of('run_script', operands(rest).slice(0, 1)) : undefined;
  if (sub === 'test' && name !== 'cargo' && name !== 'go') return of('run_script', ['test']);
  if (sub === undefined || !subs.includes(sub)) return undefined;
  const takesValue = rest.some((arg) => /^--(?:prefix|registry|cache|config|target|index-url|path|git|branch|features)$/.test(arg) || /^-[rCet]$/.test(arg));
  if (takesValue) return undefined;
  return operands(rest).length === 0 ? { kind: 'install_all', to: [name] } : { kind: 'install', names: operands(rest), to: [name] };
};

const fetch: Reader = (args, code) => {
  const hosts = args.filter((arg) => /^https?:\/\//.test(arg)).flatMap((url) => {
    try {
      return [new URL(url).host];
    } catch {
      return [];
    }
  });
  return of(code === 'sends_data' ? 'send' : 'fetch', hosts);
};

const two = (kind: 'move' | 'copy'): Reader => (args) => {
  const names = operands(args);
  return names.length < 2 || args.some((arg) => /^-t$|^--target/.test(arg)) ? undefined : { kind, names: names.slice(0, -1), to: names.slice(-1) };
};
const permissions: Reader = (args) => {
  const [mode, ...names] = operands(args);
  return mode === undefined || names.length === 0 ? undefined : { kind: 'permissions', names, to: [mode] };
};
const stop: Reader = (args) => of('stop_processes', operands(args));
const mail: Reader = () => ({ kind: 'send_mail' });
const over: Reader = (args) => (args[0]?.startsWith('-') === false && args.length > 1 ? { kind: 'run_on', names: [args[0]], to: [args.slice(1).join(' ').slice(0, LONGEST)] } : undefined);

const READERS: Partial<Record<string, Reader>> = {
  rm: remove, rmdir: removeFiles, unlink: removeFiles, shred: removeFiles, find, git,
  npm: installer('npm', ['install', 'i', 'add', 'ci']), pnpm: installer('pnpm', ['install', 'i', 'add']), yarn: installer('yarn', ['install', 'add']), bun: installer('bun', ['install', 'i', 'add']),
  pip: installer('pip', ['install']), pip3: installer('pip', ['install']), cargo: installer('cargo', ['install', 'add']), gem: installer('gem', ['install']), brew: installer('brew', ['install']),
  apt: installer('apt', ['install']), 'apt-get': installer('apt-get', ['install']), dnf: installer('dnf', ['install']), apk: installer('apk', ['add']),
  curl: fetch, wget: fetch, mv: two('move'), cp: two('copy'), chmod: permissions, kill: stop, pkill: stop, killall: stop,
  mkdir: (args) => (has(args, /^--mode/, /m/) ? undefined : of('make_directory', operands(args))), touch: (args) => of('create', operands(args)), sendmail: mail, mail, ssh: over,
};
