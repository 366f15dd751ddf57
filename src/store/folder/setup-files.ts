import { errorMessage, systemCode } from '../../errors.ts';
import { folderOf } from '../../note/path.ts';
import type { Ports, SeenFile, SetupFiles } from '../../ports.ts';
import type { FileState, FileSystem } from './file-system.ts';
import { openNodeFileSystem } from './node-file-system.ts';
import { findRoot } from './root.ts';
import { makeFolders, removeIfThere, writeNewFile } from './write-file.ts';

/** Far more than files that people write by hand. */
const MAX_SETUP_FILE_BYTES = 1024 * 1024;

export function openSetupFiles(folder: string, ports: Pick<Ports, 'newId'>): SetupFiles {
  const files = openNodeFileSystem(findRoot(folder));
  return {
    look(path) {
      try {
        return lookAt(files, path);
      } catch (error) {
        return barred(`${path} cannot be read: ${reasonOf(error)}`);
      }
    },
    async write(path, { bytes, seen }) {
      // Held, so that a draft is removed from where it was created.
      const held = files.hold();
      try {
        if (seen.kind === 'nothing') {
          makeFolders(held, folderOf(path));
          await writeNewFile(held, { path, bytes, like: null, isSynced: true });
        } else {
          await replace(held, path, { bytes, seen, draft: draftOf(path, ports.newId()) });
        }
        await held.syncFolder(folderOf(path));
        return null;
      } catch (error) {
        return error instanceof NotWritten ? error.message : `${path} cannot be written: ${reasonOf(error)}`;
      } finally {
        held.release();
      }
    },
  };
}

function lookAt(files: FileSystem, path: string): SeenFile {
  const folders = path.split('/').slice(0, -1);
  for (let depth = 1; depth <= folders.length; depth++) {
    const folder = folders.slice(0, depth).join('/');
    const kind = files.stat(folder)?.kind;
    if (kind === undefined) return { kind: 'nothing' };
    if (kind !== 'folder') return barred(kind === 'link' ? isLink(folder) : `${folder} is no folder`);
  }
  const state = files.stat(path);
  if (state === null) return { kind: 'nothing' };
  if (state.kind === 'folder') return { kind: 'folder' };
  if (state.kind === 'link') return barred(isLink(path));
  if (state.kind === 'other') return barred(`${path} is no regular file`);
  // Replacing one of several hard links would separate them.
  if (state.links > 1) return barred(`${path} has other names (hard links), and roux would part them`);
  if (state.size > MAX_SETUP_FILE_BYTES) return barred(`${path} is larger than roux takes`);
  const found = files.read(path);
  if (found === null) return barred(`${path} is no regular file`);
  return { kind: 'file', bytes: found.bytes, version: versionOf(found.state) };
}

/** The reason why a file was not written, as a clause. */
class NotWritten extends Error {}

async function replace(files: FileSystem, path: string, file: { bytes: Uint8Array; seen: SeenFile; draft: string }): Promise<void> {
  const { bytes, seen, draft } = file;
  const before = requireUnchanged(files, path, seen);
  // Permissions of the folder would allow replacing it.
  if ((before.mode & 0o222) === 0) throw new NotWritten(`${path} is read-only`);
  await writeNewFile(files, { path: draft, bytes, like: before, isSynced: true });
  try {
    requireUnchanged(files, path, seen);
    files.rename(draft, path);
  } catch (error) {
    removeIfThere(files, draft);
    throw error;
  }
}

function requireUnchanged(files: FileSystem, path: string, seen: SeenFile): FileState {
  const state = files.stat(path);
  if (seen.kind !== 'file' || state?.kind !== 'file' || versionOf(state) !== seen.version) {
    throw new NotWritten(`${path} was changed by another program at the same moment`);
  }
  return state;
}

function draftOf(path: string, id: string): string {
  const folder = folderOf(path);
  return `${folder}${folder === '' ? '' : '/'}.roux-${id}.tmp`;
}

function versionOf({ ino, size, mtimeNs, ctimeNs }: FileState): string {
  return [ino, size, mtimeNs, ctimeNs].join(' ');
}

function isLink(path: string): string {
  return `${path} is a symbolic link, and roux follows none here`;
}

function barred(reason: string): SeenFile {
  return { kind: 'barred', reason };
}

function reasonOf(error: unknown): string {
  switch (systemCode(error)) {
    case 'EACCES':
    case 'EPERM':
      return 'no permission';
    case 'EROFS':
      return 'the file system is read-only';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full';
    case 'EEXIST':
      return 'another program made it at the same moment';
    default:
      return errorMessage(error);
  }
}
