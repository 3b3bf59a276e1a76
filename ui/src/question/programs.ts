// Programs written inside a command: `python3 <<EOF …`, `node -e '…'`, `bash -c '…'`. Rules judge the command, not the
// program in it, so the page says that nobody checked it and marks what a simple look finds.
import type { Schemas } from '../lib/client';
import { type TextSpan, rangeOf } from './dangerSpans';
import { placesOf } from './segments';
import type { TextMark } from './textMarks';

type MarkedPart = Schemas['MarkedPart'];

export type Language = 'python' | 'javascript' | 'ruby' | 'perl' | 'php' | 'shell';
export const FINDS = ['deletes', 'starts', 'network'] as const;
export type Find = (typeof FINDS)[number];

export interface InnerProgram extends TextSpan {
  language: Language;
  lines: number;
  /** The lines on which something was found, counted from its first line. */
  found: Partial<Record<Find, number[]>>;
}

/** How programs that take a program are called, and the options before its text. */
const INTERPRETERS: [RegExp, Language, RegExp][] = [
  [/^(?:python[\d.]*|pypy3?)$/, 'python', /^-[a-zA-Z]*c$/],
  [/^(?:node|nodejs|deno|bun|tsx)$/, 'javascript', /^(?:-[a-z]*[ep]|--eval|--print|eval)$/],
  [/^ruby[\d.]*$/, 'ruby', /^-[a-z]*e$/],
  [/^perl[\d.]*$/, 'perl', /^-[a-zA-Z0-9]*[eE]$/],
  [/^php[\d.]*$/, 'php', /^(?:-r|--run)$/],
  [/^(?:ba|da|z|k|a)?sh$/, 'shell', /^-[a-z]*c$/],
];

