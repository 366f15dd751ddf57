import { RouxError } from '../errors.ts';
import type { FileSystem } from '../disk/file-system.ts';
import type { NoteChange } from '../note/change.ts';
import { mergeNotes } from '../note/merge.ts';
import { isNotePath, toNotePath } from '../note/path.ts';
import type { Batches } from './batch.ts';
import { hashOf, revOf, textToChange } from './content.ts';
import type { Intent, Step } from './intent.ts';
import { findPlace } from './place.ts';
import type { FileChange, Plan, PlannedEvent } from './plan.ts';

/** What undoing needs. */
export interface UndoOptions {
  readonly files: FileSystem;
  readonly root: string;
  readonly batches: Batches;
  /** The time of the undo, ISO 8601. */
  readonly at: string;
}

/**
 * Plans the way back from transactions, the newest first. What somebody changed since stays where both changes can be merged;
 * where they cannot, the whole undo is refused with `CONFLICT`.
 */
export async function planUndo(options: UndoOptions, batchesNewestFirst: readonly string[]): Promise<Plan> {
  const back = new WayBack(options);
  for (const batch of batchesNewestFirst) await back.undo(await options.batches.read(batch));
  return back.plan();
}

interface Draft {
  bytes: Buffer | null;
  /** The name that the file has on disk now, or null when there is none. */
  readonly origin: string | null;
}

/** Files as they will be, computed before anything is written. */
class WayBack {
  readonly #options: UndoOptions;
  readonly #drafts = new Map<string, Draft>();
  /** Names on disk that were read, with their hashes. */
  readonly #onDisk = new Map<string, Buffer>();

  constructor(options: UndoOptions) {
    this.#options = options;
  }

  async undo(intent: Intent): Promise<void> {
    for (const [index, step] of [...intent.steps.entries()].reverse()) await this.#undoStep(intent, index, step);
  }

  async #undoStep(intent: Intent, index: number, step: Step): Promise<void> {
    const { batches } = this.#options;
    if (step.kind === 'create') {
      const draft = await this.#draft(step.path);
      if (draft.bytes === null) return;
      if (hashOf(draft.bytes) !== step.after) throw changedSince(step.path, intent.id);
      draft.bytes = null;
    } else if (step.kind === 'remove') {
      const draft = await this.#draft(step.path);
      if (draft.bytes !== null) throw changedSince(step.path, intent.id);
      draft.bytes = await batches.before(intent, index);
    } else if (step.kind === 'replace') {
      const draft = await this.#draft(step.path);
      draft.bytes = await this.#former(intent, index, step, draft.bytes);
    } else {
      const target = await this.#draft(step.to);
      const former = await this.#former(intent, index, step, target.bytes);
      const source = await this.#draft(step.from);
      if (source.bytes !== null && !step.keepsFrom) throw changedSince(step.from, intent.id);
      this.#drafts.set(step.to, { bytes: null, origin: null });
      this.#drafts.set(step.from, { bytes: former, origin: target.origin });
    }
  }

  /** The bytes before a step, with what somebody changed after it. */
  async #former(intent: Intent, index: number, step: Extract<Step, { kind: 'replace' | 'move' }>, current: Buffer | null): Promise<Buffer> {
    const { batches } = this.#options;
    const path = step.kind === 'move' ? step.to : step.path;
    if (current === null) throw changedSince(path, intent.id);
    if (step.before === step.after) return current;
    const before = await batches.before(intent, index);
    if (hashOf(current) === step.after) return before;
    const after = await batches.after(intent, index);
    if (after === null || !isNotePath(path)) throw changedSince(path, intent.id);
    const merged = mergeNotes(after, textToChange(path, current), textToChange(path, before));
    if (merged.conflicts) throw changedSince(path, intent.id);
    return Buffer.from(merged.text);
  }

  async #draft(path: string): Promise<Draft> {
    const known = this.#drafts.get(path);
    if (known !== undefined) return known;
    const { files, root } = this.#options;
    const place = await findPlace(files, root, path);
    const bytes = place === null ? null : await files.read(`${root}/${place.path}`);
    if (bytes !== null) this.#onDisk.set(path, bytes);
    const draft: Draft = { bytes, origin: bytes === null ? null : path };
    this.#drafts.set(path, draft);
    return draft;
  }

  plan(): Plan {
    const files: FileChange[] = [];
    const events: PlannedEvent[] = [];
    const moved = new Set([...this.#drafts].flatMap(([path, { origin }]) => (origin !== null && origin !== path ? [origin] : [])));
    for (const [path, { bytes, origin }] of this.#drafts) {
      const standing = this.#onDisk.get(path) ?? null;
      if (bytes === null) {
        if (standing !== null && !moved.has(path)) files.push({ kind: 'remove', path, to: 'trash', expect: { etag: hashOf(standing) } });
        continue;
      }
      const change = this.#changeTo(path, bytes, origin);
      if (change === null) continue;
      files.push(change);
      events.push({ path, action: 'restored' });
    }
    return { files, events };
  }

  #changeTo(path: string, bytes: Buffer, origin: string | null): FileChange | null {
    const before = origin === null ? null : (this.#onDisk.get(origin) ?? null);
    if (origin === null || before === null) {
      return isNotePath(path)
        ? { kind: 'create', path, text: bytes.toString('utf8') }
        : { kind: 'create-bytes', path, base64: bytes.toString('base64') };
    }
    const expect = { etag: hashOf(before) };
    const changes = before.equals(bytes) ? [] : this.#textChanges(before, bytes);
    if (origin !== path) return { kind: 'move', from: origin, to: path, changes, expect };
    const notePath = toNotePath(path);
    if (notePath !== null) return changes.length === 0 ? null : { kind: 'change', path: notePath, changes, expect };
    const length = before.toString('utf8').length;
    return { kind: 'splice', path, hash: hashOf(before), splices: [{ start: 0, end: length, text: bytes.toString('utf8') }] };
  }

  /** The former text, but never a former `rev`: it only grows. */
  #textChanges(before: Buffer, bytes: Buffer): readonly NoteChange[] {
    const text = bytes.toString('utf8');
    const rev = revOf(before.toString('utf8'));
    if (rev === null || revOf(text) === null) return [{ op: 'text', text }];
    return [
      { op: 'text', text },
      { op: 'set', key: ['rev'], value: rev },
      { op: 'touch', at: this.#options.at },
    ];
  }
}

function changedSince(path: string, batch: string): RouxError {
  return new RouxError(
    'CONFLICT',
    `${path} was changed after batch ${batch} in a way that cannot be merged; undo that change first, or edit the note.`,
    { path, batch },
  );
}
