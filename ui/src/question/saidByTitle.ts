// Dangers that the title of a question already says, more precisely than the sentence that all such commands share:
// "Delete all files named *.log" beside "Deletes every file it finds".
import type { Schemas } from '../lib/client';
import { codesOf } from '../codes/codeText.svelte';
import type { Headline, HeadlineKind } from './headline';

/** What is left to say of such a danger. */
export type SaidAbove = 'deletes' | 'downloads' | 'sends';

const SAYS: Partial<Record<string, { kinds: readonly HeadlineKind[]; left: SaidAbove; same?: true }>> = {
  deletes_directories: { kinds: ['delete_all'], left: 'deletes', same: true },
  deletes_found_files: { kinds: ['delete_found', 'delete_named'], left: 'deletes' },
  runs_deleting_program: { kinds: ['run_deleting'], left: 'deletes', same: true },
  runs_sending_program: { kinds: ['run_sending'], left: 'sends', same: true },
  runs_fetched: { kinds: ['run_downloaded'], left: 'downloads' },
};

/** `undefined` if the title does not say this danger, or has no room for all dangerous steps. `several`: beside other dangers, each is named unless the title says the same words. */
export function saidByTitle(danger: Schemas['Danger'], headline: Headline | undefined, several = false): SaidAbove | undefined {
  const [code, ...further] = codesOf(danger);
  const said = code === undefined || !Object.hasOwn(SAYS, code) ? undefined : SAYS[code];
  if (said === undefined || (several && said.same !== true) || further.length > 0 || headline === undefined || headline.grave !== undefined) return undefined;
  return headline.lines.some(({ kind }) => said.kinds.includes(kind)) ? said.left : undefined;
}
