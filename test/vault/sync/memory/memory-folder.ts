import type { FileKind, FileReader, FileState, RealPath } from '../../../../src/store/folder/file-system.ts';

/** A name in the folder. */
export interface MemoryNode {
  readonly kind: FileKind;
  readonly text?: string;
  /** Other than the bytes have, as while a file is written. */
  readonly size?: number;
  /** Of a symbolic link. */
  readonly leadsTo?: RealPath;
  readonly mtimeMs: number;
  /** Instead of `mtimeMs`, of which no whole second is made. */
  readonly mtimeNs?: bigint;
  readonly birthMs?: number;
  readonly ino: bigint;
  readonly dev?: bigint;
  readonly links?: number;
}

/** A folder in memory: tests set each property of each name, fail a call, and see which calls were made. */
export interface MemoryFolder extends FileReader {
  /** What the clock says, in milliseconds. */
  time: number;
  readonly nodes: Map<string, MemoryNode>;
  /** Calls so far, as `read a.md`. */
  readonly calls: string[];
  /** Throws from the calls that it names; null: none fails. */
  failing: ((call: string) => Error | null) | null;
  /** Saves a file, an hour old and with the inode that it has, unless told otherwise. Folders are made. */
  save(path: string, text: string, how?: Partial<MemoryNode>): void;
  set(path: string, node: Partial<MemoryNode> & { readonly kind: FileKind }): void;
  remove(path: string): void;
  /** Renames a file or a folder with all that is in it: inodes and times stay. */
  move(from: string, to: string): void;
}

const HOUR_MS = 3_600_000;

/** Makes a folder with these files. */
export function memoryFolder(files: Readonly<Record<string, string>> = {}): MemoryFolder {
  const nodes = new Map<string, MemoryNode>([['', { kind: 'folder', mtimeMs: 0, ino: 1n }]]);
  const calls: string[] = [];
  let nextIno = 2n;
  const call = (name: string, path: string): void => {
    calls.push(`${name} ${path}`);
    const error = folder.failing?.(`${name} ${path}`) ?? null;
    if (error !== null) throw error;
  };
  const encoded = new WeakMap<MemoryNode, Buffer>();
  const bytesOf = (node: MemoryNode): Buffer => {
    const bytes = encoded.get(node) ?? Buffer.from(node.text ?? '');
    encoded.set(node, bytes);
    return bytes;
  };
  const stateOf = (node: MemoryNode): FileState => {
    const mtimeNs = node.mtimeNs ?? BigInt(node.mtimeMs) * 1_000_000n + 1n;
    const { kind, ino, dev = 1n, links = 1 } = node;
    const birthNs = BigInt(node.birthMs ?? 1) * 1_000_000n;
    return {
      kind,
      size: node.size ?? bytesOf(node).length,
      mtimeNs,
      ctimeNs: mtimeNs,
      birthNs,
      ino,
      dev,
      mode: 0o644,
      uid: 0,
      gid: 0,
      links,
    };
  };
  const at = (path: string): FileState | null => {
    const node = nodes.get(path);
    return node === undefined ? null : stateOf(node);
  };
  const folder: MemoryFolder = {
    time: 10 * HOUR_MS + 500,
    nodes,
    calls,
    failing: null,
    set(path, node) {
      const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
      if (!nodes.has(parent)) folder.set(parent, { kind: 'folder' });
      const ino = nodes.get(path)?.ino ?? nextIno++;
      nodes.set(path, { mtimeMs: folder.time - HOUR_MS, ino, ...node });
    },
    save: (path, text, how) => folder.set(path, { kind: 'file', text, ...how }),
    remove(path) {
      for (const each of nodes.keys()) if (each === path || each.startsWith(`${path}/`)) nodes.delete(each);
    },
    move(from, to) {
      const moved = [...nodes].filter(([path]) => path === from || path.startsWith(`${from}/`));
      folder.remove(from);
      for (const [path, node] of moved) folder.set(`${to}${path.slice(from.length)}`, node);
    },
    now: () => folder.time,
    stat(path) {
      call('stat', path);
      return at(path);
    },
    hint(path) {
      call('hint', path);
      return at(path);
    },
    list(path) {
      call('list', path);
      if (nodes.get(path)?.kind !== 'folder') return null;
      const start = path === '' ? '' : `${path}/`;
      return [...nodes]
        .filter(([each]) => each !== '' && each.startsWith(start) && !each.slice(start.length).includes('/'))
        .map(([each, { kind }]) => ({ name: each.slice(start.length), kind }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    read(path, range = {}) {
      call('read', path);
      const node = nodes.get(path);
      if (node?.kind !== 'file') return null;
      const state = stateOf(node);
      if (range.maxBytes !== undefined && state.size > range.maxBytes) return { bytes: Buffer.alloc(0), state };
      const { start = 0, length = Infinity } = range;
      return { bytes: bytesOf(node).subarray(start, start + length), state };
    },
    realPath(path) {
      call('realPath', path);
      const node = nodes.get(path);
      if (node === undefined) return { kind: 'nothing' };
      return node.leadsTo ?? { kind: 'inside', path };
    },
  };
  for (const [path, text] of Object.entries(files)) folder.save(path, text);
  return folder;
}
