import type { Source } from '../../../importing/imported.ts';
import type { AskedChange } from '../pick/agree.ts';

/** What an import is asked to do. */
export interface AskedImport extends AskedChange {
  readonly from: Source | undefined;
  /** The folder of the vault; for beads, the project. */
  readonly into: string | undefined;
  /** What the source has wins where both changed, and what was deleted here is brought back. */
  readonly isForced: boolean;
}
