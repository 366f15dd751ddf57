import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readlinkSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { systemCode } from '../../errors.ts';

/** Access to folders below a root, never through a link. */
export interface Folders {
  /**
   * Calls `use` with a name of the folder for system calls. The folder behind it cannot be replaced meanwhile; where that can only be
   * detected afterwards, `undo` reverts the change, given the result of `use`, and the call fails with `EXCHANGED`.
   */
  at<T>(folder: string, use: (name: string) => T, undo?: (name: string, result: T) => void): T;
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
  /** The state of the folder when it was last opened or looked at. */
  readonly state: BigIntStats;
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
    if (!isSameFolder(found, known)) throw fault('ESTALE', 'the folder was replaced');
    known = found;
  };
  return {
    get state() {
      return known;
    },
    hold: () => (how === 'descriptors' ? new FoldersByDescriptor(root, checkRoot) : holdByName(root, checkRoot)),
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
    throw isGone ? fault('ESTALE', 'the folder is gone') : error;
  }
}

type Identity = Pick<BigIntStats, 'dev' | 'ino'>;

/** Returns whether descriptors have names, as on Linux, below which the folder's entries can be reached. */
function hasDescriptorNames(): boolean {
  return process.platform === 'linux' && existsSync('/proc/self/fd');
}

let ownDescriptors: string | null = null;

/** Folders that are held by descriptor. */
class FoldersByDescriptor implements HeldFolders {
  readonly #root: string;
  readonly #checkRoot: (found: BigIntStats) => void;
  readonly #open = new Map<string, number>();
  /** Every folder used so far, with its identity if it is known: an open folder can be asked for it later. Parents come before children. */
  readonly #passed = new Map<string, Identity | null>();
  /** The number of users of a descriptor, if it has any. */
  readonly #users = new Map<number, number>();
  /** Descriptors to be closed after their last user. */
  readonly #leaving = new Set<number>();
  #exchanged: string | null = null;

  constructor(root: string, checkRoot: (found: BigIntStats) => void) {
    this.#root = root;
    this.#checkRoot = checkRoot;
  }

  at<T>(folder: string, use: (name: string) => T): T {
    const descriptor = this.#descriptorOf(folder);
    const answer = use(nameOf(descriptor));
    this.#closeExcess();
    return answer;
  }

  async whileOpen(folder: string, use: (descriptor: number) => Promise<void>): Promise<void> {
    const descriptor = this.#descriptorOf(folder);
    this.#users.set(descriptor, (this.#users.get(descriptor) ?? 0) + 1);
    try {
      await use(descriptor);
    } finally {
      const left = (this.#users.get(descriptor) ?? 1) - 1;
      if (left > 0) this.#users.set(descriptor, left);
      else {
        this.#users.delete(descriptor);
        if (this.#leaving.delete(descriptor)) closeSync(descriptor);
      }
    }
  }

  forget(folder: string): void {
    // Folders below are only known if this one is; files and unused folders are not.
    if (!this.#passed.has(folder)) return;
    for (const path of this.#passed.keys()) {
      if (path !== folder && !path.startsWith(`${folder}/`)) continue;
      this.#passed.delete(path);
      const descriptor = this.#open.get(path);
      if (descriptor === undefined) continue;
      this.#open.delete(path);
      this.#close(descriptor);
    }
  }

  findExchanged(except: readonly string[] = []): string | null {
    for (const folder of this.#passed.keys()) {
      if (except.includes(folder)) continue;
      if (!this.#isStill(folder, this.#identityOf(folder))) return folder;
      this.#closeExcess();
    }
    return this.#exchanged;
  }

  release(): void {
    for (const descriptor of this.#open.values()) this.#close(descriptor);
    this.#open.clear();
    this.#passed.clear();
  }

  #descriptorOf(folder: string): number {
    const held = this.#open.get(folder);
    if (held !== undefined) return held;
    const descriptor = folder === '' ? openRootFolder(this.#root) : openSync(this.#nameIn(folder), FOLDER);
    try {
      const before = this.#passed.get(folder) ?? null;
      const found = folder === '' || before !== null ? fstatSync(descriptor, { bigint: true }) : null;
      if (folder === '' && found !== null) this.#checkRoot(found);
      if (before === null) this.#passed.set(folder, found);
      else if (found !== null && !isSameFolder(before, found)) this.#exchanged ??= folder;
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
    this.#open.set(folder, descriptor);
    return descriptor;
  }

  /** Returns the name of a folder below the descriptor of its parent. */
  #nameIn(folder: string): string {
    const slash = folder.lastIndexOf('/');
    return `${nameOf(this.#descriptorOf(slash < 0 ? '' : folder.slice(0, slash)))}/${folder.slice(slash + 1)}`;
  }

  #closeExcess(): void {
    for (const [folder, descriptor] of this.#open) {
      if (this.#open.size <= MAX_OPEN_FOLDERS) return;
      this.#passed.set(folder, this.#identityOf(folder));
      this.#open.delete(folder);
      this.#close(descriptor);
    }
  }

  #close(descriptor: number): void {
    if (this.#users.has(descriptor)) this.#leaving.add(descriptor);
    else closeSync(descriptor);
  }

  /** Returns the identity of a used folder. */
  #identityOf(folder: string): Identity {
    return this.#passed.get(folder) ?? fstatSync(this.#descriptorOf(folder), { bigint: true });
  }

  /** Returns whether a name still has the same identity; a link counts as another one. */
  #isStill(folder: string, before: Identity): boolean {
    try {
      return isSameFolder(before, lstatSync(folder === '' ? this.#root : this.#nameIn(folder), { bigint: true }));
    } catch {
      return false;
    }
  }
}

function isSameFolder(a: Identity, b: Identity): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

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
        throw depth === 0 ? fault('ESTALE', 'the folder is gone') : fault(state === undefined ? 'ENOENT' : 'ENOTDIR', 'not a folder');
      identities.push({ dev: state.dev, ino: state.ino });
      if (depth === 0) checkRoot(state);
    }
    return identities;
  }

  const isSame = (a: readonly Identity[], b: readonly Identity[]): boolean =>
    a.length === b.length && a.every((one, index) => isSameFolder(one, b[index]!));
  const isStill = (folder: string, before: readonly Identity[]): boolean => {
    try {
      return isSame(before, identitiesTo(folder));
    } catch {
      return false;
    }
  };

  const at: HeldFolders['at'] = (folder, use, undo) => {
    const before = identitiesTo(folder);
    const known = passed.get(folder);
    if (known !== undefined && !isSame(known, before)) throw fault('EXCHANGED', 'the folder was replaced');
    passed.set(folder, before);
    const name = folder === '' ? root : `${root}/${folder}`;
    const answer = use(name);
    if (isStill(folder, before)) return answer;
    undo?.(name, answer);
    throw fault('EXCHANGED', 'the folder was replaced');
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
