// Reasons of a decision: the server's codes as sentences.
import type { Schemas } from '../lib/client';
import { type TextPart, reasons } from './reasonText';
import { dangerInside } from './dangers';
import { sentSpans } from './dangerSpans';
import { escapeHidden } from '../lib/hiddenCharacters';

export type { TextPart } from './reasonText';
export type Reason = Schemas['Reason'];
export type Cited = Schemas['CitedRule'];
type Part = Schemas['Part'];
type Decision = Schemas['Verdict']['decision'];

/** The note of a rule, if its writer left one. */
export function noteOf(rule: Cited | undefined): string | undefined {
  const written = rule?.rule;
  if (typeof written !== 'object' || written === null || !('note' in written)) return undefined;
  return typeof written.note === 'string' && written.note !== '' ? written.note : undefined;
}

/** File and line of a rule; undefined if it is in no file. */
export function ruleLocation(rule: Cited): string | undefined {
  const inFile = rule.layer === 'managed' || rule.layer === 'global' || rule.layer === 'project';
  return inFile && rule.source !== '' ? `${rule.source}:${rule.line}` : undefined;
}

/** A rule in a few words. */
export function ruleBits(rule: Cited | undefined): TextPart[] {
  if (rule === undefined) return reasons.aRule();
  const place = ruleLocation(rule);
  return place === undefined ? reasons.ruleOf(rule.layer) : reasons.ruleAt(rule.layer, place);
}

/** The rule that a reason cites. */
export function ruleOf(reason: Reason, rules: readonly Cited[]): Cited | undefined {
  return reason.code === 'rule' || reason.code === 'not_evaluated' ? rules[reason.rule] : undefined;
}

function ruled(rule: Cited | undefined, decision: Decision | undefined): TextPart[] {
  const overruled = rule?.effect === 'allow' && decision !== undefined && decision !== 'allow';
  const by = overruled ? reasons.otherwiseAllowed(ruleBits(rule)) : reasons.rule(rule?.effect ?? 'confirm', ruleBits(rule));
  const note = noteOf(rule);
  return note === undefined ? by : [...reasons.note(note), ...by];
}

/** A reason as a sentence in parts. `decision`: the one that it is a reason of; a rule that allows the call may not have decided it. */
export function reasonBits(reason: Reason, rules: readonly Cited[], decision?: Decision): TextPart[] {
  switch (reason.code) {
    case 'rule':
      return ruled(ruleOf(reason, rules), decision);
    case 'no_rule':
      return reasons.noRule();
    case 'not_evaluated':
      return reasons.notEvaluated(ruleBits(ruleOf(reason, rules)));
    case 'protected_path':
      return reasons.protectedPath(reason.path, reason.pattern);
    case 'protected_among':
      return reasons.protectedAmong(reason.path, reason.pattern);
    case 'too_many_files':
      return reasons.tooManyFiles(reason.path);
    case 'path_unknown':
      return reasons.pathUnknown();
    case 'field_missing':
      return reasons.fieldMissing(reason.field);
    case 'field_unreadable':
      return reasons.fieldUnreadable(reason.field);
    case 'work_limit':
      return reasons.workLimit();
    case 'shell_unread':
      return reasons.shellUnread();
    case 'config_broken':
      return reasons.configBroken(reason.layer, reason.error);
    case 'approval_required':
      return reasons.approvalRequired();
    case 'nobody_can_confirm':
      return reasons.nobodyCanConfirm();
    default:
      return shellBits(reason);
  }
}

type InShell = Exclude<Reason, { code: 'rule' | 'no_rule' | 'not_evaluated' | 'protected_path' | 'protected_among' | 'too_many_files' | 'path_unknown' | 'field_missing' | 'field_unreadable' | 'work_limit' | 'shell_unread' | 'config_broken' | 'approval_required' | 'nobody_can_confirm' }>;

/** Reasons that only shell texts have. */
function shellBits(reason: InShell): TextPart[] {
  switch (reason.code) {
    case 'opaque': {
      const sentence = reasons.opaque[reason.opaque];
      return sentence === undefined ? reasons.unknown(reason.opaque) : [{ text: sentence }];
    }
    case 'redirect':
      return reasons.redirect(reason.word);
    case 'assignment':
      return reasons.assignment(reason.name);
    case 'expansion':
      return reasons.expansion(reason.word);
    case 'obstacle':
      return reasons.obstacle(reason.word, reason);
    case 'may_be_option':
      return reasons.mayBeOption(reason.word);
    case 'changes_shell':
      return reasons.changesShell(reason.program);
    case 'program_text':
      return reasons.programText(reason.program);
    case 'walks_home':
      return reasons.walksHome(reason.path);
    case 'outside_workspace':
      return reasons.outsideWorkspace(reason.path);
    case 'no_workspace':
      return reasons.noWorkspace(reason.path);
    case 'repository_runs':
      return reasons.repositoryRuns(reason.directory, reason.what);
    case 'repository_unproven':
      return reasons.repositoryUnproven(reason.problem, reason.file, reason.key ?? undefined);
    case 'tracked_links':
      return reasons.trackedLinks(reason.directory);
    case 'repository_unknown':
      return reasons.repositoryUnknown();
    case 'runs_unknown':
      return reasons.runsUnknown(reason);
    case 'too_much':
      return reasons.tooMuch();
    default:
      // A newer server may have more codes.
      return reasons.unknown(String((reason as { code: unknown }).code));
  }
}

