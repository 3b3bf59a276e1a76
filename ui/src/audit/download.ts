// Downloads the audit log. A plain link cannot send the header that authenticates this page.
import { client } from '../lib/client';
import type { FilterQuery } from './filters';

export type Format = 'jsonl' | 'csv';
const MEDIA = { jsonl: 'application/x-ndjson', csv: 'text/csv' } as const;

/** "sekisho-audit-20261115T145346Z.jsonl". */
export function fileName(format: Format, now: number): string {
  const at = new Date(now).toISOString().replace(/\.\d+/, '').replace(/[-:]/g, '');
  return `sekisho-audit-${at}.${format}`;
}

/** Fetches the audit log and saves it. An interrupted response is an error, not a short file. */
export async function downloadRecord(wanted: FilterQuery, format: Format, now: number): Promise<void> {
  const text = await client.audit.export({ ...wanted, format }, { timeoutMs: Infinity });
  const address = URL.createObjectURL(new Blob([text], { type: MEDIA[format] }));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName(format, now);
  link.click();
  // By then the browser has started to read it.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
