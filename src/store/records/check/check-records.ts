import { setImmediate, setTimeout } from 'node:timers/promises';
import { errorMessage, systemCode } from '../../../errors.ts';
import type { FileReader, FileSystem } from '../../folder/file-system.ts';
import { hashAt, hashOf, isTooLarge, MAX_FILE_BYTES, stampHashOf } from '../../folder/hash.ts';
import type { Origin } from '../../origin.ts';
import { isIntent, decodeIntent, readIntent } from '../../transaction/intent.ts';
import type { Intent, Step } from '../../transaction/intent.ts';
import { JOURNAL, openJournal } from '../../transaction/journal.ts';
import { checkLines } from './check-lines.ts';
import { isHistoryEvent } from '../history-event.ts';
import { timeOfId } from '../id-time.ts';
import { isKeyRecord } from '../keys.ts';
import { createLineAuthorship } from '../line-authorship.ts';
import { listPacks, readPack } from '../compact/packs.ts';
import type { RecordCheck, RecordFault } from './record-fault.ts';
import { BATCHES, HISTORY, KEYS } from '../records.ts';
import { TRASH } from '../trash.ts';

/** Input of a check. A check writes nothing. */
export interface CheckOptions {
  readonly files: FileSystem;
  readonly origin: Origin;
  readonly now: () => number;
  /** Days after which deleted files leave the trash; 0: never. */
  readonly trashDays: number;
}

/** Time that a write in progress may take before its files count as leftovers. */
const RECHECK_DELAY_MS = 2_000;

const UNKNOWN = 'unknown';
const DAY_MS = 24 * 60 * 60 * 1000;
const LOOSE_NAME = /^[0-9a-z]{26}\.(?:json|\d+)$/;
const RESTORE = 'Bring it back from a backup, if you have one; the notes are as they are.';
const HISTORY_LOST = 'Bring .roux/history back from a backup or from git, if you have one; the notes are as they are.';
const idOf = (name: string): string => name.slice(0, 26);

/**
 * Checks everything in `.roux`: the journal, the lines of the history and of the keys, the batches with what undo needs, and the trash. A
 * server may be writing meanwhile, so faults are reported only if a second check a moment later finds them again.
 */
export async function checkRecords(options: CheckOptions): Promise<RecordCheck> {
  const first = await checkOnce(options);
  if (first.faults.length === 0) return first;
  await setTimeout(RECHECK_DELAY_MS);
  const second = await checkOnce(options);
  const keyOf = ({ path, message }: RecordFault): string => `${path}\0${message}`;
  const seen = new Set(first.faults.map(keyOf));
  return { ...second, faults: second.faults.filter((fault) => seen.has(keyOf(fault))) };
}

async function checkOnce(options: CheckOptions): Promise<RecordCheck> {
  const { files } = options;
  const faults: RecordFault[] = [];
  const unchecked: string[] = [];
  /** Runs one part of the check. A system error is noted in `unchecked`, and the other parts still run. */
  async function look<T>(what: string, check: () => T | Promise<T>, otherwise: T): Promise<T> {
    try {
      return await check();
    } catch (error) {
      if (systemCode(error) === null) throw error;
      unchecked.push(`${what} could not be checked: ${errorMessage(error)}`);
      return otherwise;
    }
  }
  const nothing = { faults: [], lines: 0, foreign: 0 };
  for (const each of await look(JOURNAL, () => checkJournal(options), [])) faults.push(each);
  const batches = new Set<string>();
  const history = await look(
    HISTORY,
    () =>
      checkLines(files, {
        folder: HISTORY,
        isLine: isHistoryEvent,
        isOwn: createLineAuthorship(files, options.origin, { folder: HISTORY, batches: BATCHES, isSynced: false }).recognizer(),
        onLine: ({ batch }) => void (batch !== undefined && batches.add(batch)),
      }),
    nothing,
  );
  const keys = await look(KEYS, () => checkLines(files, { folder: KEYS, isLine: isKeyRecord }), nothing);
  for (const each of [...history.faults, ...keys.faults]) faults.push(each);
  const check = new BatchCheck(options, batches, (path, error) => unchecked.push(`${path} could not be read: ${errorMessage(error)}`));
  await look(BATCHES, () => check.run(), undefined);
  const trash = await look(TRASH, () => countBelow(files, TRASH), 0);
  return {
    faults: [...faults, ...check.faults],
    unchecked,
    counts: { events: history.lines, foreign: history.foreign, batches: check.count, trash },
  };
}

