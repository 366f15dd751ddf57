import { effect } from '@preact/signals';
import { notePath } from '../router.ts';
import { access } from '../session.ts';
import { readStored, removeStored, store } from '../stored.ts';

const NAME = 'recent';
const MAX_RECENT = 12;

/** Remembers which notes are opened, in this browser, until the user signs out. */
export function startRecentNotes(): void {
  effect(() => {
    // The next person at this browser may not see the names of notes, of whatever vault.
    if (access.value === 'needed' || access.value === 'refused') return removeStored(NAME);
    const path = notePath();
    if (access.value !== 'granted' || path === null) return;
    store(NAME, [path, ...read().filter((each) => each !== path)].slice(0, MAX_RECENT));
  });
}

/** Returns the paths of the notes of this vault that were opened last, without the one that is shown. */
export function listRecentNotes(): readonly string[] {
  const shown = notePath();
  return read().filter((path) => path !== shown);
}

function read(): readonly string[] {
  const stored = readStored(NAME);
  return Array.isArray(stored) ? stored.filter((path) => typeof path === 'string').slice(0, MAX_RECENT) : [];
}
