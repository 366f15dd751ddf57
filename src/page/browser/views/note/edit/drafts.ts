import { owner } from '../../../session.ts';

/** What was typed into a note and not saved yet. It is stored in the tab for its user, and so survives a reload and signing in again. */
export interface Draft {
  readonly path: string;
  /** The text that was edited and its etag. `base` is null if there was no room to store it. */
  readonly base: string | null;
  readonly etag: string;
  /** The whole text of the note as it is to be. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const keyOf = (path: string): string => `roux-draft ${owner.peek() ?? ''} ${path}`;
/** Drafts where the browser blocks the storage: they last until the page is closed. */
const memory = new Map<string, Draft>();

/** Stores a draft. Returns whether it survives a reload. */
export function storeDraft(draft: Draft): boolean {
  memory.set(draft.path, draft);
  for (const each of [draft, { ...draft, base: null }]) {
    try {
      sessionStorage.setItem(keyOf(draft.path), JSON.stringify(each));
      return true;
    } catch {
      // Too long for the storage together with its base, or the storage is blocked.
    }
  }
  return false;
}

export function readDraft(path: string): Draft | null {
  const known = memory.get(path);
  if (known !== undefined) return known;
  try {
    const draft = JSON.parse(sessionStorage.getItem(keyOf(path)) ?? 'null') as Draft | null;
    return typeof draft?.text === 'string' && typeof draft.etag === 'string' ? draft : null;
  } catch {
    return null;
  }
}

export function discardDraft(path: string): void {
  memory.delete(path);
  try {
    sessionStorage.removeItem(keyOf(path));
  } catch {
    // Nothing was stored there.
  }
}
