import { owner } from './session.ts';

/** Returns what this browser remembers of a vault and its user under a name; null if nothing, or if storage is blocked. */
export function readStored(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(keyOf(name)) ?? 'null');
  } catch {
    return null;
  }
}

/** Remembers a value of a vault and its user in this browser. */
export function store(name: string, value: unknown): void {
  try {
    localStorage.setItem(keyOf(name), JSON.stringify(value));
  } catch {
    // Storage is full or blocked: the value lasts until the page is closed.
  }
}

/** Forgets what is stored under a name, of all vaults. */
export function removeStored(name: string): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(prefixOf(name))) localStorage.removeItem(key);
  } catch {
    // Nothing was stored.
  }
}

function keyOf(name: string): string {
  return prefixOf(name) + (owner.peek() ?? '');
}

function prefixOf(name: string): string {
  return `roux-${name} `;
}
