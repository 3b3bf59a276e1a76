// An input as a list of names and values, if that loses nothing; otherwise it is shown as JSON.
import type { Schemas } from '../lib/client';
import type { Question } from '../lib/live.svelte';
import { visible } from '../lib/hiddenCharacters';
import { MAX_NAME } from '../lib/untrustedName';
import { isGraveSwitch } from './graveSwitch';
import { inexact, isInput } from './inputJson';
import { escapeHidden } from '../lib/hiddenCharacters';

type TitleCode = Schemas['TitleCode'];

export interface Row {
  name: string;
  /** It makes a dangerous call worse. */
  grave?: boolean;
  /** Shown on one line, in a box of its own, or as paths, one per line. */
  value: { as: 'line'; text: string } | { as: 'box'; text: string } | { as: 'paths'; paths: readonly string[]; glob: boolean };
}

/** More fields than this are shown as JSON. */
const MOST = 12;
/** Longer values get their own box. */
const LONGEST_LINE = 200;
const LONGEST_PATH = 1000;
const MOST_PATHS = 20;

/**
 * The input fields in which file tools have their paths, by what is asked for. The server gives these codes
 * to no MCP tool.
 */
const FILES = ['path', 'file_path', 'filePath', 'absolute_path', 'target_file', 'notebook_path', 'paths'];
const PLACES = ['path', 'dir_path', 'directory', 'target_directory', 'target_directories'];
const PATHS: Partial<Record<TitleCode, readonly string[]>> = { read_file: FILES, write_file: FILES, edit_file: FILES, delete_file: FILES, search_files: PLACES };
/** Tools whose pattern is a path. The pattern of other search tools is not. */
const GLOBBING = ['Glob', 'glob', 'glob_search', 'glob_file_search'];
const GLOBS = ['pattern', 'glob_pattern'];

/**
 * The rows of a question that has no form but JSON, paths first; `undefined` if rows would lose something, or
 * if JSON is clearer.
 */
export function inputRows({ toolName, input, shown }: Pick<Question, 'toolName' | 'input' | 'shown'>): Row[] | undefined {
  if (shown.form.form !== 'json' || !shown.whole || !isInput(input) || inexact(input)) return undefined;
  const fields = flattened(input);
  const names = fields.map(([name]) => name);
  // A name is shown whole or not at all.
  if (names.length === 0 || names.length > MOST || names.some((name) => name.trim() === '' || [...visible(name)].length > MAX_NAME)) return undefined;
  const dangerous = shown.danger.level === 'danger';
  const rows = fields.map(([name, value]): Row => ({ name, value: pathsOf(shown.titleCode, toolName, name, value) ?? valueOf(value), ...(dangerous && isGraveSwitch(name.split('.').at(-1) ?? '', value) && { grave: true }) }));
  return rows.toSorted((a, b) => Number(b.value.as === 'paths') - Number(a.value.as === 'paths'));
}

/** A name that cannot be mistaken for a path of names. */
const PLAIN_NAME = /^[\w-]+$/;

/** The fields of an input. Short ones of an object inside are fields too: `customer.id`. */
function flattened(input: Record<string, unknown>): [name: string, value: unknown][] {
  const all = Object.entries(input);
  if (!all.every(([name]) => PLAIN_NAME.test(name))) return all;
  return all.flatMap(([name, value]): [string, unknown][] => {
    const inner = isInput(value) ? Object.entries(value) : [];
    const short = inner.length > 0 && inner.every(([key, one]) => PLAIN_NAME.test(key) && !isInput(one) && JSON.stringify(one).length <= LONGEST_LINE);
    return short ? inner.map(([key, one]) => [`${name}.${key}`, one]) : [[name, value]];
  });
}

/**
 * The fields of an input that its form does not show, as rows. The server has already escaped their names and
 * values.
 */
export function otherFieldRows({ besides = [] }: Pick<Schemas['Shown'], 'besides'>): Row[] {
  return besides.map(({ name, value }) => {
    const line = value !== '' && value.trim() === value && value.length <= LONGEST_LINE && !value.includes('\n');
    return { name, value: { as: line ? 'line' : 'box', text: value } };
  });
}

function pathsOf(title: TitleCode | undefined, tool: string, name: string, value: unknown): Row['value'] | undefined {
  const glob = title === 'search_files' && GLOBBING.includes(tool) && GLOBS.includes(name);
  if (!glob && (title === undefined || PATHS[title]?.includes(name) !== true)) return undefined;
  const paths: unknown[] = Array.isArray(value) ? value : [value];
  const shown = paths.filter((path): path is string => typeof path === 'string' && path !== '' && path.length <= LONGEST_PATH);
  if (paths.length === 0 || paths.length > MOST_PATHS || shown.length < paths.length) return undefined;
  return { as: 'paths', paths: shown, glob };
}

function valueOf(value: unknown): Row['value'] {
  const text = typeof value === 'string' && plain(value) ? value : JSON.stringify(value);
  if (text.length <= LONGEST_LINE && !text.includes('\n')) return { as: 'line', text };
  return { as: 'box', text: escapeHidden(typeof value === 'object' ? JSON.stringify(value, null, 2) : text) };
}

/**
 * Whether a text can be shown without quotes: it is not empty, has no blanks at its ends, and cannot be
 * mistaken for a number, a list or another JSON value.
 */
function plain(text: string): boolean {
  if (text === '' || text.trim() !== text || /^["[{]/.test(text)) return false;
  return !/^(?:true|false|null|-?\d[\d.eE+-]*)$/.test(text);
}
