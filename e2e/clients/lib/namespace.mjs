// A network namespace for every case: loopback only, so that no client reaches anything and ports never
// collide.
import { spawnSync } from 'node:child_process';

const wrap = process.getuid() === 0 ? ['-n'] : ['-Urn'];

/// The command that starts a program inside a namespace.
export function inside(program, args) {
  const line = 'ip link set lo up && exec "$0" "$@"';
  return ['unshare', [...wrap, 'sh', '-c', line, program, ...args]];
}

/// Why this machine cannot make a namespace, if it cannot.
export function impossible() {
  const [program, args] = inside('true', []);
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? null : String(error ?? stderr).trim();
}
