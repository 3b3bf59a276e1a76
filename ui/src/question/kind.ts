// What kind of question it is, as far as the page shows it otherwise.
import type { Schemas } from '../lib/client';
import type { IconName } from '../parts/icons';

type Question = Schemas['Question'];

/** How the id of the built-in demo's credential ends. Names can be claimed; no agent chooses the id of its token. */
const DEMO = /^token:[0-9a-f-]*-000064656d6f$/;

/** Whether nothing would run whatever the answer is. */
export function isDemo(question: Pick<Question, 'askedBy'>): boolean {
  return DEMO.test(question.askedBy);
}

export interface Named {
  what: 'server' | 'agent' | 'workspace';
  name: string;
}

/** Whose tool it is, who asks and where, as the asker names them. */
export function originOf(question: Pick<Question, 'serverId' | 'agentId' | 'workspaceId'>): Named[] {
  const { serverId, agentId, workspaceId } = question;
  return ([['server', serverId], ['agent', agentId], ['workspace', workspaceId]] as const).flatMap(([what, name]) =>
    typeof name === 'string' && name !== '' ? [{ what, name }] : [],
  );
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

/** The drawing beside its title. */
export function signOf(question: Pick<Question, 'shown'>): IconName {
  const { titleCode } = question.shown;
  return (titleCode === undefined ? undefined : SIGNS[titleCode]) ?? 'tool';
}
