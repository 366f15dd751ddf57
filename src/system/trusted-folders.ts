import { readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { errorMessage, RouxError, systemCode } from '../errors.ts';
import type { TrustedFolder, TrustedFolders } from '../faces/host.ts';
import { isRecord } from '../is-record.ts';
import { folderKey } from './folder-key.ts';
import { ALLOW_OTHER_OWNER, findOtherOwner, isOwnerAllowed, realFolder } from './folder-owner.ts';
import { readPrivateFile, replacePrivateFile } from './private-file.ts';
import { userStateFolder } from './user-folders.ts';

const SUFFIX = '.json';
const trustFolder = (): string => join(userStateFolder(), 'trusted');
const nameOf = (path: string): string => `${folderKey(path)}${SUFFIX}`;

/** The folders that this user trusts, each as a private file in the user's state folder, so that nothing in a vault can add one. */
export const trustedFolders: TrustedFolders = {
  has(folder) {
    const path = realFolder(folder);
    return path !== null && readTrusted(nameOf(path))?.path === path;
  },
  add(folder) {
    const path = realFolder(folder) ?? resolve(folder);
    if (this.has(path)) return false;
    const trusted: TrustedFolder = { path, since: new Date().toISOString() };
    try {
      replacePrivateFile(trustFolder(), nameOf(path), `${JSON.stringify(trusted)}\n`);
    } catch (error) {
      throw unusable(error);
    }
    return true;
  },
  addMade(folder) {
    return findOtherOwner(folder, process.env) === null && this.add(folder);
  },
  remove(folder) {
    const path = realFolder(folder) ?? resolve(folder);
    // Found by path, so that a folder that is missing or was replaced can be removed too.
    const names = listNames().filter((name) => readTrusted(name)?.path === path);
    try {
      for (const name of names) rmSync(join(trustFolder(), name), { force: true });
    } catch (error) {
      throw unusable(error);
    }
    return names.length > 0;
  },
  list: () =>
    listNames()
      .flatMap((name) => readTrusted(name) ?? [])
      .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
};

/**
 * Throws `OTHER_OWNER` for a vault of another user, as git does for repositories: its owner decides what is read and done there. A folder
 * that this user trusts or the environment allows is accepted.
 */
export function requireOwnFolder(folder: string, env: Readonly<Record<string, string | undefined>>): void {
  const root = realFolder(folder);
  const other = root === null ? null : findOtherOwner(root, env);
  if (root === null || other === null || isOwnerAllowed(root, env) || trustedFolders.has(root)) return;
  const { path, owner, self } = other;
  const message = `${path} belongs to another user (uid ${owner}, and you are ${self}), who decides what roux reads and does there. If you trust that user, "roux trust" with this folder says so for good; --allow-other-owner does for one command, and ${ALLOW_OTHER_OWNER}=1 in a container.`;
  throw new RouxError('OTHER_OWNER', message, { vault: root, owner });
}

function listNames(): readonly string[] {
  try {
    return readdirSync(trustFolder()).filter((name) => name.endsWith(SUFFIX));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw unusable(error);
  }
}

/** Reads the entry of a folder; null if it is damaged or could have been written by others. */
function readTrusted(name: string): TrustedFolder | null {
  try {
    const value: unknown = JSON.parse(readPrivateFile(join(trustFolder(), name)) ?? 'null');
    if (!isRecord(value) || typeof value['path'] !== 'string' || typeof value['since'] !== 'string') return null;
    return { path: value['path'], since: value['since'] };
  } catch {
    return null;
  }
}

function unusable(cause: unknown): RouxError {
  const message = `Which folders you trust cannot be remembered in ${trustFolder()}: ${errorMessage(cause)}.`;
  return new RouxError('IO_ERROR', message, undefined, { cause });
}
