/** Turns a text from the server, which starts in lower case and has no full stop, into a sentence. */
export function sentenceCase(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.…]$/.test(begun) ? begun : `${begun}.`;
}
