/** Where the address of a question leads. */
export function questionHref(id: string): string {
  return `/approvals/${encodeURIComponent(id)}`;
}
