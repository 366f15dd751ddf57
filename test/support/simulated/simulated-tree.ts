import type { FileState } from '../../../src/store/folder/file-system.ts';

/** A file of the simulated disk: what it holds now, and what of it is on the medium. */
export interface FileNode {
  readonly kind: 'file';
  readonly ino: bigint;
  bytes: Buffer;
  durable: Buffer | null;
  mode: number;
  mtimeMs: number;
  /** Counts what was done to its bytes: its change time, which nobody can set. */
  changes: number;
  links: number;
}

/** A folder, likewise. */
export interface FolderNode {
  readonly kind: 'folder';
  readonly ino: bigint;
  entries: Map<string, DiskNode>;
  durable: Map<string, DiskNode>;
}

/** A symbolic link. */
export interface LinkNode {
  readonly kind: 'link';
  readonly ino: bigint;
  readonly target: string;
}

/** Whatever a name leads to. */
export type DiskNode = FileNode | FolderNode | LinkNode;

/** Everything on a simulated disk. */
export interface State {
  nextIno: bigint;
  readonly top: FolderNode;
}

/** A disk with an empty folder for the vault. */
export function newState(): State {
  const top: FolderNode = { kind: 'folder', ino: 1n, entries: new Map(), durable: new Map() };
  const vault: FolderNode = { kind: 'folder', ino: 2n, entries: new Map(), durable: new Map() };
  top.entries.set('vault', vault);
  top.durable.set('vault', vault);
  return { nextIno: 3n, top };
}

/** The folder of the vault. */
export function vaultOf(state: State): FolderNode {
  const vault = state.top.entries.get('vault');
  if (vault?.kind !== 'folder') throw new Error('The vault is a folder.');
  return vault;
}

/** Puts a durable file there, an hour old, its folders made. */
export function put(state: State, path: string, text: string): void {
  const parts = path.split('/').filter((part) => part !== '');
  let folder = state.top;
  for (const name of parts.slice(0, -1)) {
    let child = folder.entries.get(name);
    if (child?.kind !== 'folder') {
      child = { kind: 'folder', ino: state.nextIno++, entries: new Map(), durable: new Map() };
      folder.entries.set(name, child);
    }
    folder = child;
  }
  const bytes = Buffer.from(text);
  const node: FileNode = {
    kind: 'file',
    ino: state.nextIno++,
    bytes,
    durable: bytes,
    mode: 0o644,
    mtimeMs: Date.now() - 3_600_000,
    changes: 0,
    links: 1,
  };
  folder.entries.set(parts.at(-1) ?? '', node);
  keepNames(state, path);
}

/** Puts a name and those of its folders on the medium. */
export function keepNames(state: State, path: string): void {
  let folder: DiskNode | undefined = state.top;
  for (const name of path.split('/').filter((part) => part !== '')) {
    const child: DiskNode | undefined = folder?.kind === 'folder' ? folder.entries.get(name) : undefined;
    if (folder?.kind === 'folder' && child !== undefined) folder.durable.set(name, child);
    folder = child;
  }
}

/** Visits everything below a folder. */
export function walk(node: DiskNode | null, path: string, visit: (path: string, node: DiskNode) => void): void {
  if (node?.kind !== 'folder') return;
  for (const [name, child] of node.entries) {
    const childPath = path === '' ? name : `${path}/${name}`;
    visit(childPath, child);
    walk(child, childPath, visit);
  }
}

/** Takes a name out of a folder; false when there is none. */
export function unlink(folder: FolderNode, name: string): boolean {
  const node = folder.entries.get(name);
  if (node?.kind === 'file') node.links--;
  return folder.entries.delete(name);
}

/** What the system says of a file. */
export function stateOf(node: DiskNode, device: string): FileState {
  return {
    kind: node.kind,
    size: node.kind === 'file' ? node.bytes.length : 0,
    mtimeNs: node.kind === 'file' ? BigInt(Math.floor(node.mtimeMs)) * 1_000_000n : node.kind === 'folder' ? timeOf(node) : 0n,
    ctimeNs: node.kind === 'file' ? 2n + BigInt(node.changes) : 2n,
    birthNs: node.ino + 1n,
    ino: node.ino,
    dev: BigInt(device.length),
    mode: node.kind === 'file' ? node.mode : 0o755,
    uid: 0,
    gid: 0,
    links: node.kind === 'file' ? node.links : 1,
  };
}

/** A time that is another one when other names are in the folder, and long past. */
function timeOf(folder: FolderNode): bigint {
  let sum = BigInt(folder.entries.size);
  for (const child of folder.entries.values()) if (child.kind !== 'link') sum += child.ino;
  return sum;
}

/** The path with links resolved, in the spelling of the disk; null when it leads nowhere. */
export function realPathOf(
  path: string,
  at: (path: string) => DiskNode | null,
  nameIn: (folder: DiskNode, name: string) => string,
): string | null {
  let real = '';
  for (const name of path.split('/').filter((part) => part !== '')) {
    const folder = at(real);
    const own = folder === null ? name : nameIn(folder, name);
    const next = real === '' ? own : `${real}/${own}`;
    const node = at(next);
    if (node === null) return null;
    if (node.kind === 'link') {
      const target = realPathOf(node.target, at, nameIn);
      if (target === null) return null;
      real = target;
    } else real = next;
  }
  return real;
}
