// Which codes there are. The server's own description of itself says so: a code without a sentence does not compile.
import type { Schemas } from '../lib/client';

/** Everything that has a code and fields beside it. */
export type Coded = { readonly code: string } & { readonly [field: string]: unknown };

export interface Tables {
  /** What a call does to the world. */
  danger: Record<Schemas['DangerCode'], string>;
  /** Why it is not known that a command is harmless, or what it runs. */
  detail: Record<Schemas['ReasonDetail'], string>;
  /** What a reader of an address could miss. */
  address: Record<Schemas['AddressNote']['code'], string>;
  /** What to know about the change of a file. */
  file: Record<Schemas['FileNote']['code'], string>;
  /** What of a call is not shown. */
  leftOut: Record<Schemas['LeftOut']['code'], string>;
  /** Why a call may not run. */
  refusal: Record<Schemas['RefusalCode'], string>;
  /** What is unsafe about the server. */
  warning: Record<Schemas['Warning']['code'], string>;
}

/** A sentence with the fields of what it is about in it. What stands in a field for its own reason is said by `nested`. */
export function fillTemplate(sentence: string, fields: Readonly<Record<string, unknown>>, nested: (inner: Coded) => string = () => ''): string {
  return sentence.replace(/\{(\w+)\}/g, (_, field: string) => {
    const value = fields[field];
    if (typeof value === 'object' && value !== null) return 'code' in value ? nested(value as Coded) : '';
    return value === undefined || value === null ? '' : String(value);
  });
}
