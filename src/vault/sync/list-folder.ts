import { errorMessage } from '../../errors.ts';
import { isDisguised, isIgnoredName, isNotePath, isTooFar, isVaultPath, joinPath } from '../../note/path.ts';
import type { FileReader, FileState } from '../../store/folder/file-system.ts';

/** What a folder holds, by what roux does with it; names only. */
export interface FolderListing {
  readonly kind: 'folder';
  readonly identity: string;
  readonly notes: readonly string[];
  readonly attachments: readonly string[];
  readonly folders: readonly string[];
  readonly links: readonly string[];
  /** Names that would be notes but cannot be served, with the reason. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

/** A folder that is not there is `gone`; one that cannot be listed is `unreadable`, which says nothing of what it holds. */
export type FolderLook = FolderListing | { readonly kind: 'gone' } | { readonly kind: 'unreadable'; readonly reason: string };

/** Device, inode and birth of a folder: another one under the same name is told by them. */
export function identityOf({ dev, ino, birthNs }: FileState): string {
  return `${dev}:${ino}:${birthNs}`;
}

/** The device in the identity of a folder: each file system that is mounted in a vault has its own. */
export function deviceOf(identity: string): string {
  return identity.slice(0, identity.indexOf(':'));
}

/** List one folder and sort its names by what they are. */
export function listFolder(files: FileReader, folder: string): FolderLook {
  try {
    const state = files.stat(folder);
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
        if (isNotePath(name)) skipped.push({ name, reason: 'is a folder, not a note' });
      } else if (kind === 'link') links.push(name);
      else if (kind === 'file') (isNotePath(name) ? notes : attachments).push(name);
      else if (isNotePath(name)) skipped.push({ name, reason: 'is a pipe, socket or device, not a file' });
    }
    return { kind: 'folder', identity: identityOf(state), notes, attachments, folders, links, skipped };
  } catch (error) {
    return { kind: 'unreadable', reason: errorMessage(error) };
  }
}

/** Where a symbolic link of the vault leads. Folders are not followed: inside the vault they are known by their own name. */
export type LinkedFile = { readonly kind: 'file'; readonly path: string } | { readonly kind: 'skipped'; readonly reason: string };

const WHERE_LINKS_LEAD = {
  nothing: 'is a symbolic link to nothing',
  loop: 'is a symbolic link that leads to itself',
  outside: 'is a symbolic link out of the vault',
} as const;

/** Follow one symbolic link, never out of the vault and never into what roux does not read. */
export function followLink(files: FileReader, path: string): LinkedFile {
  const skip = (reason: string): LinkedFile => ({ kind: 'skipped', reason });
  try {
    const target = files.realPath(path);
    if (target.kind !== 'inside') return skip(WHERE_LINKS_LEAD[target.kind]);
    if (target.path === '') return skip('is a symbolic link to a folder of this vault');
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