/** Reason of a part. A part cites its rule itself. */
export function partBits(part: Part, rules: readonly Cited[]): TextPart[] {
  if (part.code === 'rule') return ruled(part.cited ?? rules[part.rule], part.decision);
  if (part.code === 'not_evaluated') return reasons.notEvaluated(ruleBits(part.cited ?? rules[part.rule]));
  return reasonBits(part, rules);
}

function joined(bits: readonly TextPart[]): string {
  return bits.map((bit) => (bit.as === 'code' ? `\`${bit.text}\`` : bit.text)).join('');
}

/** A reason as one string. It has untrusted parts: show it with `<VisibleText>`. */
export function reasonText(reason: Reason, rules: readonly Cited[]): string {
  return joined(reasonBits(reason, rules));
}

/** The reason of a part as one string. */
export function partText(part: Part, rules: readonly Cited[]): string {
  return joined(partBits(part, rules));
}

/**
 * The part of a verdict that a marked part of the command stands for: the same text with the same decision,
 * preferably at the same place.
 */
export function partOf(mark: Schemas['MarkedPart'], parts: readonly Part[]): Part | undefined {
  const open = [...parts].reverse();
  let found: Part | undefined;
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (part.decision === mark.decision && part.kind === mark.kind && (part.text === mark.text || escapeHidden(part.text) === mark.text)) {
      if (part.span?.[0] === mark.range?.[0]) return part;
      found ??= part;
    }
    open.push(...[...(part.parts ?? [])].reverse());
  }
  return found;
}

/** Whether a danger is about the same words as a reason, and so says more: "The option -delete may not be safe." */
export function dangerSaysMore(reason: Reason | Part, danger: Schemas['Danger'] | null | undefined, command: string): boolean {
  if (reason.code !== 'obstacle' || danger?.level !== 'danger' || reason.word === '') return false;
  return sentSpans(command, danger).some(({ from, to }) => command.slice(from, to).includes(reason.word));
}

/** Whether a part has this reason. A part cites its rule itself; sentences are not compared. */
function isAbout(part: Part, reason: Reason, rules: readonly Cited[]): boolean {
  if (part.code !== reason.code) return false;
  if ('rule' in reason && 'rule' in part) return JSON.stringify(part.cited ?? rules[part.rule]) === JSON.stringify(rules[reason.rule]);
  const fields: Record<string, unknown> = { ...part };
  return Object.entries(reason).every(([field, value]) => field === 'why' || fields[field] === value);
}

/** The part that the verdict's first reason is about. */
export function decisivePart(verdict: Pick<Schemas['Verdict'], 'decision' | 'reasons' | 'rules' | 'parts'>): Part | undefined {
  const [reason] = verdict.reasons;
  if (reason === undefined) return undefined;
  const open = [...verdict.parts].reverse();
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (part.decision === verdict.decision && isAbout(part, reason, verdict.rules)) return part;
    open.push(...[...(part.parts ?? [])].reverse());
  }
  return undefined;
}

/** The reasons of a verdict that none of its parts has, and that no rule allows it, which parts do not say. */
export function reasonsBesides(verdict: Pick<Schemas['Verdict'], 'reasons' | 'rules' | 'parts'>): Reason[] {
  const has = (parts: readonly Part[], reason: Reason): boolean => parts.some((part) => isAbout(part, reason, verdict.rules) || has(part.parts ?? [], reason));
  return verdict.reasons.filter((reason) => reason.code === 'no_rule' || !has(verdict.parts, reason));
}

/** A part that is asked about, with its danger as it stands in the command. */
export interface GravePart {
  part: Part;
  danger: Schemas['Danger'];
}

/**
 * The dangerous parts with the verdict's decision, in their order, if the part that the verdict's first reason is about is not one
 * of them. `whole`: the danger of the command.
 */
export function graveParts(verdict: Pick<Schemas['Verdict'], 'decision' | 'reasons' | 'rules' | 'parts'>, whole: Schemas['Danger'] | undefined): GravePart[] {
  const asked = (part: Part): GravePart[] => {
    const danger = dangerInside(judged(part), part.span, whole);
    const inner = (part.parts ?? []).flatMap(asked);
    return part.decision !== verdict.decision || danger?.level !== 'danger' ? inner : [{ part, danger }, ...inner];
  };
  const found = verdict.parts.flatMap(asked);
  const about = decisivePart(verdict);
  return found.some(({ part }) => part === about) ? [] : found;
}

/** A part as `dangerInside` reads it. */
function judged({ kind, danger, parts }: Part): Parameters<typeof dangerInside>[0] {
  return { kind, ...(danger !== undefined && danger !== null && { danger }), ...(parts !== undefined && { parts: parts.map(judged) }) };
}
