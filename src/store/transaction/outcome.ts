/** What the execution of a transaction found and did, besides its plan. */
export interface Outcome {
  readonly warnings: string[];
  /** Paths of conflict copies. */
  readonly copies: string[];
  /** Steps whose file had newer bytes: what they really changed. */
  readonly rewritten: Map<number, { readonly before: Buffer; readonly after: Buffer }>;
  /** Inodes that left their names, kept until verified. */
  readonly displaced: DisplacedFile[];
}

/** A file that a transaction displaced, under its second name. */
export interface DisplacedFile {
  readonly step: number;
  readonly path: string;
  readonly file: string;
  /** What it held, as far as is known. */
  hash: string;
  /** The bytes that undo needs, as they were read; null where they were not, or are too many to be held in memory. */
  readonly before: Buffer | null;
}

/** Maximum number of bytes that one transaction holds until the second look at the files it displaced. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;

/** Holds bytes that undo needs in memory, up to `MAX_HELD_BYTES`. */
export class HeldBytes {
  #sum = 0;

  /** Returns the bytes if they still fit, else null. */
  keep(bytes: Buffer): Buffer | null {
    if (this.#sum + bytes.length > MAX_HELD_BYTES) return null;
    this.#sum += bytes.length;
    return bytes;
  }
}
