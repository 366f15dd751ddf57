import type { CommandContext, Status } from '../command.ts';
import { agree, REFUSED } from '../pick/agree.ts';
import type { AskedChange } from '../pick/agree.ts';
import type { ImportRecord } from './import-record.ts';
import { reportImport, showImport } from './report-import.ts';
import type { Source } from '../../../importing/imported.ts';

/** What an import is asked to do. */
export interface AskedImport extends AskedChange {
  readonly from: Source | undefined;
  /** The folder of the vault; for beads, the project. */
  readonly into: string | undefined;
  /** What the source has wins where both changed, and what was deleted here is brought back. */
  readonly isForced: boolean;
}

/** Shows what an import would change, asks, imports, and reports. `run`: imports, or only computes what would change. */
export async function showAndImport(
  context: CommandContext,
  asked: AskedImport,
  run: (isRehearsal: boolean) => Promise<ImportRecord>,
): Promise<Status> {
  // With --yes nobody looks at it first.
  const planned = asked.isDryRun || !asked.isAgreed ? await run(true) : null;
  const show = (): void => {
    if (planned !== null) showImport(context, planned, { isWritten: false });
  };
  const agreement =
    planned !== null && !planned.isChanged ? REFUSED : await agree(context, asked, { show, question: 'Write this into the vault?' });
  const done = agreement.isGiven || planned === null ? await run(false) : planned;
  return reportImport(context, done, { isWritten: done !== planned, isShown: agreement.isShown });
}
