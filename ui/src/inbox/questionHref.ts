/** Where the address of a question leads. */
export function addressOf(id: string): string {
  return `/approvals/${encodeURIComponent(id)}`;
}
