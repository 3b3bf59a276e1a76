/** Link to a question. */
export function questionHref(id: string): string {
  return `/approvals/${encodeURIComponent(id)}`;
}
