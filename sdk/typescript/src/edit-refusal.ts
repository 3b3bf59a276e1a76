import type { Allowed } from './approval.js';

/** What the model reads where a framework cannot run a call with an input that a human changed. */
export function editRefusal(framework: string, { input }: Allowed): string {
  return `the call was approved only with a changed input, which ${framework} cannot run; call the tool again with exactly this input: ${JSON.stringify(input)}`;
}
