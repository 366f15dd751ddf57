import { RouxError } from '../../../errors.ts';
import { foldKey } from '../../../note/path.ts';
import { shortHash } from '../../records/history-event.ts';
import type { EventDraft, HistoryEvent } from '../../records/history-event.ts';
import type { Part } from '../../transaction/parts.ts';
import type { CommitHead, SharedChange, SharedCommit, SharedVault } from '../shared-vault.ts';

/** Contents that are larger or more numerous are not fetched ahead, but one by one when they are needed. */
const LARGE_BYTES = 256 * 1024;
const MAX_FETCHED = 64;

/** Groups consecutive commits that change different files. */
export function groupIndependentCommits(commits: readonly SharedCommit[]): readonly (readonly SharedCommit[])[] {
  const groups: SharedCommit[][] = [];
  let names = new Set<string>();
  for (const commit of commits) {
    const own = [...namesOf(commit)].map(foldKey);
    const group = groups.at(-1);
    if (group === undefined || own.some((name) => names.has(name))) {
      groups.push([commit]);
      names = new Set(own);
    } else {
      group.push(commit);
      for (const name of own) names.add(name);
    }
  }
  return groups;
}

function namesOf({ changes }: Pick<SharedCommit, 'changes'>): ReadonlySet<string> {
  return new Set(changes.flatMap(({ path, oldPath }) => (oldPath === null ? [path] : [path, oldPath])));
}

/** Describes a commit that is applied together with others. */
export function toPart(commit: SharedCommit): Part {
  const names = namesOf(commit);
  const { batch, at, operation, agent } = commit;
  return { id: batch, at, operation, agent, has: (path) => names.has(path) };
}

/** Returns the events of a commit for the history of this machine. */
export function eventsOfCommit(commit: CommitHead): readonly Omit<HistoryEvent, 'seq'>[] {
  return commit.changes.flatMap((change) =>
    eventsOf(change).map((draft) => ({
      timestamp: commit.at,
      ...draft,
      agent: commit.agent,
      batch: commit.batch,
      ...(change.hash === null ? {} : { hash: shortHash(change.hash) }),
    })),
  );
}

/** Fetches the contents of changes that the folder may not have, in one query. Contents that the store no longer has are omitted. */
export async function fetchContents(
  shared: Pick<SharedVault, 'blobs'>,
  changes: readonly SharedChange[],
  base: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  for (const { hash, content } of changes) if (hash !== null && content !== undefined) contents.set(hash, content);
  const wanted = changes.flatMap(({ path, oldPath, hash, size }) =>
    hash === null || size > LARGE_BYTES || contents.has(hash) || base.get(oldPath ?? path) === hash ? [] : [hash],
  );
  if (wanted.length > 0 && wanted.length <= MAX_FETCHED)
    for await (const { hash, bytes } of shared.blobs.getAll(wanted, { maxBytes: LARGE_BYTES }))
      contents.set(hash, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  return contents;
}

/** Fetches the content of a file that the store lists. */
export async function fetchContent(shared: Pick<SharedVault, 'blobs'>, hash: string): Promise<Buffer> {
  const bytes = await shared.blobs.get(hash);
  if (bytes !== null) return bytes;
  throw new RouxError(
    'STORE_UNAVAILABLE',
    'The store does not have the content of a file that it lists; "roux doctor" compares both.',
    { hash },
    { retryable: true },
  );
}

/** Returns the valid events of a change. */
export function eventsOf({ event }: SharedChange): readonly EventDraft[] {
  return Array.isArray(event) ? event.filter(isEventDraft) : [];
}

function isEventDraft(value: unknown): value is EventDraft {
  if (typeof value !== 'object' || value === null) return false;
  const { node, path, action, changes } = value as Readonly<Record<string, unknown>>;
  return typeof node === 'string' && typeof path === 'string' && typeof action === 'string' && Array.isArray(changes);
}
