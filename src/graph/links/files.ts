import { compareText } from '../../note/text.ts';
import { Chains, Column } from '../column.ts';
import type { Entry } from '../entry.ts';
import type { InternedStrings } from '../interned-strings.ts';
import type { LinkTarget } from '../view.ts';
import type { BundleView } from './bundles.ts';
import { resolveLinkpath } from './resolve.ts';
import { linkKey } from '../../note/path.ts';
import type { FileLookup } from './resolve.ts';

/**
 * Maps every file of the vault, notes and attachments, to a small integer, with lookups by path and by link key. A number is not reused
 * before `recycle`, so that a change is reported as one.
 */
export class Files implements FileLookup {
  readonly #keys: InternedStrings;
  readonly bundles: BundleView;
  readonly #ids = new Map<string, number>();
  readonly #paths: string[] = [];
  readonly #entries: (Entry | null)[] = [];
  readonly #keyOf = new Column();
  readonly #byKey = new Chains();
  readonly #free: number[] = [];
  /** Numbers of files removed since the last `recycle`, by path. */
  readonly #retired = new Map<string, number>();
  #noteCount = 0;

  /** `keys` is shared with the link table. */
  constructor(keys: InternedStrings, bundles: BundleView) {
    this.#keys = keys;
    this.bundles = bundles;
  }

  get noteCount(): number {
    return this.#noteCount;
  }

  /** One more than the highest number in use. */
  get end(): number {
    return this.#paths.length;
  }

  idOf(path: string): number {
    return this.#ids.get(path) ?? -1;
  }

  pathOf(id: number): string {
    return this.#paths[id] ?? '';
  }

  /** Returns the note; null for an attachment. */
  entryOf(id: number): Entry | null {
    return this.#entries[id] ?? null;
  }

  isAttachment(path: string): boolean {
    const id = this.idOf(path);
    return id >= 0 && this.entryOf(id) === null;
  }

  /** Returns the file as a link target; unresolved for a negative number. */
  targetOf(id: number): LinkTarget {
    if (id < 0) return { kind: 'unresolved' };
    const entry = this.entryOf(id);
    return entry === null ? { kind: 'attachment', path: this.pathOf(id) } : { kind: 'note', path: entry.path };
  }

  /** Resolves a linkpath from a file. */
  resolve(query: { linkpath: string; from: string }): LinkTarget & { readonly isAmbiguous?: boolean } {
    const { path, isAmbiguous } = resolveLinkpath(this, query);
    const target = this.targetOf(path === null ? -1 : this.idOf(path));
    return isAmbiguous ? { ...target, isAmbiguous } : target;
  }

  keyOf(id: number): number {
    return this.#keyOf.get(id);
  }

  /** Adds a file, which is an attachment until it gets an entry. */
  add(path: string): number {
    const id = this.#retired.get(path) ?? this.#free.pop() ?? this.#paths.length;
    this.#retired.delete(path);
    this.#entries[id] = null;
    this.#bind(id, path);
    return id;
  }

  /** Adds a file of a packed graph, in the order of the numbers. The table must have no others. */
  unpack(path: string): number {
    const id = this.#paths.push(path) - 1;
    this.#entries[id] = null;
    this.#ids.set(path, id);
    return id;
  }

  /** Sets the keys of all files of a packed graph, which have the numbers below `keyCount`. */
  unpackKeys(keyOf: Int32Array, keyCount: number): void {
    this.#keyOf.fill(keyOf.slice());
    this.#byKey.fill(keyOf, keyCount);
  }

  setEntry(id: number, entry: Entry | null): void {
    this.#noteCount += (entry === null ? 0 : 1) - (this.entryOf(id) === null ? 0 : 1);
    this.#entries[id] = entry;
  }

  rename(id: number, path: string): void {
    this.#unbind(id);
    this.#bind(id, path);
  }

  remove(id: number): void {
    this.setEntry(id, null);
    this.#retired.set(this.pathOf(id), id);
    this.#unbind(id);
  }

  /** Allows the numbers of removed files to be reused. */
  recycle(): void {
    for (const id of this.#retired.values()) this.#free.push(id);
    this.#retired.clear();
  }

  byKey(key: string): readonly string[] {
    return this.idsByKey(key).map((id) => this.pathOf(id));
  }

  idsByKey(key: string): number[] {
    const ids: number[] = [];
    const list = this.#keys.find(key);
    if (list < 0) return ids;
    for (let id = this.#byKey.first(list); id >= 0; id = this.#byKey.after(id)) ids.push(id);
    return ids;
  }

  /** Sorts files by path. */
  sorted(ids: Iterable<number>): number[] {
    return [...ids].sort((a, b) => compareText(this.pathOf(a), this.pathOf(b)));
  }

  #bind(id: number, path: string): void {
    const key = this.#keys.acquire(linkKey(path));
    this.#paths[id] = path;
    this.#ids.set(path, id);
    this.#keyOf.set(id, key);
    this.#byKey.add(key, id);
  }

  #unbind(id: number): void {
    this.#ids.delete(this.pathOf(id));
    const key = this.keyOf(id);
    this.#byKey.remove(key, id);
    this.#keys.release(key);
    this.#paths[id] = '';
  }
}
