// Switches of an input that widen what a dangerous call destroys: `cascade true`.

const GRAVE = /^(?:cascade|force|forced|recursive|hard|permanent(?:ly)?|irreversible|purge|wipe|erase|destroy|delete|drop|truncate|overwrite|all)(?:_|$)/;

/** Whether a field of an input is such a switch, and on. The name is a hint only: it marks, and decides nothing. */
export function isGraveSwitch(name: string, value: unknown): boolean {
  return value === true && GRAVE.test(name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll('-', '_').toLowerCase());
}
