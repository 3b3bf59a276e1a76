// Which tools have a command, a path, a host or a skill. The part of the server's table that a form needs;
// the server makes the final decision.

export type Kind = 'shell' | 'file' | 'web' | 'skill';

/** Every name of every known tool, by kind. */
const NAMES: Record<Kind, readonly string[]> = {
  shell: 'bash Bash shell local_shell exec_command shell_command run_shell_command run_terminal_cmd Shell shell_exec'.split(' '),
  file: (
    'read Read NotebookRead read_file read_many_files view_image write Write write_file file_write edit Edit MultiEdit NotebookEdit ' +
    'replace multiedit patch apply_patch edit_file edit_notebook search_replace StrReplace delete delete_file Delete grep Grep ' +
    'search_file_content grep_search grep_files glob Glob glob_search glob_file_search list LS list_directory list_dir ls'
  ).split(' '),
  web: ['web_fetch', 'WebFetch', 'webfetch'],
  skill: ['skill_load', 'Skill', 'skill', 'activate_skill'],
};

/** The names to suggest when somebody types a tool name. */
export const OFFERED: readonly string[] = ['bash', 'read', 'write', 'edit', 'delete', 'grep', 'glob', 'list', 'web_fetch', 'web_search', 'skill_load'];

/** Whether a wildcard pattern matches a whole name, ignoring case. */
export function covers(pattern: string, name: string): boolean {
  const parts = pattern.toLowerCase().split('*');
  const text = name.toLowerCase();
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (parts.length === 1) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Whether the tool name or pattern of a rule can mean a tool of this kind. */
export function canBe(kind: Kind, tool: string, pattern: string): boolean {
  const names = NAMES[kind];
  return names.includes(tool) || (pattern !== '' && names.some((name) => covers(pattern, name)));
}
