import type { EntryFields } from '../../graph/entry.ts';
import { idOf } from '../../graph/entry.ts';
import type { FileStamp } from '../../graph/view.ts';
import type { Problem } from '../../note/note.ts';
import type { NotePath } from '../../note/path.ts';
import type { SeenNote } from '../sync/inventory.ts';

/** What the cache has of a note in JSON; the rest is in columns. */
export type NoteRow = readonly [
  ownId: string | null,
  title: string,
  type: string | null,
  aliases: readonly string[],
  tags: readonly string[],
  yaml: string,
  headings: string,
  blocks: string,
  problems: readonly Problem[] | null,
];

/** Bytes of a hash. */
export const HASH_BYTES = 32;
const EMPTY: readonly never[] = Object.freeze([]);

/** The notes of a cache as they are stored, by number. */
export interface StoredNotes {
  readonly sizes: Float64Array;
  readonly mtimes: BigInt64Array;
  readonly ctimes: BigInt64Array;
  readonly inodes: BigUint64Array;
  /** `HASH_BYTES` of each. */
  readonly hashes: Buffer;
  /** 1 for a note with an id in its frontmatter. */
  readonly hasOwnId: Uint8Array;
  /** Where the row of each ends in `rows`, and that of the next one begins. */
  readonly ends: Uint32Array;
  readonly rows: Buffer;
}

/**
 * A note of the cache, as the graph and the inventory know it: one small object, since most notes of a vault are not asked for after a start.
 * Its row is decoded when something of it is, and stays decoded.
 */
export class StoredNote implements EntryFields, SeenNote {
  readonly path: NotePath;
  readonly isExcluded: boolean;
  declare readonly linkedTo?: string;
  readonly #notes: StoredNotes;
  readonly #at: number;
  #row: NoteRow | null = null;

  constructor(notes: StoredNotes, at: number, file: { readonly path: NotePath; readonly isExcluded: boolean; readonly linkedTo?: string }) {
    this.path = file.path;
    this.isExcluded = file.isExcluded;
    if (file.linkedTo !== undefined) this.linkedTo = file.linkedTo;
    this.#notes = notes;
    this.#at = at;
  }

  get stamp(): FileStamp {
    const { sizes, mtimes, ctimes, inodes } = this.#notes;
    const at = this.#at;
    return { size: sizes[at] ?? 0, mtimeNs: mtimes[at] ?? 0n, ctimeNs: ctimes[at] ?? 0n, ino: inodes[at] ?? 0n };
  }

  get hash(): string {
    return this.#notes.hashes.toString('hex', this.#at * HASH_BYTES, (this.#at + 1) * HASH_BYTES);
  }

  get ownId(): string | null {
    return this.#notes.hasOwnId[this.#at] === 1 ? this.#decoded()[0] : null;
  }

  get id(): string {
    return idOf(this.path, this.ownId);
  }

  get title(): string {
    return this.#decoded()[1];
  }

  get type(): string | null {
    return this.#decoded()[2];
  }

  get aliases(): readonly string[] {
    return this.#decoded()[3];
  }

  get tags(): readonly string[] {
    return this.#decoded()[4];
  }

  get yaml(): string {
    return this.#decoded()[5];
  }

  get packedHeadings(): string {
    return this.#decoded()[6];
  }

  get packedBlocks(): string {
    return this.#decoded()[7];
  }

  get problems(): readonly Problem[] {
    return this.#decoded()[8] ?? EMPTY;
  }

  /** Its row as it is stored. */
  get packedRow(): Buffer {
    const { ends, rows } = this.#notes;
    return rows.subarray(this.#at === 0 ? 0 : ends[this.#at - 1], ends[this.#at]);
  }

  #decoded(): NoteRow {
    return (this.#row ??= JSON.parse(this.packedRow.toString('utf8')) as NoteRow);
  }
}
