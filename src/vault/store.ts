import type { FileSystem } from '../disk/file-system.ts';
import { RouxError } from '../errors.ts';
import { isIgnoredName, toNotePath } from '../note/path.ts';
import { hashOf } from './content.ts';
import { openLogbook } from './logbook.ts';
import { findPlace } from './place.ts';
import type { FileChange, HistoryAction } from './plan.ts';
import type { Writer } from './writer.ts';

/** sha-256 of a file's bytes, hex: the revision of this store. */
export type Hash = string;

/** One file of a store. */
export interface StoredFile {
  readonly rev: Hash;
  readonly bytes: Uint8Array;
  /** The last sequence number when it was read. */
  readonly seq: number;
}

/** One change of a commit: new bytes, a removal or another name, against what the caller saw. */
export interface StoreChange {
  readonly path: string;
  /** A revision, or `absent`, or `any`. */
  readonly expect: string;
  readonly bytes?: Uint8Array;
  readonly remove?: true;
  readonly renameTo?: string;
}

/** One entry of the change feed. */
export interface StoreEvent {
  readonly seq: number;
  readonly path: string;
  /** First digits of the file's hash; null when it is gone. */
  readonly rev: string | null;
  readonly op: HistoryAction;
  readonly oldPath?: string;
}

/**
 * Where the bytes of a vault live: a folder now, a database for several machines later. One contract suite holds for all.
 * Commits are all or nothing and durable; the feed of changes has no gaps and can be taken up again from any number.
 */
export interface VaultStore {
  read(path: string): Promise<StoredFile | null>;
  list(prefix?: string): AsyncIterable<{ readonly path: string; readonly rev: Hash }>;
  commit(
    changes: readonly StoreChange[],
    meta: { readonly agent: string; readonly requestId: string; readonly idempotencyKey?: string },
  ): Promise<{ readonly seq: number; readonly revs: Readonly<Record<string, Hash | null>> }>;
  changes(since: number, signal: AbortSignal): AsyncIterable<StoreEvent>;
  readonly capabilities: { readonly isShared: boolean; readonly hasLeases: boolean };
}

const FEED_PAUSE_MS = 50;

/** The store that is a folder of files, on the one write path. */
export function openFolderStore(options: { root: string; files: FileSystem; writer: Pick<Writer, 'write'> }): VaultStore {
  const { root, files, writer } = options;
  const events = () => openLogbook(files, `${root}/.roux`).events;

  async function lastSeq(): Promise<number> {
    const history = events();
    await history.look();
    return history.lastSeq;
  }

  async function* walk(folder: string): AsyncGenerator<string> {
    for (const name of (await files.list(folder === '' ? root : `${root}/${folder}`)) ?? []) {
      if (isIgnoredName(name)) continue;
      const path = folder === '' ? name : `${folder}/${name}`;
      const kind = (await files.stat(`${root}/${path}`))?.kind;
      if (kind === 'folder') yield* walk(path);
      else if (kind === 'file') yield path;
    }
  }

  async function read(path: string): Promise<StoredFile | null> {
    const seq = await lastSeq();
    const place = await findPlace(files, root, path);
    const bytes = place === null ? null : await files.read(`${root}/${place.path}`);
    return bytes === null ? null : { rev: hashOf(bytes), bytes, seq };
  }

  /** The change as the write path knows it; null when there is nothing to remove. */
  async function toFileChange(change: StoreChange): Promise<FileChange | null> {
    const { path, expect, bytes, renameTo } = change;
    const current = await read(path);
    if (expect === 'absent' ? current !== null : expect !== 'any' && current?.rev !== expect) {
      throw new RouxError('CONFLICT', `${path} is not in the expected state.`, { path, etag: current?.rev ?? null });
    }
    if (change.remove === true) return current === null ? null : { kind: 'remove', path, to: 'trash', expect: { etag: current.rev } };
    if (current === null) {
      if (bytes === undefined) throw new RouxError('NODE_NOT_FOUND', `${path} is not in the vault.`, { path });
      return { kind: 'create-bytes', path: renameTo ?? path, base64: Buffer.from(bytes).toString('base64') };
    }
    const text = bytes === undefined ? null : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const notePath = toNotePath(path);
    const changes = text === null ? [] : [{ op: 'text', text } as const];
    if (renameTo !== undefined) return { kind: 'move', from: path, to: renameTo, changes, expect: { etag: current.rev } };
    if (notePath !== null) return { kind: 'change', path: notePath, changes, expect: { etag: current.rev } };
    const end = Buffer.from(current.bytes).toString('utf8').length;
    return { kind: 'splice', path, hash: current.rev, splices: text === null ? [] : [{ start: 0, end, text }] };
  }

  return {
    capabilities: { isShared: false, hasLeases: false },
    read,
    async *list(prefix = '') {
      for await (const path of walk('')) {
        if (!path.startsWith(prefix)) continue;
        const bytes = await files.read(`${root}/${path}`);
        if (bytes !== null) yield { path, rev: hashOf(bytes) };
      }
    },
    async commit(changes, meta) {
      const done = await writer.write(
        {
          operation: `store ${meta.requestId}`,
          agent: meta.agent,
          ...(meta.idempotencyKey === undefined ? {} : { idempotencyKey: meta.idempotencyKey, payloadHash: hashOfChanges(changes) }),
        },
        async () => {
          const wanted = await Promise.all(changes.map(toFileChange));
          return { files: wanted.filter((change) => change !== null) };
        },
      );
      const seq = done.events.at(-1)?.seq ?? (await lastSeq());
      return { seq, revs: Object.fromEntries(done.files.map((file) => [file.path, file.hash])) };
    },
    async *changes(since, signal) {
      let seen = since;
      while (!signal.aborted) {
        const history = events();
        // A segment whose lines are all known is read once more at most: the last one.
        for (const segment of (await history.segments()).slice(seen === since ? 0 : -2)) {
          for (const event of await history.read(segment)) {
            if (event.seq <= seen) continue;
            seen = event.seq;
            const moved = event.changes.find((change) => change.field === 'path' && typeof change.before === 'string');
            const oldPath = typeof moved?.before === 'string' ? { oldPath: moved.before } : {};
            yield { seq: event.seq, path: event.path, rev: event.hash ?? null, op: event.action, ...oldPath };
          }
        }
        if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, FEED_PAUSE_MS));
      }
    },
  };
}

function hashOfChanges(changes: readonly StoreChange[]): Hash {
  return hashOf(JSON.stringify(changes.map(({ bytes, ...rest }) => ({ ...rest, bytes: bytes === undefined ? null : hashOf(bytes) }))));
}
