/** A problem with the records in `.roux`. */
export interface RecordFault {
  readonly area: 'journal' | 'history' | 'batches' | 'trash';
  /** Vault-relative path, followed by `:` and a line number where the problem is in one line. */
  readonly path: string;
  /** The problem, as the rest of a sentence that begins with the path. */
  readonly message: string;
  /** The remedy, in full sentences. */
  readonly remedy: string;
}

/** The result of a check of the records. */
export interface RecordCheck {
  readonly faults: readonly RecordFault[];
  /** What could not be checked and why, for people. */
  readonly unchecked: readonly string[];
  readonly counts: { readonly events: number; readonly foreign: number; readonly batches: number; readonly trash: number };
}
