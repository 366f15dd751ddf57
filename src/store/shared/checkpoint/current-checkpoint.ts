import { isSameState } from '../../folder/file-system.ts';
import type { FileState, FileSystem } from '../../folder/file-system.ts';
import type { SharedVault } from '../shared-vault.ts';
import { belongsToCopy, CHECKPOINT_PATH, readCheckpoint, writeCheckpoint } from './checkpoint.ts';
import type { Checkpoint } from './checkpoint.ts';
import { checkFollows } from './folder-identity.ts';

/** The checkpoint of a working copy, as this process knows it and as it is in the folder. */
export class CurrentCheckpoint {
  /** The last commit whose files are in the folder; null until the folder was compared with the store. */
  seq: number | null = null;
  /** The id of that commit; null if unknown. */
  batch: string | null = null;
  /** The state of the file after this process last read or wrote it. In any other state, another process wrote it. */
  #seen: FileState | null = null;
  readonly #files: FileSystem;
  readonly #copy: string;
  readonly #pending: () => Pick<Checkpoint, 'unplaced' | 'moved'>;

  /** `pending` returns what is saved beside the commit. */
  constructor(files: FileSystem, copy: string, pending: () => Pick<Checkpoint, 'unplaced' | 'moved'>) {
    this.#files = files;
    this.#copy = copy;
    this.#pending = pending;
  }

  /** Saves the checkpoint. `pushing`: the id of the commit that local changes are about to become. */
  async save({ id }: Pick<SharedVault, 'id'>, pushing: string | null = null): Promise<void> {
    const { seq, batch } = this;
    if (seq === null) return;
    // A file that was removed in the meantime is not created again.
    if (this.#seen !== null && this.#files.hint(CHECKPOINT_PATH) === null) checkFollows(null, id);
    await writeCheckpoint(this.#files, { vault: id, seq, batch, pushing, copy: this.#copy, ...this.#pending() });
    this.#seen = this.#files.hint(CHECKPOINT_PATH);
  }

  /** Moves to a commit whose files are in the folder. */
  async advance(shared: SharedVault, seq: number, batch: string | null): Promise<void> {
    [this.seq, this.batch] = [seq, batch];
    await this.save(shared);
    shared.followers.reportCheckpoint(seq);
  }

  /** Returns the checkpoint that another process of this machine saved since the last call; null if there is none. */
  async readOthers({ id }: Pick<SharedVault, 'id'>): Promise<Checkpoint | null> {
    const state = this.#files.hint(CHECKPOINT_PATH);
    if (this.seq === null || (state !== null && this.#seen !== null && isSameState(state, this.#seen))) return null;
    const found = readCheckpoint(this.#files);
    if (found !== null || state === null) checkFollows(found, id);
    this.#seen = state;
    if (found !== null && belongsToCopy(found, { vault: id, copy: this.#copy })) return found;
    // The checkpoint of another copy is wrong for these files.
    await this.save({ id });
    return null;
  }
}
