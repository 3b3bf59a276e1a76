// Single keys. They do nothing while somebody types, while a modifier is held, or while a dialog is open.
import { prefs } from './prefs.svelte';

export type Keys = Record<string, (event: KeyboardEvent) => void>;

const TYPED_IN = 'input, textarea, select, [contenteditable], [role="textbox"]';

/** Whether a key belongs to typing, a modifier or a dialog. */
export function isReserved(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return true;
  const target = event.target;
  if (target instanceof HTMLInputElement && (target.type === 'checkbox' || target.type === 'radio')) return event.key === ' ';
  if (target instanceof Element && target.closest(TYPED_IN) !== null) return true;
  return document.querySelector('dialog[open]') !== null;
}

/** Listens for keys until the returned function is called. In a component: `$effect(() => onKeys({…}))`. */
export function onKeys(keys: Keys): () => void {
  const listen = (event: KeyboardEvent): void => {
    if (!prefs.now.keys || isReserved(event)) return;
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act(event);
  };
  addEventListener('keydown', listen);
  return () => removeEventListener('keydown', listen);
}
