import { isNotePath } from '../../note/path.ts';
import { hashOf } from '../../store/folder/hash.ts';
import type { FileChange, FileLook } from './plan.ts';

/** The creation of a file with these bytes: of a note where they are its text, else as the bytes that they are. */
export function creationOf(path: string, { bytes, like }: { bytes: Buffer; like?: FileLook }): FileChange {
  const text = bytes.toString('utf8');
  const look = like === undefined ? {} : { like };
  return isNotePath(path) && Buffer.from(text).equals(bytes)
    ? { kind: 'create', path, text, ...look }
    : { kind: 'create-bytes', path, base64: bytes.toString('base64'), ...look };
}

/** All of a file that is no note replaced by other bytes, both of them texts. */
export function wholeSplice(path: string, before: Buffer, after: Buffer): FileChange {
  const end = before.toString('utf8').length;
  return { kind: 'splice', path, hash: hashOf(before), splices: [{ start: 0, end, text: after.toString('utf8') }] };
}
