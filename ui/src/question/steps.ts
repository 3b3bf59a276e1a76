// The steps of a command: what it runs, without what only leads there.
import type { Schemas } from '../lib/client';

type Part = Schemas['Part'];

/** Programs that only run what they are given. */
const WRAPPERS = new Set(['sudo', 'doas', 'env', 'command', 'exec', 'nohup', 'time', 'timeout', 'nice', 'bash', 'sh', 'zsh', 'dash', 'xargs', 'stdbuf', 'setsid']);
/** Programs that a reader does not need to hear about, unless they are dangerous. */
const QUIET = new Set(['cd', 'pushd', 'popd', 'echo', 'printf', 'true', ':', 'set', 'export', 'sleep', 'pwd', 'test', '[', 'wait', 'read']);

export function programOf(text: string): string {
  const name = /^[^\s'"`$(]+/.exec(text)?.[0] ?? '';
  // A program elsewhere only has the name of a known one.
  return /^\/(?:usr\/)?(?:local\/)?s?bin\/[^/]+$/.test(name) ? (name.split('/').at(-1) ?? '') : name;
}

/** Commands in their order; a wrapper is replaced by what it runs. */
export function stepsOf(parts: readonly Part[]): Part[] {
  const found = parts.flatMap((part) => steps(part));
  const telling = found.filter((part) => !isQuiet(part));
  return telling.length > 0 ? telling : found;
}

function steps(part: Part): Part[] {
  const inner = (part.parts ?? []).flatMap((one) => steps(one));
  if (part.kind === 'redirect') return part.decision === 'allow' ? inner : [part, ...inner];
  if (part.kind !== 'command') return inner;
  const runs = (part.parts ?? []).some(({ kind }) => kind === 'command');
  return runs && WRAPPERS.has(programOf(part.text)) ? inner : [part, ...inner.filter(({ danger }) => danger?.level === 'danger')];
}

function isQuiet(part: Part): boolean {
  if (part.danger?.level === 'danger' || part.kind !== 'command') return false;
  return QUIET.has(programOf(part.text)) || (part.decision === 'allow' && (part.danger === undefined || part.danger.level === 'none'));
}
