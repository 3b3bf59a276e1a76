// Project files: what can be done with one, and what changed in it.
import type { Schemas } from '../lib/client';

export type Project = Schemas['Project'];

/** Whether the file can be trusted as the server sent it: it was sent whole, and it loads. */
export function canBeTrusted(project: Project): boolean {
  return (project.state === 'never' || project.state === 'changed') && project.text !== undefined && project.sha256 !== undefined;
}

/**
 * Whether there is trust to withdraw. A missing or broken file can have it too: if the trusted text came
 * back, it would take effect again.
 */
export function hasTrust(project: Project): boolean {
  return project.state === 'trusted' || project.state === 'changed' || project.trustedAt !== undefined;
}

/** The projects, with those that need attention first. */
export function sorted(projects: readonly Project[]): Project[] {
  const rank: Record<Project['state'], number> = { broken: 0, changed: 1, never: 2, trusted: 3, absent: 4 };
  return [...projects].sort((a, b) => rank[a.state] - rank[b.state] || a.root.localeCompare(b.root));
}

export interface Line {
  kind: 'added' | 'removed' | 'same' | 'gap';
  text: string;
}

/** The lines of the server's diff. Each begins with a sign and a blank. */
export function linesOf(diff: string): Line[] {
  const rows = diff.endsWith('\n') ? diff.slice(0, -1).split('\n') : diff.split('\n');
  return rows.map((row) => {
    if (row === '  …') return { kind: 'gap', text: '…' };
    const kind = row.startsWith('+') ? 'added' : row.startsWith('-') ? 'removed' : 'same';
    return { kind, text: row.slice(2) };
  });
}
