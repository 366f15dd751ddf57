import { RouxError } from '../../errors.ts';
import type { FolderScope } from '../../folder-globs.ts';
import type { GraphView } from '../../graph/view.ts';
import type { Vault } from '../vault.ts';

/** What a token for some folders sees of a vault. */
export interface Scope {
  readonly whole: Vault;
  readonly folders: FolderScope;
  /** The notes inside. */
  readonly graph: GraphView;
  /** Identifies the view within the vault; appears in no answer. */
  readonly name: string;
}

/** Returns the error for operations that need a token for the whole vault. It must not name anything outside. */
export function needsWholeVault(what: string): RouxError {
  return new RouxError('FORBIDDEN', `${what} needs a token for the whole vault; this one is for some of its folders.`);
}

/** Returns an operation that needs a token for the whole vault. */
export function refused(what: string): () => Promise<never> {
  return async () => {
    throw needsWholeVault(what);
  };
}
