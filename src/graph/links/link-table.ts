import type { LinkText } from '../../note/note.ts';
import type { NotePath } from '../../note/path.ts';
import { Chains, Column, countUses, rowsBySource } from '../column.ts';
import { InternedStrings } from '../interned-strings.ts';
import type { PackedGraph } from '../packed-graph.ts';
import type { GraphLink } from '../view.ts';
import type { Files } from './files.ts';
import { AMBIGUOUS, flagsOf, formOf, partsOf } from './link-flags.ts';
import { Linkpaths } from './linkpaths.ts';
import { PendingLinks } from './pending.ts';
import { resolverOf } from './resolve.ts';
import { linkKey } from '../../note/path.ts';

const UNRESOLVED = -1;
const PENDING = -2;
const FREE = -3;
const NO_TEXT = -1;
/** Links resolved per step. */
const LINKS_PER_STEP = 500;

/**
 * Every link of the vault, in columns of integers: a link is a row, its texts are interned. Links are chained by source, by linkpath (and
 * those by key) and by target, so that a change costs only what it affects.
 */
export class LinkTable {
  readonly #files: Files;
  readonly #keys: InternedStrings;
  readonly #texts = new InternedStrings();
  readonly #linkpaths: Linkpaths;
  /** Columns by link. */
  readonly #source = new Column();
  readonly #linkpath = new Column();
  readonly #subpath = new Column();
  readonly #property = new Column();
  readonly #target = new Column();
  readonly #flags = new Column();
  readonly #nextOut = new Column();
  /** Columns by file. */
  readonly #firstOut = new Column();
  /** Columns by linkpath. */
  readonly #unresolvedCount = new Column();
  readonly #byLinkpath = new Chains();
  readonly #byTarget = new Chains();
  readonly #free: number[] = [];
  #end = 0;
  readonly #pending = new PendingLinks();
  #fileChanges = 0;
  #resolvedCount = 0;
  #unresolvedChanges = 0;
  readonly #onRetarget: (change: { source: number; before: number; after: number }) => void;

  constructor(files: Files, keys: InternedStrings, onRetarget: (change: { source: number; before: number; after: number }) => void) {
    this.#files = files;
    this.#keys = keys;
    this.#linkpaths = new Linkpaths(keys);
    this.#onRetarget = onRetarget;
  }

  /** Number of link resolutions since the start: the real cost of changes. */
  get resolvedCount(): number {
    return this.#resolvedCount;
  }

  /** Increases when an unresolved link is added or removed. */
  get unresolvedChanges(): number {
    return this.#unresolvedChanges;
  }