/** Names that usually delete, start programs or use the network. */
const NAMES: Record<Language, Record<Find, RegExp>> = {
  python: {
    deletes: /\b(?:os\.(?:remove|unlink|rmdir|removedirs|truncate)|shutil\.(?:rmtree|move)|\w+\.(?:unlink|rmdir|rmtree))(?=\s*\()/g,
    starts: /\b(?:subprocess(?:\.\w+)?|os\.(?:system|popen|exec\w*|spawn\w*|fork|kill)|pty\.spawn|(?:exec|eval|__import__|compile)(?=\s*\())/g,
    network: /\b(?:urllib(?:\.\w+)*|requests\.\w+|httpx\.\w+|aiohttp|socket(?:\.\w+)?|http\.client|smtplib|ftplib|paramiko|urlopen)\b/g,
  },
  javascript: {
    deletes: /\b(?:rm|rmdir|unlink|rmSync|rmdirSync|unlinkSync|truncateSync|rimraf|Deno\.remove)(?=\s*\()/g,
    starts: /\b(?:child_process|execSync|execFileSync|spawnSync|execFile|spawn(?=\s*\()|exec(?=\s*\()|eval(?=\s*\()|Function(?=\s*\()|Deno\.(?:run|Command)|Bun\.spawn\w*)/g,
    network: /\b(?:fetch(?=\s*\()|XMLHttpRequest|WebSocket|axios|https?\.(?:get|request)|net\.(?:connect|createConnection)|(?:node:)?(?:https?|net|dgram)(?=['"`]\s*\)))/g,
  },
  ruby: {
    deletes: /\b(?:File\.(?:delete|unlink)|FileUtils\.\w*rm\w*|Dir\.(?:rmdir|delete|unlink))/g,
    starts: /\b(?:system|exec|spawn|Open3(?:\.\w+)?|IO\.popen|eval)\b|`[^`\n]*`|%x[({[]/g,
    network: /\b(?:Net::\w+|URI\.open|open-uri|TCPSocket|Socket)/g,
  },
  perl: {
    deletes: /\b(?:unlink|rmdir|rmtree|remove_tree|truncate)\b/g,
    starts: /\b(?:system|exec|fork|qx|eval)\b|`[^`\n]*`/g,
    network: /\b(?:LWP(?:::\w+)*|IO::Socket\S*|HTTP::\w+|Net::\w+|socket)\b/g,
  },
  php: {
    deletes: /\b(?:unlink|rmdir|ftruncate)(?=\s*\()/g,
    starts: /\b(?:exec|shell_exec|system|passthru|proc_open|popen|eval)(?=\s*\()|`[^`\n]*`/g,
    network: /\b(?:curl_\w+|fsockopen|stream_socket_client)|\b(?:file_get_contents|fopen)(?=\s*\(\s*['"]https?:)/g,
  },
  shell: {
    deletes: /(?<![\w./-])(?:rm|rmdir|unlink|shred|truncate)(?=\s)|(?<=\s)-delete\b/g,
    starts: /(?<![\w./-])(?:eval|exec|sudo|xargs|nohup)(?=\s)/g,
    network: /(?<![\w./-])(?:curl|wget|ssh|scp|rsync|nc|ncat|telnet)(?=\s)/g,
  },
};

interface Word extends TextSpan {
  /** Without its quotes. */
  value: string;
  /** The text between its quotes, if the whole word is quoted. */
  inside: TextSpan | undefined;
}

/** The words of a simple command, with their places. Stops at an unclosed quote. */
export function wordsOf(text: string, start: number, end: number): Word[] {
  const found: Word[] = [];
  let at = start;
  while (at < end) {
    while (at < end && /\s/.test(text.charAt(at))) at += 1;
    if (at >= end) break;
    const from = at;
    let value = '';
    let inside: TextSpan | undefined;
    while (at < end && !/\s/.test(text.charAt(at))) {
      const quote = text.charAt(at);
      if (quote === "'" || quote === '"') {
        let close = at + 1;
        while (close < end && text.charAt(close) !== quote) close += quote === '"' && text.charAt(close) === '\\' ? 2 : 1;
        if (close >= end) return found;
        if (at === from) inside = { from: at + 1, to: close };
        value += text.slice(at + 1, close);
        at = close + 1;
      } else {
        at += quote === '\\' ? 2 : 1;
        value += text.slice(at - 1, at);
      }
    }
    found.push({ from, to: Math.min(at, end), value, inside: inside !== undefined && at === inside.to + 1 ? inside : undefined });
  }
  return found;
}

/** The bodies of the here-documents that begin on the line of `at`. */
function hereDocument(text: string, from: number, to: number): TextSpan | undefined {
  const end = text.indexOf('\n', to);
  if (end === -1) return undefined;
  const opened = /<<(-?)\s*(?:'([^'\n]+)'|"([^"\n]+)"|\\?([A-Za-z_][\w.-]*))/.exec(text.slice(from, end));
  if (opened === null) return undefined;
  const name = opened[2] ?? opened[3] ?? opened[4] ?? '';
  let line = end + 1;
  while (line <= text.length) {
    const next = text.indexOf('\n', line);
    const until = next === -1 ? text.length : next;
    const content = text.slice(line, until);
    if ((opened[1] === '-' ? content.replace(/^\t+/, '') : content) === name) return { from: end + 1, to: Math.max(end + 1, line - 1) };
    if (next === -1) return { from: end + 1, to: text.length };
    line = next + 1;
  }
  return undefined;
}

const MOST_PROGRAMS = 20;
const PREFIXES = new Set(['sudo', 'env', 'command', 'exec', 'nohup', 'time', 'nice', 'timeout', 'uv', 'run', 'poetry', 'xvfb-run']);

function programOf(text: string, part: MarkedPart, within: TextSpan): { language: Language; span: TextSpan } | undefined {
  const words = wordsOf(text, within.from, within.to);
  const start = words.findIndex(({ value }) => !PREFIXES.has(value) && !/^(?:-|\w+=|\d+[smh]?$)/.test(value));
  const name = (words[start]?.value ?? '').split('/').at(-1) ?? '';
  const known = INTERPRETERS.find(([pattern]) => pattern.test(name));
  if (known === undefined) return undefined;
  const [, language, option] = known;
  const rest = words.slice(start + 1);
  const given = rest.findIndex(({ value }) => option.test(value));
  const code = given === -1 ? undefined : rest[given + 1];
  // What a shell runs inside is judged like any other command, and listed as its parts.
  if (language === 'shell' && (part.inner ?? []).some(({ kind }) => kind !== 'opaque')) return undefined;
  if (code?.inside !== undefined) return { language, span: code.inside };
  const file = rest.find(({ value }) => !/^[-<]/.test(value));
  const body = file === undefined || /^<</.test(text.slice(file.from - 2, file.from)) ? hereDocument(text, within.from, within.to) : undefined;
  return body === undefined ? undefined : { language, span: body };
}

/** The programs inside a command that no rule looks into. */
export function programsIn(text: string, parts: readonly MarkedPart[]): InnerProgram[] {
  const places = placesOf(text, parts.flatMap((part) => part.range ?? []));
  const found: InnerProgram[] = [];
  for (const part of parts) {
    if (found.length >= MOST_PROGRAMS) break;
    const within = part.kind === 'command' ? rangeOf(text, part, places, undefined) : undefined;
    const program = within === undefined ? undefined : programOf(text, part, within);
    if (program === undefined || program.span.to <= program.span.from) continue;
    if (found.some(({ from, to }) => program.span.from < to && from < program.span.to)) continue;
    const { language, span } = program;
    const lines = lineOf(text, span.from);
    const code = text.slice(span.from, span.to);
    const looked: InnerProgram = { ...span, language, lines: code.replace(/\n+$/, '').split('\n').length, found: {} };
    for (const { from, as } of findsIn(text, looked)) {
      const line = lineOf(text, from) - lines + 1;
      const known = (looked.found[as] ??= []);
      if (!known.includes(line)) known.push(line);
    }
    found.push(looked);
  }
  return found;
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf('\n'); next !== -1 && next < at; next = text.indexOf('\n', next + 1)) line += 1;
  return line;
}

/** The words of a program that a simple look finds. In order; they may be in a comment or a string. */
export function findsIn(text: string, { from, to, language }: Pick<InnerProgram, 'from' | 'to' | 'language'>): (TextMark & { as: Find })[] {
  const code = text.slice(from, to);
  const all = FINDS.flatMap((as) => [...code.matchAll(NAMES[language][as])].slice(0, 200).map((match) => ({ from: from + match.index, to: from + match.index + match[0].length, as })));
  let end = 0;
  return all
    .sort((a, b) => a.from - b.from || b.to - a.to)
    .filter((mark) => {
      if (mark.from < end) return false;
      end = mark.to;
      return true;
    });
}

/** Programs of more lines than these have no numbers on the rest. */
const MOST_NUMBERS = 500;

/** The numbers of the lines of programs by the place at which each line begins. A program of one line needs none. */
export function programLines(text: string, programs: readonly InnerProgram[]): Map<number, number> {
  const found = new Map<number, number>();
  for (const { from, lines } of programs) {
    if (lines < 2) continue;
    let begin = text.lastIndexOf('\n', from - 1) + 1;
    for (let line = 1; line <= lines && found.size < MOST_NUMBERS; line += 1) {
      found.set(begin, line);
      begin = text.indexOf('\n', begin) + 1;
      if (begin === 0) break;
    }
  }
  return found;
}

/** A piece of a text, cut where a numbered line begins. */
export function linesFrom(text: string, begin: number, lines: ReadonlyMap<number, number>): { text: string; begin: number; line: number | undefined }[] {
  const cuts = lines.size === 0 ? [] : [...lines.keys()].filter((at) => at > begin && at < begin + text.length).sort((a, b) => a - b);
  return [begin, ...cuts].map((from, nth) => ({ text: text.slice(from - begin, (cuts[nth] ?? begin + text.length) - begin), begin: from, line: lines.get(from) }));
}
