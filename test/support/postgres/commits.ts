import { createHash } from 'node:crypto';
import type { NewCommit, SharedChange, SharedVault } from '../../../src/store/shared/shared-vault.ts';
import { testPorts } from '../test-ports.ts';

const ports = testPorts();

/** A commit of changes, with the contents that it needs. */
export function commitOf(changes: readonly Change[], rest: Partial<NewCommit> = {}): NewCommit {
  return {
    batch: ports.newId(),
    agent: 'tester',
    machine: 'a',
    operation: 'update_node',
    at: '2026-01-05T12:00:00.000Z',
    changes: changes.map(({ op, path, oldPath, before, hash, size, event }) => ({ op, path, oldPath, before, hash, size, event })),
    blobs: new Map(changes.flatMap(({ text, hash }) => (text === null || hash === null ? [] : [[hash, Buffer.from(text)]]))),
    ...rest,
  };
}

/** A change with the new text of its file. */
export type Change = SharedChange & { readonly text: string | Uint8Array | null };

/** A change by what it does: the texts before and after, null where there is no file. */
export function change(path: string, before: string | null, text: string | Uint8Array | null, oldPath: string | null = null): Change {
  const op = oldPath !== null ? 'rename' : before === null ? 'create' : text === null ? 'delete' : 'update';
  return {
    op,
    path,
    oldPath,
    before: before === null ? null : sha(before),
    hash: text === null ? null : sha(text),
    size: text === null ? 0 : Buffer.byteLength(text),
    event: { op, path },
    text,
  };
}

/** Writes in a turn of its own, and gives the commit's number. */
export function write(vault: SharedVault, changes: readonly Change[], rest: Partial<NewCommit> = {}): Promise<number> {
  return vault.commitUnderLock((turn) => turn.append(commitOf(changes, rest)));
}

export function sha(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The hash by path of every file. */
export async function filesOf(vault: SharedVault): Promise<Readonly<Record<string, string>>> {
  const { files } = await vault.feed.listing();
  return Object.fromEntries(files.map(({ path, hash }): [string, string] => [path, hash]).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What the whole feed comes to, applied from the start. */
export async function replay(vault: SharedVault): Promise<Readonly<Record<string, string>>> {
  const files = new Map<string, string>();
  for (let seq = 0; ;) {
    const commits = await vault.feed.commitsAfter(seq);
    if (commits === null) throw new Error('The feed does not begin at the start.');
    for (const { changes } of commits) {
      for (const { op, path, oldPath } of changes) if (op !== 'create') files.delete(oldPath ?? path);
      for (const { path, hash } of changes) if (hash !== null) files.set(path, hash);
    }
    if (commits.length === 0) break;
    seq = commits.at(-1)?.seq ?? seq;
  }
  return Object.fromEntries([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}
