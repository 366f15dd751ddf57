import type { OpenFile, RootFileSystem } from '../../../src/store/folder/file-system.ts';
import { isIgnoredName } from '../../../src/note/path.ts';
import type { TestReader } from '../open-test-writer.ts';
import { followChanges } from './simulated-changes.ts';
import { afterCrash } from './simulated-crash.ts';
import type { Crash } from './simulated-crash.ts';
import { keepNames, newState, put, realPathOf, stateOf, unlink, vaultOf, walk } from './simulated-tree.ts';
import type { DiskNode, FileNode, FolderNode, State } from './simulated-tree.ts';

/** One call on the simulated disk, before it happens. */
export interface DiskCall {
  /** Counted from 0. */
  readonly index: number;
  readonly method: keyof RootFileSystem | 'write' | 'sync' | 'setMode' | 'setOwner' | 'close';
  /** Vault-relative. */
  readonly path: string;
  /** Of a rename: the former name. */
  readonly from?: string;
}

/** What a test may do to a call: nothing, throw, or let only so many bytes in. */
export type CallHook = (call: DiskCall) => void | { readonly short: number };

/** The process was killed: nothing of it reaches the disk any more. */
export class Killed extends Error {}

/** A disk in memory that fails, stops and forgets as it is told. */
export interface SimulatedDisk {
  readonly root: string;
  readonly files: RootFileSystem;
  readonly reader: TestReader;
  /** Calls so far, in order. */
  readonly calls: readonly DiskCall[];
  onCall(hook: CallHook | null): void;
  /** The disk as the next start finds it. The old one is dead. */
  crash(how: Crash): SimulatedDisk;
  /** The same disk for another process: this one was killed, the machine went on. */
  afterKill(): SimulatedDisk;
  /** A file that an editor has open: what it writes replaces all of the inode, whatever that is called by then. */
  openInEditor(path: string): (text: string) => void;
  /** Visible files and their texts. */
  visible(): Readonly<Record<string, string>>;
  /** Everything below `.roux` and every hidden file elsewhere, without history, lock and trash. */
  residue(): readonly string[];
  all(): Readonly<Record<string, string>>;
  /** Saves as a person does, in place or by a new inode; durable at once, an hour old. */
  save(path: string, text: string, how?: 'in-place' | 'rename'): void;
  remove(path: string): void;
  /** Renames a file or a folder as a person does; durable at once. */
  move(from: string, to: string): void;
}

/** What the simulated file system lacks. */
export interface DiskTraits {
  readonly hasHardLinks?: boolean;
  readonly ignoresCase?: boolean;
  /** Vault-relative folders that are other devices. */
  readonly devices?: readonly string[];
  /** Whether changes of files are reported. */
  readonly reportsChanges?: boolean;
  /** Passes while something is put on the medium; else that takes no time. */
  readonly syncing?: () => Promise<void>;
}

const ROOT = '/vault';

/** A simulated disk with a vault of these notes at `/vault`. */
export function simulatedDisk(notes: Readonly<Record<string, string>>, traits: DiskTraits = {}): SimulatedDisk {
  const state = newState();
  for (const [path, text] of Object.entries(notes)) put(state, `${ROOT}/${path}`, text);
  return openDisk(state, traits);
}

