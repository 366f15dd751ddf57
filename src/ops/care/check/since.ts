import { RouxError } from '../../../errors.ts';
import type { AnchoredNote } from '../../../vault/code/anchored-notes.ts';
import { findTouched } from '../../../vault/code/find-touched.ts';
import type { Touched } from '../../../vault/code/find-touched.ts';
import type { Vault } from '../../../vault/vault.ts';

/** A note about code that was changed. */
export interface TouchedNote {
  readonly path: string;
  readonly title: string;
  /** What was changed of its code, from the top of the repository. */
  readonly files: readonly string[];
  /** Whether the note was changed as well. */
  readonly isNoteChanged: boolean;
}

/** What was changed since a commit. */
export interface Since {
  /** The commit that is compared with; null in a repository without any, where everything is new. */
  readonly commit: string | null;
  readonly touched: readonly TouchedNote[];
  readonly isTouched: (path: string) => boolean;
  readonly goneNotes: readonly string[];
}

/** Finds what the changes since a commit touch. Throws `INVALID_PARAMS` for what names none, and `IO_ERROR` where that cannot be known. */
export async function findSince(vault: Vault, since: string, notes: readonly AnchoredNote[]): Promise<Since> {
  if (vault.code.place().kind === 'folder')
    throw new RouxError('INVALID_PARAMS', 'The vault is in no git repository, so that nothing is known of its changes. Leave since out.');
  // Before the first commit of all, as in a hook.
  if (since === 'HEAD' && vault.code.place().kind === 'repository' && !vault.code.hasCommits())
    return { commit: null, touched: [], isTouched: () => true, goneNotes: [] };
  const found = await findAll(vault, since, notes);
  if (found.since === null) throw new RouxError('IO_ERROR', found.incomplete.join(' '));
  return {
    commit: found.since,
    touched: found.findings.map(({ note: { entry }, changes, isNoteChanged }) => ({
      path: entry.path,
      title: entry.title,
      files: changes.map(({ path }) => path),
      isNoteChanged,
    })),
    isTouched: (path) => found.changedNotes.has(path) || found.aboutChanges.has(path),
    goneNotes: found.goneNotes,
  };
}

async function findAll(vault: Vault, since: string, notes: readonly AnchoredNote[]): Promise<Touched> {
  try {
    return await findTouched(vault, since, notes);
  } catch (error) {
    if (error instanceof RouxError && error.code === 'NODE_NOT_FOUND')
      throw new RouxError('INVALID_PARAMS', error.message, { since }, { cause: error });
    throw error;
  }
}
