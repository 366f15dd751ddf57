import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readlinkSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { systemCode } from '../../errors.ts';

/** Access to folders below a root, never through a link. */
export interface Folders {
  /**
   * Calls `use` with a name of the folder for system calls. The folder behind it cannot be replaced meanwhile; where that can only be
   * detected afterwards, `undo` reverts the change and the call fails with `EXCHANGED`.
   */
  at<T>(folder: string, use: (name: string) => T, undo?: (name: string) => void): T;
  /** Calls `use` with a descriptor of the folder, which stays open until its promise resolves. */
  whileOpen(folder: string, use: (descriptor: number) => Promise<void>): Promise<void>;
  /** Forgets a folder, and those below it, whose name means another folder or none now. */
  forget(folder: string): void;
}

/** Folders that stay open from their first use. */
export interface HeldFolders extends Folders {
  /** Returns a folder that was replaced under its name, `except` these, or null. */
  findExchanged(except?: readonly string[]): string | null;
  release(): void;
}

/** A root folder, verified by identity. */
export interface Root {
  /** Permission bits of the folder, as of its last use. */
  readonly mode: number;
  hold(): HeldFolders;
  /** Accepts the folder that has the root's name now. */
  adopt(): void;
}

/**
 * `descriptors`: folders are opened and used by descriptor. `names`: for systems without names for descriptors; folders are compared before
 * and after each call.
 */
export type HoldMethod = 'descriptors' | 'names';

const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
/** Folders that a hold keeps open; further ones are opened again. */
const MAX_OPEN_FOLDERS = 256;

/** Opens the root at this absolute real path and remembers its identity. */
export function openRoot(root: string, how: HoldMethod = hasDescriptorNames() ? 'descriptors' : 'names'): Root {
  let known: BigIntStats = lstatSync(root, { bigint: true });
  const checkRoot = (found: BigIntStats): void => {
    if (!isSameFolder(found, known)) throw fault('ESTALE', 'another folder stands there now');
    known = found;
  };
  return {
    get mode() {
      return Number(known.mode);
    },
    hold: () => (how === 'descriptors' ? holdByDescriptor(root, checkRoot) : holdByName(root, checkRoot)),
    adopt() {
      known = lstatSync(root, { bigint: true });
    },
  };
}

function openRootFolder(root: string): number {
  try {
    return openSync(root, FOLDER);
  } catch (error) {
    const isGone = ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemCode(error) ?? '');
    throw isGone ? fault('ESTALE', 'nothing stands there now') : error;
  }
}

type Identity = Pick<BigIntStats, 'dev' | 'ino'>;

/** Returns whether descriptors have names, as on Linux, below which the folder's entries can be reached. */
function hasDescriptorNames(): boolean {
  return process.platform === 'linux' && existsSync('/proc/self/fd');
}

