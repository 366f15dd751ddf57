import { errorMessage } from '../../errors.ts';
import { hasNoteName, isDisguised, isIgnoredName, isNotePath, isTooFar, isVaultPath, joinPath } from '../../note/path.ts';
import { isRacy } from '../../store/folder/file-system.ts';
import type { FileReader, FileState } from '../../store/folder/file-system.ts';

/** The names in a folder, by kind. */
export interface FolderListing {
  readonly kind: 'folder';
  readonly identity: string;
  /** The time at which its names last changed; 0 if that is too recent to tell of the next change. */
  readonly changedNs: bigint;
  readonly notes: readonly string[];
  readonly attachments: readonly string[];
  readonly folders: readonly string[];
  readonly links: readonly string[];
  /** Names of notes that cannot be served, with the reason. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

/** `gone` if the folder is missing, `unreadable` if its content is unknown. */
export type FolderLook = FolderListing | { readonly kind: 'gone' } | { readonly kind: 'unreadable'; readonly reason: string };

/** Returns device, inode and birth time, which distinguish a folder from another of the same name. */
export function identityOf({ dev, ino, birthNs }: FileState): string {
  return `${dev}:${ino}:${birthNs}`;
}

/** Returns the device of a folder's identity; mounted file systems differ. */
export function deviceOf(identity: string): string {
  return identity.slice(0, identity.indexOf(':'));
}

/** Lists a folder and classifies its names. */
export function listFolder(files: FileReader, folder: string): FolderLook {
  try {
    const state = files.stat(folder);
    const changedNs = state === null || isRacy(files.now() - Number(state.ctimeNs / 1_000_000n), state.ctimeNs) ? 0n : state.ctimeNs;
    const entries = state?.kind === 'folder' ? files.list(folder) : null;
    if (state === null || entries === null) return { kind: 'gone' };
    const notes: string[] = [];
    const attachments: string[] = [];
    const folders: string[] = [];
    const links: string[] = [];
    const skipped: { name: string; reason: string }[] = [];
    for (const { name, kind } of entries) {
      if (isIgnoredName(name)) continue;
      if (isTooFar(joinPath(folder, name))) skipped.push({ name, reason: 'lies deeper, or under a longer path, than roux goes' });
      else if (!isVaultPath(name) || name.includes('\uFFFD')) {
        if (kind === 'folder' || /\.md$/i.test(name))
          skipped.push({
            name,
            reason: isDisguised(name)
              ? 'has a name that some file systems read as that of a hidden folder or of another file'
              : 'has a name that is not UTF-8 or holds control characters or a backslash',
          });
      } else if (kind === 'folder') {
        folders.push(name);
        if (hasNoteName(name)) skipped.push({ name, reason: 'is a folder, not a note' });
      } else if (kind === 'link') links.push(name);
      else if (kind === 'file') (hasNoteName(name) ? notes : attachments).push(name);
      else if (hasNoteName(name)) skipped.push({ name, reason: 'is a pipe, socket or device, not a file' });
    }
    return { kind: 'folder', identity: identityOf(state), changedNs, notes, attachments, folders, links, skipped };
  } catch (error) {
    return { kind: 'unreadable', reason: errorMessage(error) };
  }
}

/** The target of a symbolic link. Folders are not followed: inside the vault they are known by their own path. */
export type LinkedFile = { readonly kind: 'file'; readonly path: string } | { readonly kind: 'skipped'; readonly reason: string };

const WHERE_LINKS_LEAD = {
  nothing: 'is a symbolic link to nothing',
  loop: 'is a symbolic link that leads to itself',
  outside: 'is a symbolic link out of the vault',
} as const;

/** Follows a symbolic link, but not out of the vault or into folders that roux does not read. */
export function followLink(files: FileReader, path: string): LinkedFile {
  const skip = (reason: string): LinkedFile => ({ kind: 'skipped', reason });
  try {
    const target = files.realPath(path);
    if (target.kind !== 'inside') return skip(WHERE_LINKS_LEAD[target.kind]);
    if (target.path.split('/').some((segment) => isIgnoredName(segment)))
      return skip('is a symbolic link to a name that roux does not read');
    const kind = files.stat(target.path)?.kind;
    if (kind === 'folder') return skip('is a symbolic link to a folder of this vault');
    if (kind !== 'file') return skip('is a symbolic link to something that is no file');
    if (isNotePath(path) !== isNotePath(target.path)) return skip('is a symbolic link between a note and another file');
    return { kind: 'file', path: target.path };
  } catch (error) {
    return skip(`is a symbolic link that cannot be followed (${errorMessage(error)})`);
  }
}