function checkJournal({ files, origin }: CheckOptions): readonly RecordFault[] {
  const { intents, torn, abandoned } = openJournal(files, origin).read();
  const fault = (id: string, message: string, remedy: string): RecordFault => ({
    area: 'journal',
    path: `${JOURNAL}/${id}`,
    message,
    remedy,
  });
  return [
    ...intents.map(({ id, isOurs }) =>
      isOurs
        ? fault(id, 'is left of a write that did not end', 'The next write ends it or takes it back, or "roux fsck --repair".')
        : fault(
            id,
            'is a write that was not made in this folder: it came with it',
            'It is never carried out. The next write puts it aside; then delete it.',
          ),
    ),
    ...torn.map((id) => fault(id, 'is damaged, or no file', 'It is never carried out. The next write puts it aside; then delete it.')),
    ...abandoned.map((id) =>
      fault(id, 'is left of a write that was never begun', 'The next write clears it away, or "roux fsck --repair".'),
    ),
  ];
}

/** Checks the batches, and that everything undo needs is there. */
class BatchCheck {
  readonly faults: RecordFault[] = [];
  count = 0;
  readonly #options: CheckOptions;
  readonly #inHistory: ReadonlySet<string>;
  readonly #onUnreadable: (path: string, error: unknown) => void;
  /** Hashes of displaced files by name, whether loose or in a pack. */
  readonly #held = new Map<string, string>();

  constructor(options: CheckOptions, inHistory: ReadonlySet<string>, onUnreadable: (path: string, error: unknown) => void) {
    this.#options = options;
    this.#inHistory = inHistory;
    this.#onUnreadable = onUnreadable;
  }

