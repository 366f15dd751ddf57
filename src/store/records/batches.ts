import { RouxError } from '../../errors.ts';
import type { FileState, FileSystem } from '../folder/file-system.ts';
import { hasHash, hashOf } from '../folder/hash.ts';
import { removeIfThere } from '../folder/write-file.ts';
import type { Origin } from '../origin.ts';
import { decodeIntent, isIntent, readIntent } from '../transaction/intent.ts';
import type { DecodedIntent, Intent, Step } from '../transaction/intent.ts';
import { timeOfId } from './id-time.ts';
import { listPacks, createPacks } from './compact/packs.ts';
import { BATCHES } from './records.ts';
import type { Records } from './records.ts';

type DisplacingStep = Exclude<Step, { kind: 'create' }>;

/** A file's bytes before a transaction replaced or removed it, and its attributes. */
export interface DisplacedFile {
  readonly bytes: Buffer;
  readonly like: Pick<FileState, 'mode' | 'uid' | 'gid' | 'mtimeNs'>;
}

/** Finished transactions, found for undo. */
export interface Batches {
  /** Returns the intent of a batch. Throws `NODE_NOT_FOUND` when it has been pruned. */
  read(batch: string): Intent;
  /** Returns the bytes that a step replaced or removed. Throws `NODE_NOT_FOUND` when they have been pruned. */
  before(intent: Intent, step: number): DisplacedFile;
  /** Returns a lookup from a hash to the bytes with that hash, among everything that later transactions displaced; null when unknown. */
  displacedSince(batch: string): (hash: string) => Buffer | null;
  /**
   * Moves the trash file of a restored removal to the batches, so that the removal can still be undone. Returns false when no known batch
   * put it in the trash.
   */
  keepRemoved(entry: { readonly batch: string; readonly file: string }): boolean;
  /** Deletes batches older than 30 days, and the oldest ones beyond 256 MB. */
  prune(now: number): void;
}

const RETENTION_MS = 30 * 24 * 60 * 60 * 1000;
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;

/** Access to the finished transactions in `.roux/history/batches`. */
export function openBatches(files: FileSystem, records: Records, origin: Origin): Batches {
  const packs = createPacks(files, BATCHES, origin);

  /** Returns the intent of a batch, preferring one that was written in this folder. */
  function findIntent(batch: string): DecodedIntent | undefined {
    if (!isBatchId(batch)) return undefined;
    const loose = readIntent(files, records.batchFile(batch), origin);
    if (loose?.isOurs === true) return loose;
    const packed = packs.find(`${batch}.json`);
    return (packed === null ? undefined : decodeIntent(packed.bytes, origin)) ?? loose;
  }

  /** Returns what a step displaced, from the trash, a loose file or a pack. */
  function readBefore(batch: string, step: DisplacingStep, index: number): DisplacedFile | null {
    const places = [...(step.kind === 'remove' && step.trash !== null ? [step.trash] : []), records.beforeFile(batch, index)];
    for (const place of places) {
      const found = files.read(place);
      if (found !== null && hasHash(found, step.before)) return { bytes: found.bytes, like: found.state };
    }
    const packed = packs.find(`${batch}.${index}`);
    return packed !== null && hashOf(packed.bytes) === step.before ? packed : null;
  }

  /** Yields the intents of all later batches that still exist. */
  function* intentsAfter(batch: string): Generator<Intent> {
    for (const { name, bytes } of packs.after(batch)) {
      const intent = name.endsWith('.json') ? decodeIntent(bytes, origin)?.intent : undefined;
      if (isIntent(intent) && intent.id > batch) yield intent;
    }
    for (const { name } of files.list(BATCHES) ?? []) {
      const id = name.slice(0, -'.json'.length);
      const intent = isBatchId(id) && id > batch ? readIntent(files, records.batchFile(id), origin)?.intent : undefined;
      if (isIntent(intent)) yield intent;
    }
  }

  return {
    read(batch) {
      const found = findIntent(batch);
      const intent = found?.intent;
      const isForeign = found === undefined ? isBatchId(batch) && packs.hasForeign(batch) : !found.isOurs;
      if (!isForeign && (!isIntent(intent) || intent.id !== batch)) throw noSuchBatch(batch);
      if (isForeign || !isIntent(intent)) {
        throw new RouxError(
          'NODE_NOT_FOUND',
          `The batch ${batch} was not written in this folder: it came with it or was copied along, so it cannot be undone here.`,
          { batch },
        );
      }
      return intent;
    },
    before(intent, index) {
      const step = intent.steps[index];
      if (step === undefined || step.kind === 'create') throw lost(intent.id);
      const found = readBefore(intent.id, step, index);
      if (found === null) throw lost(intent.id);
      return found;
    },
    keepRemoved({ batch, file }) {
      const intent = findIntent(batch)?.intent;
      const index = isIntent(intent) ? intent.steps.findIndex((step) => step.kind === 'remove' && step.trash === file) : -1;
      if (index >= 0) files.rename(file, records.beforeFile(batch, index));
      return index >= 0;
    },
    displacedSince(batch) {
      const places = new Map<string, { readonly id: string; readonly step: DisplacingStep; readonly index: number }[]>();
      for (const intent of intentsAfter(batch)) {
        for (const [index, step] of intent.steps.entries()) {
          if (step.kind === 'create') continue;
          const known = places.get(step.before);
          if (known === undefined) places.set(step.before, [{ id: intent.id, step, index }]);
          else known.push({ id: intent.id, step, index });
        }
      }
      return (hash) => {
        for (const { id, step, index } of places.get(hash) ?? []) {
          const found = readBefore(id, step, index);
          if (found !== null) return found.bytes;
        }
        return null;
      };
    },
    prune(now) {
      let size = 0;
      // Newest first: names begin with a time, those of packs with the time of their oldest file.
      const packed = new Map(listPacks(files, BATCHES).map(({ name, last }) => [name, last]));
      for (const { name, kind } of (files.list(BATCHES) ?? []).toReversed()) {
        if (kind !== 'file') continue;
        size += files.stat(`${BATCHES}/${name}`)?.size ?? 0;
        const made = timeOfId(packed.get(name) ?? name);
        if (made !== null && (now - made > RETENTION_MS || size > MAX_TOTAL_BYTES)) removeIfThere(files, `${BATCHES}/${name}`);
      }
    },
  };
}

function isBatchId(name: string): boolean {
  return /^[0-9a-z]{26}$/.test(name);
}

function lost(batch: string): RouxError {
  return new RouxError('NODE_NOT_FOUND', `The texts before batch ${batch} are not found any more, so it cannot be undone.`, { batch });
}

/** Returns the error for a batch that never existed or was pruned. */
export function noSuchBatch(batch: string): RouxError {
  return new RouxError('NODE_NOT_FOUND', `Nothing is kept of the batch ${JSON.stringify(batch)}; undo reaches back 30 days.`, { batch });
}
