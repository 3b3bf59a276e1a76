// Sentences of the server, different in every run: nothing in the page may depend on their wording.

/** A sentence of random words. */
export function randomSentence(): string {
  const letter = (): string => String.fromCharCode(97 + Math.floor(Math.random() * 26));
  const word = (): string => Array.from({ length: 3 + Math.floor(Math.random() * 6) }, letter).join('');
  return Array.from({ length: 4 + Math.floor(Math.random() * 5) }, word).join(' ');
}
