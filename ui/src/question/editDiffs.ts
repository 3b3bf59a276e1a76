// What an edit changes in the input of a call.
import { type Input, isEqual, isInput, jsonText } from './inputJson';
import { lineDiff, type LineDiff } from './lineDiff';

export interface EditDiff extends LineDiff {
  /** The name of the field; empty for everything that is compared as JSON. */
  name: string;
}

function own(input: Input, name: string): unknown {
  return Object.hasOwn(input, name) ? input[name] : undefined;
}

/** What an edit changes: fields that are strings line by line, everything else as JSON. */
export function editDiffs(before: unknown, after: unknown): EditDiff[] {
  if (!isInput(before) || !isInput(after)) return isEqual(before, after) ? [] : [{ name: '', ...lineDiff(jsonText(before), jsonText(after)) }];
  const found: EditDiff[] = [];
  // A field can have any name, even `__proto__`.
  const rest = { before: Object.create(null) as Input, after: Object.create(null) as Input };
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [own(before, name), own(after, name)];
    if (typeof was === 'string' && typeof is === 'string') {
      if (was !== is) found.push({ name, ...lineDiff(was, is) });
      continue;
    }
    if (Object.hasOwn(before, name)) rest.before[name] = was;
    if (Object.hasOwn(after, name)) rest.after[name] = is;
  }
  if (!isEqual(rest.before, rest.after)) found.push({ name: '', ...lineDiff(jsonText(rest.before), jsonText(rest.after)) });
  return found;
}
