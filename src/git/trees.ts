import { RouxError } from '../errors.ts';
import type { GitObjects } from './objects.ts';

export interface TreeEntry {
  readonly mode: string;
  readonly id: string;
}

/** A file, link or submodule that one tree has and another has not, or with another content. */
export interface TreeChange {
  readonly path: string;
  /** Null where there is none. */
  readonly before: TreeEntry | null;
  readonly after: TreeEntry | null;
}

/** The part of a tree that is of interest. Paths begin at the trees that are compared. */
export interface TreeScope {
  /** Whether a folder may have files of interest. `''` is the top. */
  mayMatch(folder: string): boolean;
  matches(path: string): boolean;
}

export const FOLDER_MODE = '40000';
/** Bytes of cached trees: most commits share folders. */
const MAX_TREE_BYTES = 16 * 1024 * 1024;
/** Limits of a comparison of two trees. */
export const MAX_DEPTH = 60;
/** Of a path, of files that a program here could make. */
export const MAX_PATH_CHARACTERS = 4096;
export const MAX_CHANGES = 100_000;
const MAX_ENTRIES = 2_000_000;

/** The trees of a repository, cached. */
export class Trees {
  readonly #objects: GitObjects;
  readonly #isStrict: boolean;
  readonly #cache = new Map<string, Buffer | null>();
  #size = 0;

  /** `isStrict`: a tree that is missing is an error, and does not count as empty. */
  constructor(objects: GitObjects, { isStrict = false }: { readonly isStrict?: boolean } = {}) {
    this.#objects = objects;
    this.#isStrict = isStrict;
  }

  /** Returns the entry at a path below a tree, of any kind; null for none. */
  async entryAt(tree: string, path: string): Promise<TreeEntry | null> {
    let entry: TreeEntry = { mode: FOLDER_MODE, id: tree };
    for (const name of path.split('/').filter((each) => each !== '')) {
      if (entry.mode !== FOLDER_MODE) return null;
      const found = findEntry(await this.#read(entry.id), name, entry.id.length / 2);
      if (found === null) return null;
      entry = found;
    }
    return entry;
  }

  /** Returns the differences of two trees, each null for an empty one, of at most 100,000 files. Goes into folders that differ alone. */
  async compare(before: string | null, after: string | null, scope: TreeScope): Promise<readonly TreeChange[]> {
    const found: TreeChange[] = [];
    let left = MAX_ENTRIES;
    const add = (path: string, was: TreeEntry | null, is: TreeEntry | null): void => {
      const [a, b] = [asFile(was), asFile(is)];
      if ((a?.id !== b?.id || (a === null) !== (b === null)) && found.length < MAX_CHANGES && scope.matches(path))
        found.push({ path, before: a, after: b });
    };
    const walk = async (a: string | null, b: string | null, folder: string, depth: number): Promise<void> => {
      if (a === b || depth > MAX_DEPTH || found.length >= MAX_CHANGES || left <= 0 || !scope.mayMatch(folder)) return;
      const [old, now] = [await this.#list(a), await this.#list(b)];
      left -= old.size + now.size;
      for (const name of new Set([...now.keys(), ...old.keys()])) {
        const [was, is] = [old.get(name) ?? null, now.get(name) ?? null];
        if (was?.id === is?.id && was?.mode === is?.mode) continue;
        const path = folder === '' ? name : `${folder}/${name}`;
        if (path.length > MAX_PATH_CHARACTERS) continue;
        add(path, was, is);
        const [below, after] = [asFolder(was), asFolder(is)];
        if (below !== null || after !== null) await walk(below, after, path, depth + 1);
      }
    };
    await walk(before, after, '', 0);
    return found;
  }

  async #list(tree: string | null): Promise<ReadonlyMap<string, TreeEntry>> {
    return tree === null ? new Map() : listEntries(await this.#read(tree), tree.length / 2);
  }

  /** Returns the bytes of a tree; null if there is none. */
  async #read(id: string): Promise<Buffer | null> {
    const known = this.#cache.get(id);
    if (known !== undefined) return known;
    const found = await this.#objects.read(id);
    const bytes = found?.type === 'tree' ? found.bytes : null;
    if (bytes === null && this.#isStrict && !isEmptyTree(id))
      throw new RouxError('IO_ERROR', 'The git repository of this vault is not read: a part of it is missing, as in a partial clone.');
    this.#size += bytes?.length ?? 0;
    if (this.#size > MAX_TREE_BYTES) {
      this.#cache.clear();
      this.#size = bytes?.length ?? 0;
    }
    this.#cache.set(id, bytes);
    return bytes;
  }
}

/** Git knows the empty tree without keeping it. */
function isEmptyTree(id: string): boolean {
  return /^(?:4b825dc642cb6eb9a060e54bf8d69288fbee4904|6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321)$/.test(id);
}

function asFolder(entry: TreeEntry | null): string | null {
  return entry?.mode === FOLDER_MODE ? entry.id : null;
}

function asFile(entry: TreeEntry | null): TreeEntry | null {
  return entry?.mode === FOLDER_MODE ? null : entry;
}

/**
 * Finds an entry of a tree by name without parsing the others, whose number is up to whoever made the tree. A name in another Unicode form
 * counts if there is no better one.
 */
function findEntry(tree: Buffer | null, name: string, idBytes: number): TreeEntry | null {
  if (tree === null) return null;
  const wanted = Buffer.from(name);
  const isAscii = wanted.length === name.length;
  let alike: TreeEntry | null = null;
  for (let at = 0; at < tree.length;) {
    const end = tree.indexOf(0, at);
    const space = tree.indexOf(0x20, at);
    if (space < 0 || end < space) return null;
    const entry = (): TreeEntry => ({ mode: tree.toString('latin1', at, space), id: tree.toString('hex', end + 1, end + 1 + idBytes) });
    if (end - space - 1 === wanted.length && tree.compare(wanted, 0, wanted.length, space + 1, end) === 0) return entry();
    if (!isAscii && nameIn(tree.subarray(space + 1, end)) === name.normalize('NFC')) alike ??= entry();
    at = end + 1 + idBytes;
  }
  return alike;
}

/** Entries of one tree that are looked at. */
const MAX_LISTED = 100_000;

function listEntries(tree: Buffer | null, idBytes: number): ReadonlyMap<string, TreeEntry> {
  const entries = new Map<string, TreeEntry>();
  for (let at = 0; tree !== null && at < tree.length && entries.size < MAX_LISTED;) {
    const end = tree.indexOf(0, at);
    const space = tree.indexOf(0x20, at);
    if (space < 0 || end < space) break;
    const id = tree.toString('hex', end + 1, end + 1 + idBytes);
    entries.set(nameIn(tree.subarray(space + 1, end)), { mode: tree.toString('latin1', at, space), id });
    at = end + 1 + idBytes;
  }
  return entries;
}

/** Returns a name or path of git as text in NFC: UTF-8, else Latin-1, which is what other names mostly are, so that all stay different. */
export function nameIn(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  if (/^[\0-\x7f]*$/.test(text)) return text;
  const name = bytes.toString('utf8');
  return (Buffer.from(name).equals(bytes) ? name : text).normalize('NFC');
}
