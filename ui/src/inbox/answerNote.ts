// What is said about the result of an answer, above the next question.
import { router } from '../lib/router.svelte';
import type { Tone, Remedy } from '../lib/toasts.svelte';
import type { Body, AnswerResponse } from './answerFlow.svelte';
import { a } from './answerText';
import { ruleFileDiff } from './ruleFileDiff.svelte';

export interface AnswerNote {
  tone: Tone;
  text: string;
  /** The tool, which others named. */
  about: string;
  hint?: string | undefined;
  remedy?: Remedy;
}

/** Says what was answered, and whether a rule was remembered. */
export function answerNote(taken: AnswerResponse, body: Body): AnswerNote {
  const about = taken.approval.toolName;
  if (body.behavior === 'allow' && taken.approval.state === 'denied') {
    return { tone: 'bad', text: a.ruleDenies, about, hint: taken.approval.outcome?.message };
  }
  const text = body.behavior === 'allow' ? a.doneApproved : body.interrupt === true ? a.doneStopped : a.doneDenied;
  const { remembered } = taken;
  if (remembered === undefined) return { tone: body.behavior === 'allow' ? 'good' : 'note', text, about };
  const where = remembered.scope === undefined ? a.notKept : a.keptIn[remembered.scope];
  const { diff } = remembered;
  const moved = remembered.message !== undefined;
  return {
    tone: moved ? 'bad' : 'good',
    text,
    about,
    hint: moved ? `${where} ${remembered.message}` : where,
    remedy: diff === undefined ? { label: a.toRules, run: () => router.go('/rules') } : { label: a.seeDiff, run: () => (ruleFileDiff.diff = diff) },
  };
}
