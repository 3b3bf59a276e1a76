// Which codes there are. They come from the types of the server's API, so a code without a sentence does not
// compile.
import type { Schemas } from '../lib/client';

/** An object with a code and other fields. */
export type Coded = { readonly code: string } & { readonly [field: string]: unknown };

export interface Tables {
  /** What a call does to the world. */
  danger: Record<Schemas['DangerCode'], string>;
  /** Why a command is not known to be harmless, or why it is unknown what it runs. */
  detail: Record<Schemas['ReasonDetail'], string>;
  /** What a reader of a web address could miss. */
  address: Record<Schemas['AddressNote']['code'], string>;
  /** Notes about the change of a file. */
  file: Record<Schemas['FileNote']['code'], string>;
  /** Which parts of a call are not shown. */
  leftOut: Record<Schemas['LeftOut']['code'], string>;
  /** Why a call may not run. */
  refusal: Record<Schemas['RefusalCode'], string>;
  /** What is unsafe about the server. */
  warning: Record<Schemas['Warning']['code'], string>;
}

/**
 * Fills the fields into a sentence. A field that is itself an object with a code is turned into text by
 * `nested`.
 */
export function fillTemplate(sentence: string, fields: Readonly<Record<string, unknown>>, nested: (inner: Coded) => string = () => ''): string {
  return sentence.replace(/\{(\w+)\}/g, (_, field: string) => {
    const value = fields[field];
    if (typeof value === 'object' && value !== null) return 'code' in value ? nested(value as Coded) : '';
    return value === undefined || value === null ? '' : String(value);
  });
}
