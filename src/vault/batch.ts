import { removeIfThere } from '../disk/atomic.ts';
import type { FileSystem } from '../disk/file-system.ts';
import { decodeIntent } from '../disk/journal.ts';
import type { Origin } from '../disk/origin.ts';
import { RouxError } from '../errors.ts';
import { applyChanges } from '../note/edit.ts';
import { hashOf } from './content.ts';
import { timeOfId } from './id-time.ts';
import { isIntent } from './intent.ts';
import type { Intent, Step } from './intent.ts';
import type { Logbook } from './logbook.ts';

/** Reads what is kept of finished transactions, to undo them. */
export interface Batches {
  /** The transaction of this batch; `NODE_NOT_FOUND` when nothing is kept of it any more. */
  read(batch: string): Promise<Intent>;
  /** The bytes that a step displaced. */
  before(intent: Intent, step: number): Promise<Buffer>;
  /** The text that a step left, or null when it cannot be told any more. */
  after(intent: Intent, step: number): Promise<string | null>;
  /** Forgets what is older than a month, and the oldest of what is too much. */
  prune(now: number): Promise<void>;
}

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const KEPT_BYTES = 256 * 1024 * 1024;

/** The finished transactions of a logbook. */
export function openBatches(files: FileSystem, root: string, logbook: Logbook, origin: Origin): Batches {
  const folder = logbook.batchFile('').slice(0, -'/.json'.length);

  async function before(intent: Intent, index: number): Promise<Buffer> {
    const step = intent.steps[index];
    if (step === undefined || step.kind === 'create') throw lost(intent.id);
    const file = step.kind === 'remove' ? (step.trash === null ? null : `${root}/${step.trash}`) : logbook.beforeFile(intent.id, index);
    const bytes = file === null ? null : await files.read(file);
    if (bytes === null || hashOf(bytes) !== step.before) throw lost(intent.id);
    return bytes;
  }

  return {
    before,
    async read(batch) {
      const bytes = /^[0-9a-z]{26}$/.test(batch) ? await files.read(logbook.batchFile(batch)) : null;
      const kept = bytes === null ? undefined : decodeIntent(bytes);
      const intent = kept?.intent;
      // A batch that came with the folder, or was copied along, says nothing about what happened here.
      if (kept === undefined || !isIntent(intent) || intent.id !== batch || !(await origin.isOurs(kept.line, kept.mark)))
        throw new RouxError('NODE_NOT_FOUND', `Nothing is kept of the batch ${JSON.stringify(batch)}; undo reaches back 30 days.`, {
          batch,
        });
      return intent;
    },
    async after(intent, index) {
      const step = intent.steps[index];
      if (step === undefined || !hasChanges(step)) return null;
      const text = applyChanges(
        step.kind === 'move' ? step.to : step.path,
        (await before(intent, index)).toString('utf8'),
        step.changes,
      ).text;
      return hashOf(text) === step.after ? text : null;
    },
    async prune(now) {
      const names = (await files.list(folder)) ?? [];
      let size = 0;
      // Names begin with the time: newest first.
      for (const name of names.toReversed()) {
        size += (await files.stat(`${folder}/${name}`))?.size ?? 0;
        const made = timeOfId(name);
        if (made !== null && (now - made > KEPT_MS || size > KEPT_BYTES)) await removeIfThere(files, `${folder}/${name}`);
      }
    },
  };
}

function hasChanges(step: Step): step is Extract<Step, { kind: 'move' | 'replace' }> & { changes: NonNullable<unknown> } {
  return (step.kind === 'move' || step.kind === 'replace') && step.changes !== null;
}

function lost(batch: string): RouxError {
  return new RouxError('NODE_NOT_FOUND', `The texts before batch ${batch} are not kept any more, so it cannot be undone.`, { batch });
}
