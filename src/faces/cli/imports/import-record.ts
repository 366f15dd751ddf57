import type { importNotes } from '../../../ops/care/imports/import-notes.ts';
import type { AnswerOf } from '../../../ops/operation.ts';

type Imported = AnswerOf<typeof importNotes>;
type Row = Imported['rows'][number];
type LeftOut = Imported['left'][number];

/** What an import did, or would do, over all of its writes. */
export class ImportRecord {
  readonly source: string;
  /** The folder; `''` for the top of the vault. */
  readonly into: string;
  /** Without those that change nothing. */
  readonly rows: Row[] = [];
  readonly copied: string[] = [];
  readonly left: LeftOut[];
  readonly batches: string[] = [];
  readonly warnings = new Set<string>();
  /** What is said in other words than at the source, and how often. */
  readonly changed = new Map<string, number>();
  unchanged = 0;

  constructor({ source, into, left }: { readonly source: string; readonly into: string; readonly left: readonly LeftOut[] }) {
    this.source = source;
    this.into = into;
    this.left = [...left];
  }

  add({ rows, copied, left, batch }: Imported, warnings: readonly string[]): void {
    for (const row of rows) {
      if (row.change === 'none' && row.conflicts === undefined) this.unchanged += 1;
      else this.rows.push(row);
    }
    for (const each of copied) this.copied.push(each);
    for (const each of left) this.left.push(each);
    if (batch !== null) this.batches.push(batch);
    for (const warning of warnings) this.warnings.add(warning);
  }

  count(what: string, times: number): void {
    this.changed.set(what, (this.changed.get(what) ?? 0) + times);
  }

  leave(path: string, reason: string): void {
    this.left.push({ path, reason });
  }

  of(change: Row['change']): readonly Row[] {
    return this.rows.filter((row) => row.change === change);
  }

  get conflicts(): readonly Row[] {
    return this.rows.filter(({ conflicts }) => conflicts !== undefined);
  }

  /** Whether there is anything to write. */
  get isChanged(): boolean {
    return this.copied.length > 0 || this.rows.some(({ change }) => change === 'new' || change === 'updated');
  }
}
