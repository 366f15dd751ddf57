/** What an import did, or would do, to a note. */
export interface ImportedRow {
  /** At the source. */
  readonly id: string;
  readonly title: string;
  /** Where it is, or was to go. */
  readonly path: string;
  readonly change: 'new' | 'updated' | 'none' | 'skipped';
  /** The parts that were taken over. */
  readonly fields?: readonly string[];
  /** The parts that both sides changed. */
  readonly conflicts?: readonly string[];
  /** Why it is skipped. */
  readonly reason?: string;
  /** Of a task: what it is linked to at the source, and cannot be linked to here. */
  readonly missing?: readonly string[];
}
