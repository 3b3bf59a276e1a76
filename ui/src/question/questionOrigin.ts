// Who asks, whether it is the demo, and the icon of a question.
import type { Schemas } from '../lib/client';
import type { IconName } from '../components/icons';

type Question = Schemas['Question'];

/** Suffix of the demo credential's id. Agents can claim names, but do not choose the id of their token. */
const DEMO = /^token:[0-9a-f-]*-000064656d6f$/;

/** Whether it is the demo: no file of the user changes, whatever the answer. */
export function isDemo(question: Pick<Question, 'askedBy'>): boolean {
  return DEMO.test(question.askedBy);
}

export interface OriginName {
  what: 'server' | 'agent' | 'workspace';
  name: string;
}

/** Server, agent and workspace, as the agent names them. */
export function originOf(question: Pick<Question, 'serverId' | 'agentId' | 'workspaceId'>): OriginName[] {
  const { serverId, agentId, workspaceId } = question;
  return ([['server', serverId], ['agent', agentId], ['workspace', workspaceId]] as const).flatMap(([what, name]) =>
    typeof name === 'string' && name !== '' ? [{ what, name }] : [],
  );
}

/** What the agent says about its command, in a field that does nothing. The server lists every field that does something. */
export function agentWords({ input, shown }: Pick<Question, 'input' | 'shown'>): string | undefined {
  if (shown.form.form !== 'command' || typeof input !== 'object' || input === null || !('description' in input)) return undefined;
  const { description } = input;
  const listed = (shown.besides ?? []).some(({ name }) => name === 'description');
  return typeof description === 'string' && description.trim() !== '' && !listed ? description : undefined;
}

const SIGNS: Partial<Record<Schemas['TitleCode'], IconName>> = {
  run_command: 'terminal',
  read_file: 'file',
  search_files: 'search',
  write_file: 'edit',
  delete_file: 'trash',
  edit_file: 'edit',
  change_files: 'edit',
  fetch_web: 'globe',
  search_web: 'globe',
  load_skill: 'file',
};

/** Icon beside the title. */
export function iconOf(question: Pick<Question, 'shown'>): IconName {
  const { titleCode } = question.shown;
  return (titleCode === undefined ? undefined : SIGNS[titleCode]) ?? 'tool';
}
