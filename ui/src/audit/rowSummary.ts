// One-line summary of a row: translated by its code, otherwise as recorded.
import type { LocalizedText } from '../codes/codeText.svelte';
import { fillTemplate } from '../codes/tables';
import type { Schemas } from '../lib/client';
import { i18n } from '../lib/i18n.svelte';
import { personName } from '../lib/personNames';
import { type Cited, type Reason, reasonText } from '../question/reason';
import { citedRuleFields } from '../question/citedRuleFields';
import { t as q } from '../question/text';
import { t as page } from '../text';
import { SENTENCES } from './rowSummaryText';
import { type Row, aboutOf, field } from './rows';
import { s } from './ruleChangesText';

type Line = Schemas['RecordLine'];

/** A question shows what was asked; every other row shows its result. */
export function rowSummary(row: Row): LocalizedText {
  const own = (text: string | undefined): LocalizedText | undefined => (text === undefined ? undefined : { text, lang: undefined });
  return own(ownWords(row)) ?? recordedWords(row);
}

function ownWords(row: Row): string | undefined {
  const about = aboutOf(row);
  if (row.line !== undefined) return lineText(row, row.line, about);
  switch (row.kind) {
    case 'question': {
      const message = field(about, 'message');
      return typeof message === 'string' && message !== '' ? withoutTool(row, message) : undefined;
    }
    case 'verdict':
      return verdictText(about);
    default:
      return undefined;
  }
}

/** Text as recorded, for rows without a known code. */
function recordedWords(row: Row): LocalizedText {
  return { text: row.text, lang: i18n.locale === 'en' ? undefined : 'en' };
}

/** The text of a line, looked up by its code. */
function lineText(row: Row, line: Line, about: unknown): string | undefined {
  const sentence = Object.hasOwn(SENTENCES.en, line.code) ? SENTENCES[i18n.locale][line.code] : undefined;
  if (sentence === undefined) return undefined;
  const fields: Record<string, unknown> = { ...line };
  if (typeof fields['by'] === 'string') fields['by'] = personName(row.approver ?? fields['by']);
  if (typeof fields['before'] === 'string') fields['before'] = fields['before'].replace(/\.\d+/, '');
  if (typeof fields['role'] === 'string' && Object.hasOwn(page.roles, fields['role'])) fields['role'] = page.roles[fields['role'] as Schemas['Role']];
  const text = fillTemplate(sentence, fields);
  switch (line.code) {
    case 'approved':
    case 'denied': {
      const reason = field(about, 'reason');
      return typeof reason === 'string' && reason !== '' ? `${text}: ${reason}` : text;
    }
    case 'rule_added':
    case 'rule_changed':
    case 'rule_removed':
    case 'file_rule_changed':
    case 'file_rule_removed':
      return ruleText(s[line.code], line.effect, [field(about, 'rule')]) ?? text;
    case 'remembered':
      return ruleText(s.remembered[line.scope], line.effect, field(about, 'rules')) ?? text;
    default:
      return text;
  }
}

/** Drops the tool name; it has its own column. */
function withoutTool(row: Row, text: string): string {
  const tool = row.tool === undefined ? '' : `${row.tool}: `;
  return tool !== '' && text.startsWith(tool) ? text.slice(tool.length) : text;
}

/**
 * The first reason. A record can contain anything: if the reasons cannot be read, `undefined`, and the row is
 * shown as recorded.
 */
function verdictText(about: unknown): string | undefined {
  const [reasons, rules] = [field(about, 'reasons'), field(about, 'rules')];
  if (!Array.isArray(reasons) || !Array.isArray(rules) || typeof field(reasons[0], 'code') !== 'string') return undefined;
  try {
    const text = reasonText(reasons[0] as Reason, rules as Cited[]);
    return text === '' ? undefined : text;
  } catch {
    return undefined;
  }
}

/** What changed, with the rules' texts instead of their ids. */
function ruleText(done: string, effect: Schemas['Effect'], rules: unknown): string | undefined {
  if (!Array.isArray(rules) || rules.length === 0 || rules.some((rule) => typeof rule !== 'object' || rule === null)) return undefined;
  const which = rules.map((rule: unknown) => citedRuleFields({ rule } as Cited).map(([name, value]) => `${q.ruleField[name] ?? name} ${value}`).join(', ')).join('; ');
  return `${done}: ${page[effect]} · ${which}`;
}
