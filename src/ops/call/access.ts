import { RouxError } from '../../errors.ts';
import type { Access } from '../../ports.ts';
import type { WriteMeta } from '../../vault/plan/plan.ts';
import type { Vault, Writes } from '../../vault/vault.ts';
import type { Operation } from '../operation.ts';

/** What a caller may do: as this process was started, and as its token says; without a token, everything. */
export interface Rights {
  readonly isReadOnly: boolean;
  readonly access: Access | undefined;
  /** The only folders that may be written; null: all that may be seen. */
  readonly writeFolders: readonly string[] | null;
}

/** From the least to the most: each includes those before it. */
export const SCOPES: readonly Access['scope'][] = ['read', 'write', 'admin'];

/** Throws `READ_ONLY` for an operation that writes where nothing may be written, `FORBIDDEN` for one that the caller's token does not permit (V-04). */
export function checkRights({ isReadOnly, access }: Rights, { name, effect, writesByOption, toolset, isOfWholeVault }: Operation): void {
  if (access !== undefined && access.folders !== null && (toolset === 'admin' || isOfWholeVault === true)) {
    const message = `${name} is about the whole vault; the token "${access.name}" is for some of its folders.`;
    throw new RouxError('FORBIDDEN', message, { needed: 'the whole vault', folders: access.folders });
  }
  // An operation that writes by an option, or writes no note, is stopped by its vault when it does (`limitVault`).
  if (effect === 'read' || writesByOption === true) return;
  if (isReadOnly) throw startedReadOnly(name);
  const needed = toolset === 'admin' ? 'admin' : 'write';
  if (access === undefined || SCOPES.indexOf(access.scope) >= SCOPES.indexOf(needed)) return;
  throw new RouxError('FORBIDDEN', `${name} needs a token that may ${needed}; the token "${access.name}" may ${access.scope}.`, {
    needed,
    scope: access.scope,
  });
}

/** Returns the vault with the ports that the caller's rights leave. */
export async function limitVault(vault: Vault, { isReadOnly, access, writeFolders }: Rights): Promise<Vault> {
  // Loaded only for tokens that are limited to folders.
  const seen =
    access === undefined || access.folders === null
      ? vault
      : (await import('../../vault/scope/scope-vault.ts')).scopeVault(vault, access.folders);
  if (isReadOnly) return readOnlyVault(seen, startedReadOnly);
  if (access?.scope === 'read') return readOnlyVault(seen, (operation) => mayOnlyRead(access, operation));
  if (writeFolders === null) return seen;
  return (await import('../../vault/scope/write-folders.ts')).limitWriting(seen, { given: writeFolders, token: access?.folders ?? null });
}

/** Returns a vault whose ports refuse to change anything. */
function readOnlyVault(vault: Vault, refuse: (operation: string) => RouxError): Vault {
  const refused = (operation: string) => async (): Promise<never> => {
    throw refuse(operation);
  };
  return {
    ...vault,
    writes: readOnlyWrites(vault.writes, refuse),
    cache: { ...vault.cache, importVectors: refused('import_vectors') },
    history: { ...vault.history, acceptReview: refused('accept_review') },
    health: { ...vault.health, acceptDeletions: refused('doctor'), repairRecords: refused('fsck') },
  };
}

/** Returns the port of writes without those that change anything; dry runs remain. */
function readOnlyWrites(writes: Writes, refuse: (operation: string) => RouxError): Writes {
  const check = ({ operation, dryRun }: WriteMeta): void => {
    if (dryRun !== true) throw refuse(operation);
  };
  return {
    ...writes,
    async write(meta, makePlan) {
      check(meta);
      return writes.write(meta, makePlan);
    },
    async undo(meta, query) {
      check(meta);
      return writes.undo(meta, query);
    },
    async restore(meta, reference) {
      check(meta);
      return writes.restore(meta, reference);
    },
    async completeWrite(meta, id) {
      check(meta);
      return writes.completeWrite(meta, id);
    },
  };
}

function startedReadOnly(operation: string): RouxError {
  return new RouxError('READ_ONLY', `${operation} would write, and this server was started read-only.`, { operation });
}

function mayOnlyRead({ name, scope }: Access, operation: string): RouxError {
  const message = `${operation} would write, and needs a token that may; the token "${name}" may ${scope}.`;
  return new RouxError('FORBIDDEN', message, { needed: 'write', scope });
}