function openDisk(state: State, traits: DiskTraits): SimulatedDisk {
  const calls: DiskCall[] = [];
  let hook: CallHook | null = null;
  let isDead = false;

  function step(method: DiskCall['method'], path: string, from?: string): { short: number } | undefined {
    if (isDead) throw new Killed(`${method} ${path}`);
    const call = { index: calls.length, method, path, ...(from === undefined ? {} : { from }) };
    try {
      const answer = hook?.(call);
      calls.push(call);
      return answer ?? undefined;
    } catch (error) {
      calls.push(call);
      if (error instanceof Killed) isDead = true;
      throw error;
    }
  }

  const nameIn = (folder: FolderNode, name: string): string => {
    if (traits.ignoresCase !== true || folder.entries.has(name)) return name;
    return [...folder.entries.keys()].find((other) => other.toLowerCase() === name.toLowerCase()) ?? name;
  };
  /** What a path leads to; a link on the way leads nowhere, as in the real one. */
  const at = (path: string): DiskNode | null => {
    let node: DiskNode = vaultOf(state);
    for (const name of path.split('/').filter((part) => part !== '')) {
      if (node.kind !== 'folder') return null;
      const child: DiskNode | undefined = node.entries.get(nameIn(node, name));
      if (child === undefined) return null;
      node = child;
    }
    return node;
  };
  const home = (path: string): { folder: FolderNode; name: string } => {
    const slash = path.lastIndexOf('/');
    const folder = at(slash < 0 ? '' : path.slice(0, slash));
    if (folder?.kind !== 'folder') throw failure(folder === null ? 'ENOENT' : 'ENOTDIR', path);
    return { folder, name: nameIn(folder, path.slice(slash + 1)) };
  };
  const deviceOf = (path: string): string => traits.devices?.find((device) => path.startsWith(`${device}/`)) ?? '';
  const openFile = (node: FileNode, path: string): OpenFile => ({
    write(bytes, place = node.bytes.length) {
      const limit = step('write', path)?.short ?? bytes.length;
      const count = Math.min(limit, bytes.length);
      node.bytes = Buffer.concat([node.bytes.subarray(0, place), bytes.subarray(0, count), node.bytes.subarray(place + count)]);
      node.mtimeMs = Date.now();
      node.changes++;
      return count;
    },
    setMode(mode) {
      step('setMode', path);
      node.mode = mode;
    },
    setOwner() {
      step('setOwner', path);
    },
    state: () => stateOf(node, deviceOf(path)),
    async sync() {
      step('sync', path);
      await traits.syncing?.();
      node.durable = Buffer.from(node.bytes);
    },
    close() {
      step('close', path);
    },
  });

  const changes = followChanges();
  const files: RootFileSystem = {
    now: () => Date.now(),
    stat(path) {
      step('stat', path);
      const node = at(path);
      return node === null ? null : stateOf(node, deviceOf(path));
    },
    hint: (path) => files.stat(path),
    realPath(path) {
      step('realPath', path);
      const real = realPathOf(path, at, (folder, name) => (folder.kind === 'folder' ? nameIn(folder, name) : name));
      return real === null ? { kind: 'nothing' } : { kind: 'inside', path: real };
    },
    list(path) {
      step('list', path);
      const node = at(path);
      if (node?.kind !== 'folder') return null;
      return [...node.entries].map(([name, child]) => ({ name, kind: child.kind })).sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    read(path, range) {
      step('read', path);
      const node = at(path);
      if (node?.kind !== 'file') return null;
      if (range?.maxBytes !== undefined && node.bytes.length > range.maxBytes)
        return { bytes: Buffer.alloc(0), state: stateOf(node, deviceOf(path)) };
      const { start = 0, length = node.bytes.length } = range ?? {};
      return { bytes: Buffer.from(node.bytes.subarray(start, start + length)), state: stateOf(node, deviceOf(path)) };
    },
    create(path, mode) {
      step('create', path);
      const { folder, name } = home(path);
      if (folder.entries.has(name)) throw failure('EEXIST', path);
      const node: FileNode = {
        kind: 'file',
        ino: state.nextIno++,
        bytes: Buffer.alloc(0),
        durable: null,
        mode: mode & ~0o022,
        mtimeMs: Date.now(),
        changes: 0,
        links: 1,
      };
      folder.entries.set(name, node);
      return openFile(node, path);
    },
    append(path) {
      step('append', path);
      const { folder, name } = home(path);
      let node = folder.entries.get(name);
      if (node === undefined) {
        node = {
          kind: 'file',
          ino: state.nextIno++,
          bytes: Buffer.alloc(0),
          durable: null,
          mode: 0o644,
          mtimeMs: Date.now(),
          changes: 0,
          links: 1,
        };
        folder.entries.set(name, node);
      }
      if (node.kind !== 'file') throw failure('EISDIR', path);
      if (node.links > 1) throw failure('EMLINK', path);
      return openFile(node, path);
    },
    makeFolder(path) {
      step('makeFolder', path);
      const { folder, name } = home(path);
      if (folder.entries.has(name)) throw failure('EEXIST', path);
      folder.entries.set(name, { kind: 'folder', ino: state.nextIno++, entries: new Map(), durable: new Map() });
    },
    link(from, to) {
      step('link', to);
      const node = at(from);
      if (node === null) throw failure('ENOENT', from);
      if (traits.hasHardLinks === false) throw failure('EPERM', from);
      if (deviceOf(from) !== deviceOf(to)) throw failure('EXDEV', from);
      const { folder, name } = home(to);
      if (folder.entries.has(name)) throw failure('EEXIST', to);
      folder.entries.set(name, node);
      if (node.kind === 'file') node.links++;
      changes.report(from);
    },
    rename(from, to) {
      step('rename', to, from);
      const source = home(from);
      const node = source.folder.entries.get(source.name);
      if (node === undefined) throw failure('ENOENT', from);
      if (deviceOf(from) !== deviceOf(to)) throw failure('EXDEV', from);
      const target = home(to);
      // Two names of one file: the system call does nothing.
      if (target.folder.entries.get(target.name) === node && !(target.folder === source.folder && target.name === source.name)) return;
      source.folder.entries.delete(source.name);
      unlink(target.folder, target.name);
      target.folder.entries.set(to.slice(to.lastIndexOf('/') + 1), node);
    },
    remove(path) {
      step('remove', path);
      const { folder, name } = home(path);
      if (folder.entries.get(name)?.kind === 'folder') throw failure('EISDIR', path);
      if (!unlink(folder, name)) throw failure('ENOENT', path);
      changes.report(path);
    },
    onChange: (path, listener) => (traits.reportsChanges === true ? changes.follow(path, listener) : null),
    // A disk of one user.
    makePrivate: () => undefined,
    cut(path, size) {
      step('cut', path);
      const node = at(path);
      if (node?.kind !== 'file') throw failure('ENOENT', path);
      node.bytes = Buffer.from(node.bytes.subarray(0, size));
      node.changes++;
    },
    removeFolder(path) {
      step('removeFolder', path);
      const { folder, name } = home(path);
      const node = folder.entries.get(name);
      if (node?.kind !== 'folder') throw failure(node === undefined ? 'ENOENT' : 'ENOTDIR', path);
      if (node.entries.size > 0) throw failure('ENOTEMPTY', path);
      folder.entries.delete(name);
    },
    touch(path) {
      step('touch', path);
      const node = at(path);
      if (node?.kind !== 'file') throw failure('ENOENT', path);
      node.mtimeMs = Date.now();
    },
    async syncFolder(path) {
      step('syncFolder', path);
      const node = at(path);
      if (node?.kind !== 'folder') throw failure('ENOENT', path);
      await traits.syncing?.();
      node.durable = new Map(node.entries);
    },
    // Folders have no other names here than their own, and nobody exchanges them.
    hold: () => ({ ...files, findExchanged: () => null, release: () => undefined }),
    adopt: () => true,
  };

  const all = (): Record<string, string> => {
    const found: Record<string, string> = {};
    walk(at(''), '', (path, node) => {
      if (node.kind === 'file') found[path] = node.bytes.toString('utf8');
    });
    return found;
  };
  const isVisible = (path: string): boolean => !path.split('/').some(isIgnoredName);

  return {
    root: ROOT,
    files,
    reader: {
      read: (path) => {
        const node = at(path);
        return node?.kind === 'file' ? node.bytes : null;
      },
      files: () => Object.keys(all()).filter(isVisible),
    },
    calls,
    onCall(next) {
      hook = next;
    },
    crash(how) {
      isDead = true;
      return openDisk(afterCrash(state, how), traits);
    },
    afterKill() {
      isDead = true;
      return openDisk(state, traits);
    },
    openInEditor(path) {
      const node = at(path);
      if (node?.kind !== 'file') throw failure('ENOENT', path);
      return (text) => {
        node.bytes = Buffer.from(text);
        node.durable = Buffer.from(text);
        node.mtimeMs = Date.now();
        node.changes++;
      };
    },
    visible: () => Object.fromEntries(Object.entries(all()).filter(([path]) => isVisible(path))),
    residue: () =>
      Object.keys(all()).filter(
        (path) => !isVisible(path) && !/^\.roux\/(?:history\/|lock\/\d+(?:\.free)?$|trash\/|\.gitignore$|\.gitattributes$)/.test(path),
      ),
    all,
    save(path, text, how = 'in-place') {
      const node = at(path);
      if (how === 'in-place' && node?.kind === 'file') {
        node.bytes = Buffer.from(text);
        node.durable = Buffer.from(text);
        node.mtimeMs = Date.now() - 3_600_000;
        node.changes++;
        // Its name as well: that of a file which roux has made may not be on the medium yet.
        keepNames(state, `${ROOT}/${path}`);
      } else put(state, `${ROOT}/${path}`, text);
    },
    remove(path) {
      const { folder, name } = home(path);
      folder.entries.delete(name);
      folder.durable.delete(name);
    },
    move(from, to) {
      const source = home(from);
      const node = source.folder.entries.get(source.name);
      if (node === undefined) throw failure('ENOENT', from);
      source.folder.entries.delete(source.name);
      source.folder.durable.delete(source.name);
      const parent = to.includes('/') ? to.slice(0, to.lastIndexOf('/')) : '';
      if (at(parent) === null) put(state, `${ROOT}/${parent}/.made`, '');
      const target = home(to);
      target.folder.entries.delete('.made');
      target.folder.durable.delete('.made');
      target.folder.entries.set(to.slice(to.lastIndexOf('/') + 1), node);
      keepNames(state, `${ROOT}/${to}`);
    },
  };
}

/** A system error as Node throws it. */
export function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code, path });
}
