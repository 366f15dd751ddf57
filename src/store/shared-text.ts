import { randomUUID } from 'node:crypto';
import { systemCode } from '../errors.ts';
import { PRIVATE_FILE } from './folder/file-system.ts';
import type { FileKind, FileSystem } from './folder/file-system.ts';
import { openNodeFileSystem } from './folder/node-file-system.ts';

/** A text that several processes replace, each only the version that it has seen. */
export interface SharedText {
  /** Returns the newest version; version 0 has the text `''`. It is read again only if it changed. Throws if no process can have written it. */
  read(): { readonly version: number; readonly text: string };
  /** Replaces a version. Returns false if another process was faster, and changes nothing then. */
  replace(version: number, text: string): boolean;
}

const MAX_BYTES = 8 * 1024 * 1024;
/** A version that vanishes while it is read has been replaced. */
const MAX_READS = 100;
/** More than processes ever write. */
const MAX_VERSION = 1_000_000_000;
/** Age of a file that a process began and did not finish. */
const MIN_LEFTOVER_MS = 60_000;

/**
 * Opens a text in a folder of roux's own below `root`, without following links. Each version is a file `<name>.<version>`, which is whole from
 * the moment on that it exists, and of which one process makes the next one: nothing needs a lock, and a crash leaves nothing half done.
 */
export function openSharedText(root: string, { folder, name }: { readonly folder: string; readonly name: string }): SharedText {
  const files = openNodeFileSystem(root);
  let known = { version: 0, text: '' };
  const path = (version: number | string): string => `${folder}/${name}.${version}`;
  return {
    read() {
      for (let left = MAX_READS; ; left -= 1) {
        const { version, kind } = versionsIn(files, folder, name).at(-1) ?? { version: 0, kind: 'file' };
        // The next version could never be made: whoever tries would try for ever.
        if (kind !== 'file' || version > MAX_VERSION) throw new Error(`${path(version)} is not written by roux`);
        if (version === known.version) return known;
        const found = version === 0 ? null : files.read(path(version), { maxBytes: MAX_BYTES });
        if (version === 0 || found !== null) return (known = { version, text: found?.bytes.toString('utf8') ?? '' });
        if (left === 0) throw new Error(`${name} cannot be read.`);
      }
    },
    replace(version, text) {
      makeFolder(files, folder);
      const begun = path(`new-${randomUUID()}`);
      const file = files.create(begun, PRIVATE_FILE);
      try {
        file.write(Buffer.from(text));
      } finally {
        file.close();
      }
      try {
        files.link(begun, path(version + 1));
      } catch (error) {
        if (systemCode(error) === 'EEXIST') return false;
        throw error;
      } finally {
        files.remove(begun);
      }
      const versions = versionsIn(files, folder, name).map((each) => each.version);
      const isNewest = versions.at(-1) === version + 1;
      // A process that was stopped for long makes a version that has been replaced and removed before.
      for (const each of isNewest ? versions.slice(0, -1) : [version + 1]) removeIfThere(files, path(each));
      removeLeftovers(files, folder, name);
      return isNewest;
    },
  };
}

/** Makes a folder, unless there is one. */
function makeFolder(files: FileSystem, folder: string): void {
  try {
    files.makeFolder(folder, true);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

/** Returns the versions in ascending order. */
function versionsIn(files: FileSystem, folder: string, name: string): readonly { readonly version: number; readonly kind: FileKind }[] {
  const listed = files.list(folder);
  if (listed === null && (files.stat(folder)?.kind ?? 'folder') !== 'folder') throw new Error(`${folder} is no folder`);
  return (listed ?? [])
    .filter((entry) => entry.name.startsWith(`${name}.`) && /^\d{1,15}$/.test(entry.name.slice(name.length + 1)))
    .map((entry) => ({ version: Number(entry.name.slice(name.length + 1)), kind: entry.kind }))
    .sort((a, b) => a.version - b.version);
}

function removeLeftovers(files: FileSystem, folder: string, name: string): void {
  for (const entry of files.list(folder) ?? []) {
    if (!entry.name.startsWith(`${name}.new-`)) continue;
    const state = files.stat(`${folder}/${entry.name}`);
    if (state !== null && files.now() - Number(state.mtimeNs / 1_000_000n) > MIN_LEFTOVER_MS)
      removeIfThere(files, `${folder}/${entry.name}`);
  }
}

function removeIfThere(files: FileSystem, path: string): void {
  try {
    files.remove(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}
