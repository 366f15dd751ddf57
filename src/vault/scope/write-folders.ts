import { RouxError } from '../../errors.ts';
import { canOverlap, readFolders } from '../../folder-globs.ts';
import type { FolderScope } from '../../folder-globs.ts';
import type { PlannedFile, WriteMeta } from '../plan/plan.ts';
import type { Vault, Writes } from '../vault.ts';
import { keepFoldersOutside, listOutside } from './outside.ts';
import { writeSettings } from './scope-settings.ts';

const MAX_LISTED = 10;

/**
 * Returns a vault of which only some folders may be written (O-03); all of it is read. A write that would change anything else is refused as a
 * whole. `token`: the folders that the vault is limited to already by the caller's token; null: it is not. All folders are as `readFolders`
 * takes them.
 */
export function limitWriting(
  vault: Vault,
  { given, token }: { readonly given: readonly string[]; readonly token: readonly string[] | null },
): Vault {
  const folders = readFolders(given);
  const refused = (what: string) => async (): Promise<never> => {
    throw new RouxError('FORBIDDEN', `${what} concerns the whole vault; only ${listed(folders)} may be written here.`, limitOf(folders));
  };
  return {
    ...vault,
    settings: writeSettings(vault.settings, folders),
    writes: limitWrites(vault.writes, folders, token === null ? null : readFolders(token)),
    cache: { ...vault.cache, importVectors: refused('Importing vectors') },
    history: { ...vault.history, acceptReview: refused('Accepting what agents changed') },
    health: {
      ...vault.health,
      acceptDeletions: refused('Accepting that notes are gone'),
      repairRecords: refused("Repairing roux's records"),
    },
  };
}

function limitWrites(writes: Writes, folders: FolderScope, token: FolderScope | null): Writes {
  const limit = (meta: WriteMeta): WriteMeta => {
    if (token !== null && !canOverlap(token, folders)) throw nowhere(meta.operation, folders, token);
    return {
      ...meta,
      check: (files) => {
        checkInside(folders, meta.operation, files);
        meta.check?.(files);
      },
    };
  };
  return {
    ...writes,
    write: async (meta, makePlan) => writes.write(limit(meta), async (graph) => keepFoldersOutside(await makePlan(graph), folders)),
    undo: async (meta, query) => writes.undo(limit(meta), query),
    restore: async (meta, reference) => writes.restore(limit(meta), reference),
    completeWrite: async (meta, id) => writes.completeWrite(limit(meta), id),
  };
}

function checkInside(folders: FolderScope, operation: string, files: readonly PlannedFile[]): void {
  const [path, ...others] = listOutside(folders, files);
  if (path === undefined) return;
  const more = others.length === 0 ? '' : ` and ${others.length} more ${others.length === 1 ? 'file' : 'files'}`;
  const message = `${operation} would write ${path}${more}, but only ${listed(folders)} may be written here. Nothing was written.`;
  throw new RouxError('FORBIDDEN', message, { paths: [path, ...others].slice(0, MAX_LISTED), ...limitOf(folders) });
}

/** The error for a token that may write in none of the folders, so that another place would not help. */
function nowhere(operation: string, folders: FolderScope, token: FolderScope): RouxError {
  const message = `${operation} can write nowhere with this token: it is for ${listed(token)}, and only ${listed(folders)} may be written here. Nothing was written. Use a token for the whole vault.`;
  return new RouxError('FORBIDDEN', message, limitOf(folders));
}

/** Returns what an error says of the limit; `setting` tells it from the folders of a token. */
function limitOf({ patterns }: FolderScope) {
  return { folders: patterns.slice(0, MAX_LISTED), setting: 'writes.folders' };
}

function listed({ patterns }: FolderScope): string {
  const named = patterns.slice(0, MAX_LISTED).join(', ');
  return patterns.length > MAX_LISTED ? `${named} and ${patterns.length - MAX_LISTED} more folders` : named;
}
