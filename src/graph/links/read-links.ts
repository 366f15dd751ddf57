import type { LinkText } from '../../note/note.ts';
import type { GraphLink } from '../view.ts';
import type { Files } from './files.ts';
import { textOf } from './link-flags.ts';
import type { LinkTable } from './link-table.ts';

/** Reads the links of a table. */
export class ReadLinks {
  readonly #links: LinkTable;
  readonly #files: Files;

  constructor(links: LinkTable, files: Files) {
    this.#links = links;
    this.#files = files;
  }

  outOf(path: string, only?: 'unresolved'): readonly GraphLink[] {
    this.#links.resolveAll();
    const rows = this.#links.out(this.#files.idOf(path));
    const wanted = only === undefined ? rows : rows.filter((row) => this.#links.targetOf(row) < 0);
    return wanted.map((row) => this.#links.read(row));
  }

  /** Returns links as written, without resolving them. */
  textsOf(path: string): readonly LinkText[] {
    return this.#links.out(this.#files.idOf(path)).map((row) => textOf(this.#links.read(row)));
  }

  into(path: string): readonly GraphLink[] {
    this.#links.resolveAll();
    return this.#inOrder(this.#links.in(this.#files.idOf(path)));
  }

  byKey(path: string): readonly GraphLink[] {
    this.#links.resolveAll();
    return this.#inOrder(this.#links.byKey(path));
  }

  /** Returns the ambiguous links of visible notes. */
  ambiguous(): readonly GraphLink[] {
    this.#links.resolveAll();
    const rows = [...this.#links.ambiguous()];
    return this.#inOrder(rows.filter((row) => this.#files.entryOf(this.#links.sourceOf(row))?.isHidden === false));
  }

  /** Returns the links of these rows by source path, then in text order. */
  #inOrder(rows: readonly number[]): readonly GraphLink[] {
    const wanted = new Set(rows);
    const sources = this.#files.sorted(new Set(rows.map((row) => this.#links.sourceOf(row))));
    return sources.flatMap((source) => this.#links.out(source).filter((row) => wanted.has(row))).map((row) => this.#links.read(row));
  }
}
