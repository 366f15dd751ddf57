import { RouxError } from '../../../errors.ts';
import type { NoteChange } from '../../../note/change.ts';
import { mergeNotes } from '../../../note/merge/merge.ts';
import { restoreText, withStampsOf } from '../../../note/stamps.ts';
import { isNotePath, toNotePath } from '../../../note/path.ts';
import { hashOf, isTooLarge } from '../../../store/folder/hash.ts';
import type { Batches } from '../../../store/records/batches.ts';
import type { HistoryEvent } from '../../../store/records/history-event.ts';
import type { Segments } from '../../../store/records/segments.ts';
import type { VaultStore } from '../../../store/store.ts';
import type { Intent, Step } from '../../../store/transaction/intent.ts';
import { eventsBackward } from '../../history/events.ts';
import { creationOf, wholeSplice } from '../file-change.ts';
import { revIn, textAfter, textToChange } from '../note-text.ts';
import type { FileChange, FileLook, Plan, PlannedEvent } from '../plan.ts';

/** Selects the writes to undo: one batch, or those of an agent since a time (by default its last ones, up to a pause). */
export type UndoQuery = { readonly batch: string } | { readonly agent: string; readonly since?: string };

/** Writes of an agent within this time of each other are undone together. */
const PAUSE_MS = 30 * 60 * 1000;

/** The batches to undo. */
export interface UndoneBatches {
  /** Newest first. */
  readonly batches: readonly string[];
  /** Warnings about foreign lines, which cannot be undone. */
  readonly warnings: readonly string[];
}

/** Returns the batches to undo; for an agent only those with own lines. */
export async function listBatchesToUndo(history: Segments<HistoryEvent>, query: UndoQuery): Promise<UndoneBatches> {
  if ('batch' in query) return { batches: [query.batch], warnings: [] };
  const batches = new Set<string>();
  let foreign = 0;
  const since = query.since === undefined ? null : Date.parse(query.since);
  if (since !== null && Number.isNaN(since))
    throw new RouxError('INVALID_PARAMS', `${JSON.stringify(query.since)} is no time; give one like 2026-01-31T09:00:00Z.`);
  let last: number | null = null;
  for await (const event of eventsBackward(history)) {
    if (event.agent !== query.agent || event.batch === undefined) continue;
    if (event.foreign === true) {
      foreign += 1;
      continue;
    }
    const time = Date.parse(event.timestamp);
    if (since === null ? last !== null && last - time > PAUSE_MS : time < since) break;
    last = time;
    batches.add(event.batch);
  }
  const agent = JSON.stringify(query.agent);
  if (batches.size > 0) {
    const left = `The history also has ${foreign === 1 ? 'a line' : `${foreign} lines`} of ${agent} not written in this folder: what ${foreign === 1 ? 'it tells' : 'they tell'} cannot be undone here, and is left as it is.`;
    return { batches: [...batches], warnings: foreign === 0 ? [] : [left] };
  }
  const message =
    foreign === 0
      ? `The history has no writes of ${agent} to undo.`
      : `What the history tells of ${agent} was not written in this folder: it came with it or was copied along, so it cannot be undone here.`;
  throw new RouxError('NODE_NOT_FOUND', message, { agent: query.agent });
}

/** What an undo needs. */
export interface UndoOptions {
  readonly read: VaultStore['read'];
  readonly batches: Pick<Batches, 'read' | 'before' | 'displacedSince'>;
  /** Returns the present path of a file that a batch left at a path. */
  readonly placeSince: (batch: string, path: string) => Promise<string>;
  /** Returns warnings about links to removed files, except in files that the undo changes itself. */
  readonly danglingLinks: (removed: readonly string[], changed: { has(path: string): boolean }) => readonly string[];
  /** The time of the undo, ISO 8601. */
  readonly at: string;
}

/**
 * Plans the undo of transactions, newest first. Later changes by others are kept if they can be merged; otherwise the whole undo fails with
 * `CONFLICT`.
 */
export async function planUndo(options: UndoOptions, batchesNewestFirst: readonly string[]): Promise<Plan> {
  const reversal = new Reversal(options);
  for (const batch of batchesNewestFirst) await reversal.undo(options.batches.read(batch));
  return reversal.plan();
}

type Move = Extract<Step, { kind: 'move' }>;

interface Draft {
  /** Null for a file that does not exist. `NO_BYTES` for one that is too large to be read, which can only be moved. */
  bytes: Buffer | null;
  /** Mode and owner of a file to create again. */
  like?: FileLook;
  /** Present path of the file on disk; null when it does not exist. */
  origin: string | null;
}

