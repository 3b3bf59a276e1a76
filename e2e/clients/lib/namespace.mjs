// A network of its own for every case: nothing but loopback, so no client reaches anything, and ports never collide.
import { spawnSync } from 'node:child_process';

const wrap = process.getuid() === 0 ? ['-n'] : ['-Urn'];

/// How a program is started inside of one.
export function inside(program, args) {
  const line = 'ip link set lo up && exec "$0" "$@"';
  return ['unshare', [...wrap, 'sh', '-c', line, program, ...args]];
}

/// Whether this machine lets us make one; the reason if not.
export function impossible() {
  const [program, args] = inside('true', []);
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? null : String(error ?? stderr).trim();
}
