import { signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import { readStored, store } from '../stored.ts';

/** An item of a tree. */
export interface TreeItem {
  /** The path of a file or folder, or a tag. Contains the keys of the items above as its beginnings. */
  readonly key: string;
  readonly label: string;
  readonly isBranch: boolean;
  /** Where it leads; null for a branch that only opens. */
  readonly href: string | null;
  /** A short text at its end: a count, or the type of a file. */
  readonly detail?: string;
}

/** A page of the items directly below a branch. */
export interface LevelPage {
  readonly isThere: boolean;
  readonly offset: number;
  readonly total: number;
  readonly pageSize: number;
  readonly items: readonly TreeItem[];
}

/** What loads the items of a tree. `parent`: the key of a branch, '' for the outermost items. */
export type LoadLevel = (parent: string, at: { readonly offset: number } | { readonly around: string }) => Promise<LevelPage>;

/** The loaded items of a branch, by page. */
export interface Level {
  readonly total: number;
  readonly pageSize: number;
  readonly pages: ReadonlyMap<number, readonly TreeItem[]>;
}

/** Open branches that a browser remembers. */
const MAX_STORED = 300;
/** Branches that are loaded at once when a tree is shown again. */
const MAX_LOADING = 6;

/** The loaded levels of a tree and its open branches, level by level and page by page. */
export class TreeLevels {
  readonly levels = signal<ReadonlyMap<string, Level>>(new Map());
  readonly open: Signal<ReadonlySet<string>>;
  readonly error = signal<Error | null>(null);
  readonly #name: string;
  readonly #load: LoadLevel;
  readonly #loading = new Set<string>();
  readonly #waiting: (() => void)[] = [];

  /** `name`: under which its open branches are remembered. */
  constructor(name: string, load: LoadLevel) {
    this.#name = name;
    this.#load = load;
    const stored = readStored(name);
    const keys = Array.isArray(stored) ? stored.filter((key) => typeof key === 'string') : [];
    this.open = signal<ReadonlySet<string>>(new Set(keys));
  }

  /** Opens or closes a branch. */
  toggle(key: string, isOpen = !this.open.value.has(key)): void {
    const next = new Set(this.open.value);
    if (isOpen) next.add(key);
    else next.delete(key);
    this.open.value = next;
    store(this.#name, [...next].slice(-MAX_STORED));
    if (isOpen) void this.ensure(key, 0);
  }

  /** Loads a page of a level unless it is loaded or on its way. */
  async ensure(parent: string, page: number): Promise<void> {
    const level = this.levels.value.get(parent);
    if (level?.pages.has(page) === true) return;
    await this.#fetch(parent, { offset: page * (level?.pageSize ?? 0) });
  }

  /** Opens all branches above an item, and loads the pages that contain them and the item. */
  async reveal(key: string): Promise<void> {
    const names = key.split('/');
    for (let depth = 0; depth < names.length; depth += 1) {
      const parent = names.slice(0, depth).join('/');
      if (depth > 0 && !this.open.value.has(parent)) this.toggle(parent, true);
      if (!this.#isLoaded(parent, names.slice(0, depth + 1).join('/'))) await this.#fetch(parent, { around: names[depth] ?? '' });
    }
  }

  /** Loads again what may have changed: the levels above these keys, or all. Those that nobody sees are forgotten. */
  async refresh(keys: readonly string[] | null): Promise<void> {
    const touched = keys === null ? null : new Set(keys.flatMap((key) => branchesAbove(key)));
    const kept = new Map(this.levels.value);
    for (const parent of kept.keys()) {
      const isTouched = touched === null || touched.has(parent);
      if (isTouched && !this.#isVisible(parent)) kept.delete(parent);
    }
    if (kept.size !== this.levels.value.size) this.levels.value = kept;
    for (const [parent, { pages, pageSize }] of kept) {
      if (touched !== null && !touched.has(parent)) continue;
      // A level with many pages keeps those that it has: each is replaced when its answer is there.
      for (const page of pages.keys()) await this.#fetch(parent, { offset: page * pageSize }, true);
    }
  }

  #isLoaded(parent: string, key: string): boolean {
    for (const items of this.levels.value.get(parent)?.pages.values() ?? []) if (items.some((item) => item.key === key)) return true;
    return false;
  }

  #isVisible(parent: string): boolean {
    return parent === '' || branchesAbove(`${parent}/`).every((key) => key === '' || this.open.value.has(key));
  }

  async #fetch(parent: string, at: { readonly offset: number } | { readonly around: string }, isAgain = false): Promise<void> {
    const id = JSON.stringify([parent, at]);
    if (this.#loading.has(id) && !isAgain) return;
    this.#loading.add(id);
    await this.#takeTurn();
    try {
      const page = await this.#load(parent, at);
      this.error.value = null;
      this.#put(parent, page);
      for (const item of page.items) if (item.isBranch && this.open.value.has(item.key)) void this.ensure(item.key, 0);
    } catch (error) {
      this.error.value = error instanceof Error ? error : new Error(String(error));
    } finally {
      this.#loading.delete(id);
      this.#waiting.shift()?.();
    }
  }

  /** Waits until few enough calls are under way. */
  async #takeTurn(): Promise<void> {
    if (this.#loading.size > MAX_LOADING) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #put(parent: string, { isThere, offset, total, pageSize, items }: LevelPage): void {
    const levels = new Map(this.levels.value);
    const known = levels.get(parent);
    if (!isThere) levels.delete(parent);
    else {
      const pages = new Map(known?.pageSize === pageSize ? known.pages : []);
      pages.set(offset / pageSize, items);
      for (const page of pages.keys()) if (page * pageSize >= Math.max(total, 1)) pages.delete(page);
      levels.set(parent, { total, pageSize, pages });
    }
    this.levels.value = levels;
  }
}

/** Returns the keys of all branches above an item, with the root. */
function branchesAbove(key: string): readonly string[] {
  const names = key.split('/');
  return names.map((_, depth) => names.slice(0, depth).join('/'));
}

/** A line of a tree as it is shown: an item, or a place for one that is not loaded yet. */
export interface TreeRow {
  readonly item: TreeItem | null;
  readonly parent: string;
  /** Place among its siblings, from 0, and their number. */
  readonly index: number;
  readonly count: number;
  readonly depth: number;
  readonly isOpen: boolean;
}

/** Returns all lines of a tree in order. */
export function listRows(levels: ReadonlyMap<string, Level>, open: ReadonlySet<string>): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (parent: string, depth: number): void => {
    const level = levels.get(parent);
    if (level === undefined) return;
    const { total, pageSize, pages } = level;
    for (let index = 0; index < total; index += 1) {
      const item = pages.get(Math.floor(index / pageSize))?.[index % pageSize] ?? null;
      const isOpen = item?.isBranch === true && open.has(item.key);
      rows.push({ item, parent, index, count: total, depth, isOpen });
      if (isOpen && item !== null) add(item.key, depth + 1);
    }
  };
  add('', 0);
  return rows;
}