/** Placeholder for the bytes of a file that is too large to be read. */
const NO_BYTES: Buffer = Buffer.alloc(0);

/** Computes the resulting files before anything is written. */
class Reversal {
  readonly #options: UndoOptions;
  readonly #drafts = new Map<string, Draft>();
  /** Folders that the transactions created. */
  readonly #made = new Set<string>();
  /** Files read from disk, by path. */
  readonly #onDisk = new Map<string, { readonly bytes: Buffer; readonly hash: string }>();
  /** Files that later transactions displaced, by batch. */
  readonly #displaced = new Map<string, ReturnType<Batches['displacedSince']>>();

  constructor(options: UndoOptions) {
    this.#options = options;
  }

  async undo(intent: Intent): Promise<void> {
    for (const folder of intent.folders) this.#made.add(folder);
    const steps = [...intent.steps.entries()].reverse();
    // Creations are undone first and removals last, so that paths are free when files return.
    for (const [index, step] of steps) if (step.kind === 'create' || step.kind === 'replace') await this.#undoStep(intent, index, step);
    await this.#undoMoves(intent);
    for (const [index, step] of steps) if (step.kind === 'remove') await this.#undoStep(intent, index, step);
  }

  /** Undoes all moves at once, since files may have swapped names. */
  async #undoMoves(intent: Intent): Promise<void> {
    const returned: { readonly step: Move; readonly draft: Draft }[] = [];
    for (const [index, step] of intent.steps.entries()) {
      if (step.kind !== 'move') continue;
      const { bytes, origin } = await this.#draft(step.to);
      const former = this.#former(intent, index, step, bytes);
      const source = await this.#draft(step.from);
      if (source.bytes !== null && !step.keepsFrom) throw changedSinceError(step.from, intent.id);
      returned.push({ step, draft: { bytes: former, origin } });
    }
    for (const { step } of returned) this.#drafts.set(step.to, { bytes: null, origin: null });
    for (const { step, draft } of returned) this.#drafts.set(step.from, draft);
  }

  async #undoStep(intent: Intent, index: number, step: Exclude<Step, Move>): Promise<void> {
    const { batches } = this.#options;
    if (step.kind === 'create') {
      const { path, draft } = await this.#follow(intent.id, step.path);
      if (draft.bytes === null) return;
      if (!(await this.#isAsLeft(intent, step, path, draft.bytes))) throw changedSinceError(path, intent.id);
      draft.bytes = null;
    } else if (step.kind === 'remove') {
      const draft = await this.#draft(step.path);
      if (draft.bytes !== null) throw changedSinceError(step.path, intent.id);
      ({ bytes: draft.bytes, like: draft.like } = batches.before(intent, index));
    } else {
      const { draft } = await this.#follow(intent.id, step.path);
      draft.bytes = this.#former(intent, index, step, draft.bytes);
    }
  }

  /** Returns the bytes from before a step, merged with later changes by others. */
  #former(intent: Intent, index: number, step: Move | Extract<Step, { kind: 'replace' }>, current: Buffer | null): Buffer {
    const { batches } = this.#options;
    const path = step.kind === 'move' ? step.to : step.path;
    if (current === null) throw changedSinceError(path, intent.id);
    if (step.before === step.after) return current;
    // A file that has become too large cannot be merged.
    if (current === NO_BYTES) throw changedSinceError(path, intent.id);
    const before = batches.before(intent, index).bytes;
    if (hashOf(current) === step.after) return before;
    const after = isNotePath(path) ? (textAfter(step, path, before) ?? this.#textLeft(intent, step.after)) : null;
    if (after === null) throw changedSinceError(path, intent.id);
    const now = withStampsOf(path, textToChange(path, current), after);
    if (now === after) return before;
    const merged = mergeNotes(after, now, withStampsOf(path, textToChange(path, before), after));
    if (merged.conflicts) throw changedSinceError(path, intent.id);
    return Buffer.from(merged.text);
  }

  /** Returns whether a file is as its creation left it, ignoring roux's own revision keys. */
  async #isAsLeft(intent: Intent, step: Extract<Step, { kind: 'create' }>, path: string, current: Buffer): Promise<boolean> {
    if (current === NO_BYTES) {
      const whole = await this.#options.read(path, { large: 'read' });
      return whole !== null && hashOf(whole.bytes) === step.after;
    }
    if (hashOf(current) === step.after) return true;
    const after = isNotePath(path) ? this.#textLeft(intent, step.after) : null;
    return after !== null && withStampsOf(path, textToChange(path, current), after) === after;
  }

  /** Returns the text that a transaction left, if a later one displaced it; else null. */
  #textLeft(intent: Intent, hash: string): string | null {
    const displaced = this.#displaced.get(intent.id) ?? this.#options.batches.displacedSince(intent.id);
    this.#displaced.set(intent.id, displaced);
    return displaced(hash)?.toString('utf8') ?? null;
  }

  /** Finds the file that a batch left at a path. It may have been renamed, and another file may have its path. */
  async #follow(batch: string, path: string): Promise<{ readonly path: string; readonly draft: Draft }> {
    const place = this.#drafts.has(path) ? path : await this.#options.placeSince(batch, path);
    const moved = place === path ? null : await this.#draft(place);
    return moved === null || moved.bytes === null ? { path, draft: await this.#draft(path) } : { path: place, draft: moved };
  }

  async #draft(path: string): Promise<Draft> {
    const known = this.#drafts.get(path);
    if (known !== undefined) return known;
    const found = await this.#options.read(path, { large: 'leave' });
    const bytes = found === null ? null : isTooLarge(found.state) ? NO_BYTES : found.bytes;
    if (found !== null && bytes !== null) this.#onDisk.set(path, { bytes, hash: found.hash });
    const draft: Draft = { bytes, origin: bytes === null ? null : path };
    this.#drafts.set(path, draft);
    return draft;
  }

  /**
   * Gives a file whose name another one has, which is to be removed, that other file's place on disk: a transaction removes names last, so
   * the name is free too late for a move. Returns the present paths of the files that move.
   */
  #replaceOccupied(): ReadonlySet<string> {
    for (;;) {
      const moving = [...this.#drafts].filter(([path, { bytes, origin }]) => bytes !== null && origin !== null && origin !== path);
      const moved = new Set(moving.flatMap(([, { origin }]) => origin ?? []));
      const occupied = moving.filter(([path, { bytes }]) => this.#onDisk.has(path) && !moved.has(path) && bytes !== NO_BYTES);
      if (occupied.length === 0) return moved;
      for (const [path, draft] of occupied) draft.origin = path;
    }
  }

  plan(): Plan {
    const files: FileChange[] = [];
    const events: PlannedEvent[] = [];
    const moved = this.#replaceOccupied();
    for (const [path, draft] of this.#drafts) {
      const { bytes } = draft;
      const existing = this.#onDisk.get(path) ?? null;
      if (bytes === null) {
        if (existing !== null && !moved.has(path)) files.push({ kind: 'remove', path, to: 'trash', expect: { etag: existing.hash } });
        continue;
      }
      const change = this.#changeTo(path, bytes, draft);
      if (change === null) continue;
      files.push(change);
      events.push({ path, action: 'restored' });
    }
    const removed = files.flatMap((file) => (file.kind === 'remove' ? [file.path] : []));
    return { files, events, emptied: [...this.#made], warnings: this.#options.danglingLinks(removed, this.#drafts) };
  }

  #changeTo(path: string, bytes: Buffer, { origin, like }: Draft): FileChange | null {
    const onDisk = origin === null ? undefined : this.#onDisk.get(origin);
    if (origin === null || onDisk === undefined) return creationOf(path, like === undefined ? { bytes } : { bytes, like });
    const before = onDisk.bytes;
    const expect = { etag: onDisk.hash };
    const notePath = toNotePath(path);
    if (notePath === null && origin !== path) {
      const rewrite = before.equals(bytes) ? {} : { rewrite: { hash: onDisk.hash, bytes } };
      return { kind: 'move', from: origin, to: path, changes: [], expect, ...rewrite };
    }
    const changes = before.equals(bytes) || notePath === null ? [] : this.#textChanges(before, bytes);
    if (origin !== path) return { kind: 'move', from: origin, to: path, changes, expect };
    if (notePath !== null) return changes.length === 0 ? null : { kind: 'change', path: notePath, changes, expect };
    return wholeSplice(path, before, bytes);
  }

  /** Returns the previous text, except for `rev`, which only increases. */
  #textChanges(before: Buffer, bytes: Buffer): readonly NoteChange[] {
    const text = bytes.toString('utf8');
    const rev = revIn(before.toString('utf8'));
    return rev === null || revIn(text) === null ? [{ op: 'text', text }] : restoreText(text, { rev, at: this.#options.at });
  }
}

function changedSinceError(path: string, batch: string): RouxError {
  return new RouxError(
    'CONFLICT',
    `${path} was changed after batch ${batch} in a way that cannot be merged; undo that change first, or edit the note.`,
    { path, batch },
  );
}
