// Toast about the result of an answer.
import { router } from '../lib/router.svelte';
import { toasts } from '../lib/toasts.svelte';
import type { Body, AnswerResponse } from './answerFlow.svelte';
import { a } from './answerText';
import { ruleFileDiff } from './ruleFileDiff.svelte';

/** Says what was answered, and whether a rule was remembered. */
export function toastAnswer(taken: AnswerResponse, body: Body): void {
  const about = taken.approval.toolName;
  if (body.behavior === 'allow' && taken.approval.state === 'denied') {
    toasts.say(a.ruleDenies, { tone: 'bad', about, hint: taken.approval.outcome?.message });
    return;
  }
  const said = body.behavior === 'allow' ? a.doneApproved : body.interrupt === true ? a.doneStopped : a.doneDenied;
  const { remembered } = taken;
  if (remembered === undefined) {
    toasts.say(said, { tone: body.behavior === 'allow' ? 'good' : 'note', about });
    return;
  }
  const where = remembered.scope === undefined ? a.notKept : a.keptIn[remembered.scope];
  const { diff } = remembered;
  const moved = remembered.message !== undefined;
  toasts.say(said, {
    tone: moved ? 'bad' : 'good',
    about,
    hint: moved ? `${where} ${remembered.message}` : where,
    remedy: diff === undefined ? { label: a.toRules, run: () => router.go('/rules') } : { label: a.seeDiff, run: () => (ruleFileDiff.diff = diff) },
  });
}
