// One line about a call: what matters most of its input.

const MAIN = ['command', 'path', 'url', 'query', 'pattern', 'action', 'name', 'input', 'file_path', 'id', 'agent_id', 'execution_id'];
const LONGEST = 160;

/** The most telling field of an input, cut to what fits on one line. Its line breaks are kept. */
export function callSummary(args: unknown): string {
  if (typeof args === 'string') return cut(args);
  if (typeof args !== 'object' || args === null) return '';
  const fields = args as Record<string, unknown>;
  const main = MAIN.map((name) => fields[name]).find((value): value is string => typeof value === 'string' && value !== '');
  if (main !== undefined) return cut(main);
  const any = Object.values(fields).find((value) => typeof value === 'string' || typeof value === 'number');
  return any === undefined ? '' : cut(String(any as string | number));
}

function cut(text: string): string {
  const line = text.slice(0, LONGEST * 2).replace(/  +/g, ' ').trim();
  return line.length > LONGEST || text.length > LONGEST * 2 ? `${line.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, '')}…` : line;
}

/** What a call writes: the text before and after, as far as the input says. */
export function writtenText(tool: string, args: unknown): { path: string; before: string; after: string } | undefined {
  if (typeof args !== 'object' || args === null) return undefined;
  const fields = args as Record<string, unknown>;
  const { path, content, old_text: before, new_text: after } = fields;
  if (typeof path !== 'string') return undefined;
  if (tool === 'edit' && typeof before === 'string' && typeof after === 'string') return { path, before, after };
  if (tool === 'file_write' && typeof content === 'string') return { path, before: '', after: content };
  return undefined;
}
