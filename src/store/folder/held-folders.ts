import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readlinkSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { systemCode } from '../../errors.ts';

/** Access to folders below a root, none of them reached through a link. */
export interface Folders {
  /**
   * Calls `use` with a name of the folder that the system's calls take. What it leads to cannot be exchanged meanwhile;
   * where that can only be noticed afterwards, `takeBack` undoes what was done and the call fails with `EXCHANGED`.
   */
  at<T>(folder: string, use: (name: string) => T, takeBack?: (name: string) => void): T;
  /** The name stands for another folder now, or for none; those below it too. */
  forget(folder: string): void;
}

/** Folders that stay open from their first use on. */
export interface HeldFolders extends Folders {
  /** A folder that is no longer what its name stands for, or null. */
  findExchanged(): string | null;
  release(): void;
}

/** A root folder, told from others under its name. */
export interface Root {
  hold(): HeldFolders;
  /** From now on this is what stands under the root's name. */
  adopt(): void;
}

/** `descriptors`: folders are opened and passed on by descriptor. `names`: where the system has no names for descriptors, folders are compared before and after each call. */
export type HowToHold = 'descriptors' | 'names';

const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
/** Open folders of one hold; a hold that passes more goes the way again. */
const MAX_OPEN_FOLDERS = 256;

/** The root at this absolute real path, as it is now. */
export function openRoot(root: string, how: HowToHold = hasDescriptorNames() ? 'descriptors' : 'names'): Root {
  let known: Identity = identityAt(root);
  const mustBeKnown = (found: Identity): void => {
    if (!isOne(found, known)) throw fault('ESTALE', 'another folder stands there now');
  };
  return {
    hold: () => (how === 'descriptors' ? holdByDescriptor(root, mustBeKnown) : holdByName(root, mustBeKnown)),
    adopt() {
      known = identityAt(root);
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

function identityAt(path: string): Identity {
  const { dev, ino } = lstatSync(path, { bigint: true });
  return { dev, ino };
}

/** Linux names what a descriptor leads to; the names in an open folder are reached below that. */
function hasDescriptorNames(): boolean {
  return process.platform === 'linux' && existsSync('/proc/self/fd');
}

function holdByDescriptor(root: string, mustBeKnown: (found: Identity) => void): HeldFolders {
  const open = new Map<string, number>();
  /** What each name that was passed led to, whether it is still open or not. Parents come before what lies in them. */
  const passed = new Map<string, Identity>();
  let exchanged: string | null = null;

  function descriptorOf(folder: string): number {
    const held = open.get(folder);
    if (held !== undefined) return held;
    const descriptor = folder === '' ? openRootFolder(root) : openSync(nameIn(folder), FOLDER);
    try {
      const found = fstatSync(descriptor, { bigint: true });
      if (folder === '') mustBeKnown(found);
      const before = passed.get(folder);
      if (before === undefined) passed.set(folder, { dev: found.dev, ino: found.ino });
      else if (!isOne(before, found)) exchanged ??= folder;
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
    open.set(folder, descriptor);
    return descriptor;
  }

  /** The name of a folder in the folder above it, as that is held. */
  function nameIn(folder: string): string {
    const slash = folder.lastIndexOf('/');
    return `${nameOf(descriptorOf(slash < 0 ? '' : folder.slice(0, slash)))}/${folder.slice(slash + 1)}`;
  }

  function shrink(): void {
    for (const [folder, descriptor] of open) {
      if (open.size <= MAX_OPEN_FOLDERS) return;
      open.delete(folder);
      closeSync(descriptor);
    }
  }

  /** Whether a name still leads to what it led to; a link there is a thing of its own. */
  function isStill(folder: string, before: Identity): boolean {
    try {
      return isOne(before, lstatSync(folder === '' ? root : nameIn(folder), { bigint: true }));
    } catch {
      return false;
    }
  }

  return {
    at(folder, use) {
      const descriptor = descriptorOf(folder);
      const answer = use(nameOf(descriptor));
      shrink();
      return answer;
    },
    forget(folder) {
      // Nothing below a folder is passed without it: of a file, or of a folder that nobody went through, nothing is known.
      if (!passed.has(folder)) return;
      for (const path of passed.keys()) {
        if (path !== folder && !path.startsWith(`${folder}/`)) continue;
        passed.delete(path);
        const descriptor = open.get(path);
        if (descriptor === undefined) continue;
        open.delete(path);
        closeSync(descriptor);
      }
    },
    findExchanged() {
      for (const [folder, before] of passed) {
        if (!isStill(folder, before)) return folder;
        shrink();
      }
      return exchanged;
    },
    release() {
      for (const descriptor of open.values()) closeSync(descriptor);
      open.clear();
      passed.clear();
    },
  };
}

function isOne(a: Identity, b: Identity): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

let ownDescriptors: string | null = null;

/** By the number of this process: `self` is a link, which the system would follow on each of a thousand calls. */
function nameOf(descriptor: number): string {
  ownDescriptors ??= `/proc/${readlinkSync('/proc/self')}/fd`;
  return `${ownDescriptors}/${descriptor}`;
}

function holdByName(root: string, mustBeKnown: (found: Identity) => void): HeldFolders {
  const passed = new Map<string, readonly Identity[]>();

  /** The identity of every folder on the way; throws where one is a link or no folder. */
  function identitiesTo(folder: string): readonly Identity[] {
    const identities: Identity[] = [];
    const names = folder === '' ? [] : folder.split('/');
    for (let depth = 0; depth <= names.length; depth++) {
      const state = lstatSync([root, ...names.slice(0, depth)].join('/'), { bigint: true, throwIfNoEntry: false });
      if (state?.isDirectory() !== true)
        throw depth === 0 ? fault('ESTALE', 'nothing stands there now') : fault(state === undefined ? 'ENOENT' : 'ENOTDIR', 'not a folder');
      identities.push({ dev: state.dev, ino: state.ino });
      if (depth === 0) mustBeKnown(state);
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
    a.length === b.length && a.every((one, index) => isOne(one, b[index]!));

  return {
    at(folder, use, takeBack) {
      const before = identitiesTo(folder);
      const known = passed.get(folder);
      if (known !== undefined && !isSame(known, before)) throw fault('EXCHANGED', 'the folder was exchanged');
      passed.set(folder, before);
      const name = folder === '' ? root : `${root}/${folder}`;
      const answer = use(name);
      if (isStill(folder, before)) return answer;
      takeBack?.(name);
      throw fault('EXCHANGED', 'the folder was exchanged');
    },
    forget(folder) {
      for (const path of passed.keys()) if (path === folder || path.startsWith(`${folder}/`)) passed.delete(path);
    },
    findExchanged() {
      for (const [folder, before] of passed) if (!isStill(folder, before)) return folder;
      return null;
    },
    release: () => passed.clear(),
  };
}

function fault(code: string, reason: string): Error {
  return Object.assign(new Error(`${code}: ${reason}`), { code });
}
