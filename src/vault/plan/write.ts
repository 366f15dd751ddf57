import { RouxError } from '../../errors.ts';
import { toStoreError } from '../../store/folder/system-error.ts';
import { EarlierWrites } from './earlier/earlier-writes.ts';
import { EditRecorder } from './edit-recorder.ts';
import { PlannedWrite } from './planned-write.ts';
import type { Writer, WriterOptions } from './writer.ts';

/** Creates the writer of a vault. Touches nothing until the first write. */
export function openWriter(options: WriterOptions): Writer {
  const recorder = new EditRecorder(options);
  let isStopped = false;
  const checkRunning = (): void => {
    if (isStopped) throw writesStopped();
  };
  const write: Writer['write'] = async (meta, makePlan) => {
    const planned = new PlannedWrite(options, recorder, meta, makePlan);
    if (meta.dryRun === true) return await planned.dryRun();
    checkRunning();
    if (options.config.readOnly) throw new RouxError('READ_ONLY', 'This vault is open for reading only.');
    await requireRoot(options);
    // That may have taken a while.
    checkRunning();
    return await planned.execute();
  };
  const earlier = new EarlierWrites(options, write);
  return {
    write,
    undo: (meta, query) => earlier.undo(meta, query),
    restore: (meta, reference) => earlier.restore(meta, reference),
    completeWrite: (meta, id) => earlier.complete(meta, id),
    version: () => recorder.version,
    checkVersion: (based) => recorder.checkVersion(based),
    history: (query) => recorder.history(query),
    histories: (query) => recorder.histories(query),
    follow: (changes) => recorder.follow(changes),
    unrecorded: () => recorder.unrecorded(),
    hasUnrecordedEdits: () => recorder.hasUnrecorded,
    stop() {
      isStopped = true;
      options.store.refuseWaiting(writesStopped());
    },
    close: () => recorder.record(),
  };
}

/** Refuses to write while the vault folder is missing; after it came back, the graph must be current first. */
async function requireRoot({ rootCheck, catchUp }: WriterOptions): Promise<void> {
  const found = rootCheck.look();
  if (found === 'gone') throw toStoreError(Object.assign(new Error('ESTALE'), { code: 'ESTALE' }));
  if (found === 'back') await catchUp('strict');
}

/** Returns the refusal of a write that had not begun when the process was asked to end. */
function writesStopped(): RouxError {
  const message = 'roux was asked to end before this write began; nothing was changed. Call it again when roux runs.';
  return new RouxError('CANCELLED', message, undefined, { retryable: true });
}
