/** What carrying out a transaction found and did beyond its plan. */
export interface Outcome {
  readonly warnings: string[];
  /** Paths of conflict copies. */
  readonly copies: string[];
  /** The bytes before and after of steps whose file had newer bytes than planned. */
  readonly rewritten: Map<number, { readonly before: Buffer; readonly after: Buffer }>;
  /** Inodes that lost their names, to be checked at the end. */
  readonly displaced: DisplacedFile[];
}

/** A file that a transaction displaced, under its name in the journal. */
export interface DisplacedFile {
  readonly step: number;
  readonly path: string;
  readonly file: string;
  /** Hash of its content, as last known. */
  hash: string;
  /** The bytes that undo needs; null if they were not read, or are too many for memory. */
  readonly before: Buffer | null;
}

/** Bytes that one transaction keeps in memory until its displaced files are checked a second time. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;

/** Counts the bytes for undo that a transaction keeps in memory. */
export class HeldBytes {
  #sum = 0;

  /** Returns the bytes if they still fit; null otherwise. */
  keep(bytes: Buffer): Buffer | null {
    if (this.#sum + bytes.length > MAX_HELD_BYTES) return null;
    this.#sum += bytes.length;
    return bytes;
  }
}
