/** Something that is wrong with what roux keeps in `.roux`. */
export interface RecordFault {
  readonly area: 'journal' | 'history' | 'batches' | 'trash';
  /** Where: a vault-relative path, with the number of a line behind it where it is one. */
  readonly path: string;
  /** What is wrong there: the rest of a sentence that begins with the path. */
  readonly message: string;
  /** What to do about it, as sentences. */
  readonly remedy: string;
}

/** What a check of the records came to. */
export interface RecordCheck {
  readonly faults: readonly RecordFault[];
  /** What could not be looked at, and why, in words. */
  readonly unchecked: readonly string[];
  readonly counts: { readonly events: number; readonly foreign: number; readonly batches: number; readonly trash: number };
}
