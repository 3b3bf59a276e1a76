// Hosts of addresses.

/** The host of an address, if it has one. */
export function hostOf(url: string): string[] {
  try {
    return [new URL(url).host];
  } catch {
    return [];
  }
}
