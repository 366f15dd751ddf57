import { effect } from '@preact/signals';
import { access, session } from '../session.ts';
import { address } from '../router.ts';

const KEY = 'roux-recent';
const MAX_RECENT = 12;

/** Remembers which notes are opened, in this browser, until the user signs out. */
export function startRecentNotes(): void {
  effect(() => {
    if (access.value === 'needed' || access.value === 'refused') return forget();
    const path = /^\/note\/(.+)$/.exec(address.value.path)?.[1];
    if (access.value !== 'granted' || path === undefined) return;
    write([path, ...read().filter((each) => each !== path)].slice(0, MAX_RECENT));
  });
}

/** Returns the paths of the notes of this vault that were opened last, without the one that is shown. */
export function listRecentNotes(): readonly string[] {
  const shown = /^\/note\/(.+)$/.exec(address.value.path)?.[1];
  return read().filter((path) => path !== shown);
}

function read(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf()) ?? '[]');
    return Array.isArray(stored) ? stored.filter((path) => typeof path === 'string').slice(0, MAX_RECENT) : [];
  } catch {
    return [];
  }
}

function write(paths: readonly string[]): void {
  try {
    localStorage.setItem(keyOf(), JSON.stringify(paths));
  } catch {
    // The browser may block storage: the palette then lists the notes that were changed last.
  }
}

/** Forgets the notes of all vaults: the next person at this browser may not see their names. */
function forget(): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(`${KEY} `)) localStorage.removeItem(key);
  } catch {
    // Nothing was stored.
  }
}

function keyOf(): string {
  return `${KEY} ${session.peek()?.vault ?? ''}`;
}
