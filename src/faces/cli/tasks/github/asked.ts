import type { AskedChange } from '../../pick/agree.ts';

/** What a pull or push is asked to do. */
export interface Asked extends AskedChange {
  /** `owner/name`. */
  readonly repository: string | undefined;
  readonly project: string | undefined;
  /** Tasks for which issues are opened. */
  readonly opened: readonly string[];
  /** One side wins where both changed a field. */
  readonly isForced: boolean;
}
