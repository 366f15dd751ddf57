import { RouxError } from '../../../errors.ts';
import { foldKey } from '../../../note/path.ts';
import { shortHash } from '../../records/history-event.ts';
import type { HistoryEvent } from '../../records/history-event.ts';
import type { Part } from '../../transaction/parts.ts';
import { eventsOf } from './merge-incoming.ts';
import type { CommitHead, SharedChange, SharedCommit, SharedVault } from '../shared-vault.ts';

/** What is larger is asked for when it is needed; of many files each is. */
const LARGE_BYTES = 256 * 1024;
const MAX_AT_ONCE = 64;

/** Commits in their order, those that are about different files together. */
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

/** A commit that is put in place with others. */
export function toPart(commit: SharedCommit): Part {
  const names = namesOf(commit);
  const { batch, at, operation, agent } = commit;
  return { id: batch, at, operation, agent, has: (path) => names.has(path) };
}

/** The events of a commit as this machine's history has them. */
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

/** The contents that changes bring and the folder may not have, in one question; those that are not kept are left out. */
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
  if (wanted.length > 0 && wanted.length <= MAX_AT_ONCE)
    for await (const { hash, bytes } of shared.blobs(wanted, { maxBytes: LARGE_BYTES }))
      contents.set(hash, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  return contents;
}

/** The content of a file that the store lists. */
export async function fetchContent(shared: Pick<SharedVault, 'blob'>, hash: string): Promise<Buffer> {
  const bytes = await shared.blob(hash);
  if (bytes !== null) return bytes;
  throw new RouxError(
    'STORE_UNAVAILABLE',
    'The store does not have the content of a file that it lists; "roux doctor" compares both.',
    { hash },
    { retryable: true },
  );
}
