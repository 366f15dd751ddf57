import { isNotePath, toNotePath } from '../../note/path.ts';
import { hashOf, isTooLarge } from '../../store/folder/hash.ts';
import type { FolderStore } from '../../store/folder-store.ts';
import type { LeftChange } from '../../store/transaction/set-aside.ts';
import type { FileChange, FileLook } from './plan.ts';

/** Returns the creation of a file with these bytes: as text if it is a note in valid UTF-8, else as bytes. */
export function creationOf(path: string, { bytes, like }: { bytes: Buffer; like?: FileLook }): FileChange {
  if (isTooLarge({ size: bytes.length })) return { kind: 'bring-back', path, bytes, ...(like === undefined ? {} : { like }) };
  const text = bytes.toString('utf8');
  const look = like === undefined ? {} : { like };
  return isNotePath(path) && Buffer.from(text).equals(bytes)
    ? { kind: 'create', path, text, ...look }
    : { kind: 'create-bytes', path, base64: bytes.toString('base64'), ...look };
}

/** Returns a splice that replaces the whole text of a file that is not a note. */
export function wholeSplice(path: string, before: Buffer, after: Buffer): FileChange {
  const end = before.toString('utf8').length;
  return { kind: 'splice', path, hash: hashOf(before), splices: [{ start: 0, end, text: after.toString('utf8') }] };
}

/** Returns the remaining change of an unfinished write as a change of a plan. */
export async function changeFor(left: LeftChange, store: Pick<FolderStore, 'read'>): Promise<FileChange> {
  switch (left.kind) {
    case 'create':
      return creationOf(left.path, left);
    case 'replace': {
      const path = toNotePath(left.path);
      if (path === null)
        return wholeSplice(left.path, (await store.read(left.path, { large: 'refuse' }))?.bytes ?? Buffer.alloc(0), left.bytes);
      return { kind: 'change', path, changes: [{ op: 'text', text: left.bytes.toString('utf8') }], expect: { etag: left.before } };
    }
    case 'move': {
      const changes = left.bytes === null ? [] : [{ op: 'text' as const, text: left.bytes.toString('utf8') }];
      return { kind: 'move', from: left.from, to: left.to, changes, expect: { etag: left.before } };
    }
    case 'remove':
      return { kind: 'remove', path: left.path, to: 'trash', expect: { etag: left.before } };
  }
}