  async run(): Promise<void> {
    const { files, origin } = this.#options;
    const intents: Intent[] = [];
    const own = new Set<string>();
    const take = (intent: unknown, id: string): void => {
      if (!isIntent(intent) || intent.id !== id || own.has(id)) return;
      own.add(id);
      intents.push(intent);
    };
    for (const { name } of listPacks(files, BATCHES)) {
      await setImmediate();
      const path = `${BATCHES}/${name}`;
      const found = this.#tryReading(path, () => {
        files.read(path, { length: 1 });
        return readPack(files, { folder: BATCHES, name }, origin);
      });
      if (typeof found === 'string') {
        this.#describePack(name, found);
        continue;
      }
      for (const file of found) {
        if (file.name.endsWith('.json')) take(decodeIntent(file.bytes, origin)?.intent, idOf(file.name));
        else this.#held.set(file.name, hashOf(file.bytes));
      }
    }
    const loose: string[] = [];
    for (const [index, { name, kind }] of (files.list(BATCHES) ?? []).entries()) {
      if (index % 64 === 0) await setImmediate();
      const path = `${BATCHES}/${name}`;
      if (!LOOSE_NAME.test(name)) continue;
      if (kind !== 'file')
        this.#add(
          path,
          `is a ${kind === 'other' ? 'pipe or device' : kind}, and roux keeps only files there`,
          'Look at it, then delete it.',
        );
      else if (!name.endsWith('.json')) loose.push(name);
      else {
        const found = this.#tryReading(path, () => {
          // Throws if this user may not read the file.
          files.read(path, { length: 1 });
          return readIntent(files, path, origin);
        });
        if (found === 'unreadable') continue;
        if (found === undefined || (found.isOurs && (!isIntent(found.intent) || found.intent.id !== idOf(name))))
          this.#add(path, 'is damaged: this write cannot be undone', `${RESTORE} Else delete it.`);
        else if (!found.isOurs)
          this.#add(
            path,
            'was not written in this folder: it came with it or was copied along, and cannot be undone here',
            'Delete it, if you do not know it.',
          );
        else take(found.intent, idOf(name));
      }
    }
    for (const [index, name] of loose.entries()) {
      if (index % 64 === 0) await setImmediate();
      const path = `${BATCHES}/${name}`;
      const found = this.#tryReading(path, () => files.read(path, { maxBytes: MAX_FILE_BYTES }));
      if (found === 'unreadable') this.#held.set(name, UNKNOWN);
      else if (found !== null) this.#held.set(name, isTooLarge(found.state) ? stampHashOf(found.state) : hashOf(found.bytes));
    }
    this.count = intents.length;
    for (const [index, intent] of intents.entries()) {
      if (index % 64 === 0) await setImmediate();
      this.#checkIntent(intent);
    }
  }

  #checkIntent(intent: Intent): void {
    const { id, events, steps } = intent;
    if (events.length > 0 && !this.#inHistory.has(id)) {
      const paths = [...new Set(events.map(({ path }) => path))].slice(0, 3).join(', ');
      this.#add(
        `${BATCHES}/${id}.json`,
        `is a write to ${paths} of which the history has no line: lines at its end were removed`,
        HISTORY_LOST,
      );
    }
    for (const [index, step] of steps.entries()) this.#checkStep(intent, index, step);
  }

  #checkStep({ id, timestamp }: Intent, index: number, step: Step): void {
    if (step.kind === 'create' || (step.kind === 'move' && step.before === step.after)) return;
    const name = `${id}.${index}`;
    const held = this.#held.get(name);
    if (held === step.before || held === UNKNOWN) return;
    if (step.kind === 'remove') {
      this.#checkTrash({ id, timestamp, isHeld: held !== undefined }, step);
      return;
    }
    const path = step.kind === 'move' ? step.to : step.path;
    const message =
      held === undefined
        ? `is missing: the text of ${path} before the write ${id}, without which that cannot be undone`
        : `is not what ${path} held before the write ${id}, which therefore cannot be undone`;
    this.#add(`${BATCHES}/${name}`, message, RESTORE);
  }

  #checkTrash(batch: { id: string; timestamp: string; isHeld: boolean }, step: Extract<Step, { kind: 'remove' }>): void {
    const { files, now, trashDays } = this.#options;
    if (step.trash === null) return;
    const { trash } = step;
    const found = this.#tryReading(trash, () => hashAt(files, trash, step.before));
    if (found === 'unreadable' || found === step.before) return;
    const age = now() - (timeOfId(batch.id) ?? Date.parse(batch.timestamp));
    // The trash was emptied after its retention time, as configured.
    if (found === null && trashDays > 0 && age > trashDays * DAY_MS) return;
    const message =
      found === null
        ? `is missing: ${step.path} was deleted and is not in the trash any more, so that it cannot be restored`
        : `is not what ${step.path} held when it was deleted: restoring gives back something else`;
    const area = 'trash';
    this.faults.push({
      area,
      path: trash,
      message,
      remedy: found === null ? `${RESTORE} If you emptied the trash by hand, all is well.` : RESTORE,
    });
  }

  #describePack(name: string, what: string): void {
    const path = `${BATCHES}/${name}`;
    if (what === 'damaged') this.#add(path, 'is damaged: none of the writes in it can be undone', RESTORE);
    if (what === 'foreign')
      this.#add(
        path,
        'was not written in this folder: it came with it or was copied along, and nothing in it can be undone here',
        'Delete it, if you do not know it.',
      );
  }

  #tryReading<T>(path: string, read: () => T): T | 'unreadable' {
    try {
      return read();
    } catch (error) {
      if (systemCode(error) === null) throw error;
      this.#onUnreadable(path, error);
      return 'unreadable';
    }
  }

  #add(path: string, message: string, remedy: string): void {
    this.faults.push({ area: 'batches', path, message, remedy });
  }
}

function countBelow(files: FileReader, folder: string): number {
  return (files.list(folder) ?? []).reduce(
    (sum, { name, kind }) => sum + (kind === 'folder' ? countBelow(files, `${folder}/${name}`) : 1),
    0,
  );
}
