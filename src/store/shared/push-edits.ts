import { RouxError } from '../../errors.ts';
import { foldKey } from '../../note/path.ts';
import { isoNow } from '../../ports.ts';
import type { Ports } from '../../ports.ts';
import type { Edit } from '../pair-moves.ts';
import type { Planned } from '../transaction/transact.ts';
import type { NotesInFiles } from './local/notes-in-files.ts';
import { editsToChanges } from './local/outgoing.ts';
import type { CommitHead, NewCommit, SharedChange, LockedVault } from './shared-vault.ts';
import type { SyncSession } from './sync-session.ts';

/** Who commits to the store. */
export interface Committer {
  readonly ports: Ports;
  /** The name of this machine. */
  readonly machine: string;
  readonly notes: NotesInFiles | undefined;
  /** False while files may be missing because their disk is. */
  readonly mayPush: () => boolean;
  /** Reports a message to the user, once. */
  readonly reportOnce: (message: string) => void;
}

/** A push of more edits is a checkout or a sync; its events name only the files. */
const MAX_DESCRIBED_EDITS = 64;

/** Commits the local changes of a working copy, under the lock of the vault. Returns the commits. */
export async function pushEdits(session: SyncSession, locked: LockedVault, committer: Committer): Promise<readonly CommitHead[]> {
  if (!committer.mayPush() || !session.copy.local.isDirty) return [];
  const reportLocalOnly = (path: string): void =>
    committer.reportOnce(
      `${path} stays on this machine: another file of the vault differs only by case or Unicode form, or other systems do not allow the name. Rename it.`,
    );
  let edits = withoutCaseCollisions(await session.findEdits(), reportLocalOnly);
  while (edits.length > 0) {
    try {
      return [await commitEdits(session, locked, { edits, committer })];
    } catch (error) {
      const isName = error instanceof RouxError && ['NODE_EXISTS', 'INVALID_ENCODING'].includes(error.code);
      const refused = isName ? error.details?.['path'] : undefined;
      if (typeof refused !== 'string' || !edits.some(({ path }) => path === refused)) throw error;
      // The other edits do not wait for it.
      reportLocalOnly(refused);
      edits = edits.filter(({ path }) => path !== refused);
    }
  }
  return [];
}

/** Commits what users saved after the local changes were found and before the plan was made on it. `pushed`: the commits that are appended already. */
export async function pushLateEdits(
  session: SyncSession,
  locked: LockedVault,
  { planned, pushed, committer }: { readonly planned: Planned; readonly pushed: readonly CommitHead[]; readonly committer: Committer },
): Promise<readonly CommitHead[]> {
  const hashes = new Map(
    pushed
      .flatMap(({ changes }) => changes)
      .flatMap(({ path, oldPath, hash }) => [...(oldPath === null ? [] : [[oldPath, null] as const]), [path, hash] as const]),
  );
  const { base } = session.copy.local;
  const edits = planned.prepared.changes.flatMap((change): readonly Edit[] => {
    if (change.kind === 'create') return [];
    const { path, hash } = change.of;
    const before = hashes.has(path) ? (hashes.get(path) ?? null) : (base.get(path) ?? null);
    return hash === before ? [] : [{ path, former: before === null ? null : path, before, file: change.of }];
  });
  return edits.length === 0 ? [] : [await commitEdits(session, locked, { edits, committer })];
}

async function commitEdits(
  session: SyncSession,
  locked: LockedVault,
  { edits, committer }: { readonly edits: readonly Edit[]; readonly committer: Committer },
): Promise<NewCommit> {
  const { ports, machine, notes } = committer;
  const { changes, blobs } = editsToChanges(edits);
  const commit: NewCommit = {
    batch: ports.newId(),
    at: isoNow(ports.clock),
    operation: 'edit',
    agent: 'external',
    machine,
    changes: notes === undefined || edits.length > MAX_DESCRIBED_EDITS ? changes : await describeEdits(session, { edits, changes, notes }),
    blobs,
  };
  await session.willPush(commit.batch);
  await locked.append(commit);
  return commit;
}

/** Adds to the changes of edits what changed in the notes. */
async function describeEdits(
  session: SyncSession,
  { edits, changes, notes }: { readonly edits: readonly Edit[]; readonly changes: readonly SharedChange[]; readonly notes: NotesInFiles },
): Promise<readonly SharedChange[]> {
  const contents = await session.fetchContentsBefore(edits);
  return edits.map(({ path, former, before: hash, file }, index) => {
    const bytes = hash === null ? undefined : contents.get(hash);
    const before = hash === null || bytes === undefined ? null : { hash, bytes };
    return { ...changes[index]!, event: notes.describe({ path, former, before, after: file }) };
  });
}

/** Of new files whose names differ only in case or Unicode form, returns the first. */
function withoutCaseCollisions(edits: readonly Edit[], onCollision: (path: string) => void): readonly Edit[] {
  const names = new Set<string>();
  return edits.filter(({ path, file }) => {
    if (file === null || !names.has(foldKey(path))) {
      if (file !== null) names.add(foldKey(path));
      return true;
    }
    onCollision(path);
    return false;
  });
}