function holdByDescriptor(root: string, checkRoot: (found: BigIntStats) => void): HeldFolders {
  const open = new Map<string, number>();
  /** Every folder passed so far, with its identity if it is known: an open folder can be asked for it later. Parents come before children. */
  const passed = new Map<string, Identity | null>();
  /** Descriptors by the number of their users, and those to be closed after the last one. */
  const users = new Map<number, number>();
  const leaving = new Set<number>();
  let exchanged: string | null = null;

  function descriptorOf(folder: string): number {
    const held = open.get(folder);
    if (held !== undefined) return held;
    const descriptor = folder === '' ? openRootFolder(root) : openSync(nameIn(folder), FOLDER);
    try {
      const before = passed.get(folder) ?? null;
      const found = folder === '' || before !== null ? fstatSync(descriptor, { bigint: true }) : null;
      if (folder === '' && found !== null) checkRoot(found);
      if (before === null) passed.set(folder, found);
      else if (found !== null && !isSameFolder(before, found)) exchanged ??= folder;
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
    open.set(folder, descriptor);
    return descriptor;
  }

  /** Returns the name of a folder below the descriptor of its parent. */
  function nameIn(folder: string): string {
    const slash = folder.lastIndexOf('/');
    return `${nameOf(descriptorOf(slash < 0 ? '' : folder.slice(0, slash)))}/${folder.slice(slash + 1)}`;
  }

  function closeExcess(): void {
    for (const [folder, descriptor] of open) {
      if (open.size <= MAX_OPEN_FOLDERS) return;
      passed.set(folder, identityOf(folder));
      open.delete(folder);
      close(descriptor);
    }
  }

  function close(descriptor: number): void {
    if (users.has(descriptor)) leaving.add(descriptor);
    else closeSync(descriptor);
  }

  /** Returns the identity of a folder that was passed. */
  function identityOf(folder: string): Identity {
    return passed.get(folder) ?? fstatSync(descriptorOf(folder), { bigint: true });
  }

  /** Returns whether a name still has the same identity; a link counts as another one. */
  function isStill(folder: string, before: Identity): boolean {
    try {
      return isSameFolder(before, lstatSync(folder === '' ? root : nameIn(folder), { bigint: true }));
    } catch {
      return false;
    }
  }

  return {
    at(folder, use) {
      const descriptor = descriptorOf(folder);
      const answer = use(nameOf(descriptor));
      closeExcess();
      return answer;
    },
    async whileOpen(folder, use) {
      const descriptor = descriptorOf(folder);
      users.set(descriptor, (users.get(descriptor) ?? 0) + 1);
      try {
        await use(descriptor);
      } finally {
        const left = (users.get(descriptor) ?? 1) - 1;
        if (left > 0) users.set(descriptor, left);
        else {
          users.delete(descriptor);
          if (leaving.delete(descriptor)) closeSync(descriptor);
        }
      }
    },
    forget(folder) {
      // Folders below are only known if this one is; files and unused folders are not.
      if (!passed.has(folder)) return;
      for (const path of passed.keys()) {
        if (path !== folder && !path.startsWith(`${folder}/`)) continue;
        passed.delete(path);
        const descriptor = open.get(path);
        if (descriptor === undefined) continue;
        open.delete(path);
        close(descriptor);
      }
    },
    findExchanged(except = []) {
      for (const folder of passed.keys()) {
        if (except.includes(folder)) continue;
        if (!isStill(folder, identityOf(folder))) return folder;
        closeExcess();
      }
      return exchanged;
    },
    release() {
      for (const descriptor of open.values()) close(descriptor);
      open.clear();
      passed.clear();
    },
  };
}

function isSameFolder(a: Identity, b: Identity): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

let ownDescriptors: string | null = null;

/** Uses the pid, since `self` is a link that the system would resolve on each call. */
function nameOf(descriptor: number): string {
  ownDescriptors ??= `/proc/${readlinkSync('/proc/self')}/fd`;
  return `${ownDescriptors}/${descriptor}`;
}

function holdByName(root: string, checkRoot: (found: BigIntStats) => void): HeldFolders {
  const passed = new Map<string, readonly Identity[]>();

  /** Returns the identity of every folder on the path. Throws when one is a link or not a folder. */
  function identitiesTo(folder: string): readonly Identity[] {
    const identities: Identity[] = [];
    const names = folder === '' ? [] : folder.split('/');
    for (let depth = 0; depth <= names.length; depth++) {
      const state = lstatSync([root, ...names.slice(0, depth)].join('/'), { bigint: true, throwIfNoEntry: false });
      if (state?.isDirectory() !== true)
        throw depth === 0 ? fault('ESTALE', 'nothing stands there now') : fault(state === undefined ? 'ENOENT' : 'ENOTDIR', 'not a folder');
      identities.push({ dev: state.dev, ino: state.ino });
      if (depth === 0) checkRoot(state);
    }
    return identities;
  }

  const isStill = (folder: string, before: readonly Identity[]): boolean => {
    try {
      return isSame(before, identitiesTo(folder));
    } catch {
      return false;
    }
  };
  const isSame = (a: readonly Identity[], b: readonly Identity[]): boolean =>
    a.length === b.length && a.every((one, index) => isSameFolder(one, b[index]!));

  const at: HeldFolders['at'] = (folder, use, undo) => {
    const before = identitiesTo(folder);
    const known = passed.get(folder);
    if (known !== undefined && !isSame(known, before)) throw fault('EXCHANGED', 'the folder was exchanged');
    passed.set(folder, before);
    const name = folder === '' ? root : `${root}/${folder}`;
    const answer = use(name);
    if (isStill(folder, before)) return answer;
    undo?.(name);
    throw fault('EXCHANGED', 'the folder was exchanged');
  };

  return {
    at,
    async whileOpen(folder, use) {
      const descriptor = at(folder, (name) => openSync(name, FOLDER));
      try {
        await use(descriptor);
      } finally {
        closeSync(descriptor);
      }
    },
    forget(folder) {
      for (const path of passed.keys()) if (path === folder || path.startsWith(`${folder}/`)) passed.delete(path);
    },
    findExchanged(except = []) {
      for (const [folder, before] of passed) if (!except.includes(folder) && !isStill(folder, before)) return folder;
      return null;
    },
    release: () => passed.clear(),
  };
}

function fault(code: string, reason: string): Error {
  return Object.assign(new Error(`${code}: ${reason}`), { code });
}
