import { RouxError } from '../../../errors.ts';
import { visibleLine } from '../../../terminal-text.ts';
import { FAILED, DONE } from '../command.ts';
import type { CommandContext, Status } from '../command.ts';
import { showExcludedFiles } from './outcome.ts';

/** Serves a shared vault from a temporary folder, which is removed once all of its edits are in the store. */
export async function serveCopy(
  context: CommandContext,
  {
    url,
    signal,
    serveVault,
  }: {
    readonly url: string;
    readonly signal: AbortSignal;
    readonly serveVault: (context: CommandContext, signal: AbortSignal) => Promise<Status>;
  },
): Promise<Status> {
  const { note, paint } = context;
  const opened = await openCopy(context, url, signal);
  if (opened === null) return DONE;
  const { copy, host } = opened;
  showExcludedFiles(context, copy.left);
  let status: Status;
  try {
    status = await serveVault({ ...context, host }, signal);
  } finally {
    await host.close();
    const kept = await copy.end();
    if (kept !== null) {
      note(`${paint.yellow('!')} The last edits are not in the store: ${visibleLine(kept)} They are kept in ${visibleLine(copy.root)}.`);
      status = FAILED;
    }
  }
  return status;
}

/** Returns null if the signal ended it early. */
async function openCopy({ program }: CommandContext, url: string, signal: AbortSignal) {
  try {
    return await program.openCopy(url, signal);
  } catch (error) {
    if (signal.aborted && error instanceof RouxError && error.code === 'CANCELLED') return null;
    throw error;
  }
}
