/** A sentence of the server's, which says it in small letters and without a full stop. */
export function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.…]$/.test(begun) ? begun : `${begun}.`;
}