  /**
   * Replaces the links of a file. Unchanged links at the start and end keep their targets; the others are resolved by the next
   * `resolveAll`.
   */
  put(source: number, links: readonly LinkText[]): void {
    const before = this.out(source);
    const most = Math.min(before.length, links.length);
    let head = 0;
    while (head < most && this.#isAs(before[head]!, links[head]!)) head += 1;
    if (head === before.length && head === links.length) return;
    let tail = 0;
    while (tail < most - head && this.#isAs(before[before.length - 1 - tail]!, links[links.length - 1 - tail]!)) tail += 1;
    for (const row of before.slice(head, before.length - tail)) this.#remove(row);
    const added = links.slice(head, links.length - tail).map((link) => this.#add(source, link));
    const rows = [...before.slice(0, head), ...added, ...before.slice(before.length - tail)];
    for (const [at, row] of rows.entries()) this.#nextOut.set(row, rows[at + 1] ?? -1);
    this.#firstOut.set(source, rows[0] ?? -1);
  }

  /** Returns whether a row equals this link. */
  #isAs(row: number, link: LinkText): boolean {
    const { linkpath, subpath } = partsOf(link);
    const [sub, property] = [this.#subpath.get(row), this.#property.get(row)];
    return (
      this.#linkpaths.texts.text(this.#linkpath.get(row)) === linkpath &&
      (sub === NO_TEXT ? null : this.#texts.text(sub)) === subpath &&
      (property === NO_TEXT ? undefined : this.#texts.text(property)) === link.property &&
      (this.#flags.get(row) & ~AMBIGUOUS) === flagsOf(link)
    );
  }

  /** Removes the links of a file. */
  drop(source: number): void {
    let row = this.#firstOut.get(source);
    this.#firstOut.set(source, -1);
    while (row >= 0) {
      const next = this.#nextOut.get(row);
      this.#remove(row);
      row = next;
    }
  }

  /** Marks the links of a key, whose files changed, for the next `resolveAll`. */
  touchKey(key: number): void {
    this.#fileChanges += 1;
    if (this.#linkpaths.hasKey(key)) this.#pending.addKey(key);
  }

  /** Marks the links of a file, whose meaning changed, for the next `resolveAll`. */
  touchLinksOf(source: number): void {
    this.#fileChanges += 1;
    for (const row of this.out(source)) this.#pending.addKey(this.#linkpaths.keys.get(this.#linkpath.get(row)));
  }

  /** Resolves pending links. Every query calls it first, so that many changes without a query cost it once. */
  resolveAll(): void {
    if (!this.#pending.isEmpty) for (const steps = this.resolvePending(); steps.next().done !== true;);
  }

  /** The same in steps, including changes made between them. */
  *resolvePending(): Generator<void> {
    let [resolve, known] = [resolverOf(this.#files), this.#fileChanges];
    while (!this.#pending.isEmpty) {
      if (known !== this.#fileChanges) [resolve, known] = [resolverOf(this.#files), this.#fileChanges];
      const key = this.#pending.takeKey();
      const rows = key === undefined ? this.#pending.takeRows(LINKS_PER_STEP) : this.#rowsOfKey(key);
      // A single pending row may have been resolved with its key, or freed.
      for (const row of rows) if (key !== undefined || this.#target.get(row) === PENDING) this.#resolve(row, resolve);
      yield;
    }
  }

  /** Returns the rows of the links out of a file, in text order. */
  out(source: number): number[] {
    const rows: number[] = [];
    for (let row = this.#firstOut.get(source); row >= 0; row = this.#nextOut.get(row)) rows.push(row);
    return rows;
  }

  /** Returns the rows of the links to a file, unordered. */
  in(target: number): number[] {
    return this.#byTarget.members(target);
  }

  hasUnresolved(source: number): boolean {
    return this.out(source).some((row) => this.#target.get(row) === UNRESOLVED);
  }

  /** Returns the rows of the links that could mean a file of this name, unordered. */
  byKey(path: string): number[] {
    return this.#rowsOfKey(this.#keys.find(linkKey(path)));
  }

  #rowsOfKey(key: number): number[] {
    return this.#linkpaths.ofKey(key).flatMap((linkpath) => this.#byLinkpath.members(linkpath));
  }

  /** Yields the linkpaths with unresolved links, each with their rows. */
  *unresolved(): IterableIterator<{ linkpath: string; rows: number[] }> {
    for (let id = 0; id < this.#linkpaths.end; id += 1) {
      if (this.#unresolvedCount.get(id) <= 0) continue;
      const rows = this.#byLinkpath.members(id).filter((row) => this.#target.get(row) === UNRESOLVED);
      yield { linkpath: this.#linkpaths.texts.text(id), rows };
    }
  }

  /** Yields the rows with several matching files. */
  *ambiguous(): IterableIterator<number> {
    for (let row = 0; row < this.#end; row += 1) {
      if (this.#target.get(row) !== FREE && (this.#flags.get(row) & AMBIGUOUS) !== 0) yield row;
    }
  }

  sourceOf(row: number): number {
    return this.#source.get(row);
  }

  isWikilink(row: number): boolean {
    return formOf(this.#flags.get(row)).form === 'wikilink';
  }

  /** Returns the target file of a link; negative for none. */
  targetOf(row: number): number {
    return this.#target.get(row);
  }

  read(row: number): GraphLink {
    const flags = this.#flags.get(row);
    const subpath = this.#subpath.get(row);
    const property = this.#property.get(row);
    return {
      from: this.#files.pathOf(this.#source.get(row)) as NotePath,
      target: this.#files.targetOf(this.#target.get(row)),
      linkpath: this.#linkpaths.texts.text(this.#linkpath.get(row)),
      subpath: subpath === NO_TEXT ? '' : this.#texts.text(subpath),
      ...formOf(flags),
      property: property === NO_TEXT ? null : this.#texts.text(property),
      isAmbiguous: (flags & AMBIGUOUS) !== 0,
    };
  }

  /** The columns, for packing. */
  get columns() {
    const [linkpaths, texts, keyOfLinkpath] = [this.#linkpaths.texts, this.#texts, this.#linkpaths.keys];
    const [linkpath, subpath, property] = [this.#linkpath, this.#subpath, this.#property];
    return { linkpaths, texts, keyOfLinkpath, linkpath, subpath, property, flags: this.#flags, target: this.#target } as const;
  }

  /** Loads the links of a packed graph whose files and keys are loaded already. The table must be empty. */
  *unpack({ entries, attachments, keys, linkpaths, texts, columns }: PackedGraph): Generator<void> {
    const { linkpath, subpath, property, flags, target } = columns;
    yield;
    this.#linkpaths.unpack(linkpaths, { uses: countUses(linkpaths.length, linkpath), keys: columns.linkpathKey, keyCount: keys.length });
    yield;
    this.#texts.unpack(texts, countUses(texts.length, subpath, property));
    yield;
    this.#linkpath.fill(linkpath.slice());
    this.#subpath.fill(subpath.slice());
    this.#property.fill(property.slice());
    this.#flags.fill(flags.slice());
    this.#target.fill(target.slice());
    yield;
    this.#byLinkpath.fill(linkpath, linkpaths.length);
    yield;
    this.#byTarget.fill(target, entries.length + attachments.length);
    yield;
    this.#unresolvedCount.fill(
      countUses(
        linkpaths.length,
        linkpath.filter((_, row) => target[row] === UNRESOLVED),
      ),
    );
    yield;
    const { firstOut, source, nextOut } = rowsBySource(columns.linkCount);
    this.#end = source.length;
    this.#firstOut.fill(firstOut);
    this.#source.fill(source);
    this.#nextOut.fill(nextOut);
  }

  #add(source: number, link: LinkText): number {
    const parts = partsOf(link);
    const linkpath = this.#linkpaths.acquire(parts.linkpath);
    if (this.#unresolvedCount.get(linkpath) < 0) this.#unresolvedCount.set(linkpath, 0);
    const row = this.#free.pop() ?? this.#end++;
    this.#source.set(row, source);
    this.#linkpath.set(row, linkpath);
    this.#subpath.set(row, parts.subpath === null ? NO_TEXT : this.#texts.acquire(parts.subpath));
    this.#property.set(row, link.property === undefined ? NO_TEXT : this.#texts.acquire(link.property));
    this.#flags.set(row, flagsOf(link));
    this.#target.set(row, PENDING);
    this.#byLinkpath.add(linkpath, row);
    this.#pending.addRow(row);
    return row;
  }

  #remove(row: number): void {
    const linkpath = this.#linkpath.get(row);
    this.#retarget(row, FREE);
    this.#byLinkpath.remove(linkpath, row);
    this.#linkpaths.release(linkpath);
    for (const text of [this.#subpath.get(row), this.#property.get(row)]) if (text !== NO_TEXT) this.#texts.release(text);
    this.#free.push(row);
  }

  #resolve(row: number, resolve: ReturnType<typeof resolverOf>): void {
    const linkpath = this.#linkpaths.texts.text(this.#linkpath.get(row));
    const { path, isAmbiguous } = resolve({ linkpath, from: this.#files.pathOf(this.#source.get(row)) });
    this.#resolvedCount += 1;
    const flags = this.#flags.get(row);
    this.#flags.set(row, isAmbiguous ? flags | AMBIGUOUS : flags & ~AMBIGUOUS);
    this.#retarget(row, path === null ? UNRESOLVED : this.#files.idOf(path));
  }

  #retarget(row: number, after: number): void {
    const before = this.#target.get(row);
    if (before === after) return;
    const linkpath = this.#linkpath.get(row);
    if (before >= 0) this.#byTarget.remove(before, row);
    if (before === UNRESOLVED) this.#unresolvedCount.set(linkpath, this.#unresolvedCount.get(linkpath) - 1);
    if (before === UNRESOLVED || after === UNRESOLVED) this.#unresolvedChanges += 1;
    this.#target.set(row, after);
    if (after >= 0) this.#byTarget.add(after, row);
    if (after === UNRESOLVED) this.#unresolvedCount.set(linkpath, this.#unresolvedCount.get(linkpath) + 1);
    this.#onRetarget({ source: this.#source.get(row), before, after });
  }
}
