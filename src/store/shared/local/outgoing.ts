import { shortHash, toEvents } from '../../records/history-event.ts';
import type { EventDraft, HistoryEvent } from '../../records/history-event.ts';
import type { Planned } from '../../transaction/transact.ts';
import type { Edit } from '../../pair-moves.ts';
import type { SharedChange } from '../shared-vault.ts';

/** Changes for the store, with the contents that it may not have. */
export interface Outgoing {
  readonly changes: readonly SharedChange[];
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

/** Converts a planned transaction to changes. */
export function planToChanges({ steps, prepared }: Planned): Outgoing {
  const blobs = new Map<string, Uint8Array>();
  const changes = steps.map(({ step, image, events }, index): SharedChange => {
    const event = events.map(({ node, path, action, changes: fields }) => ({ node, path, action, changes: fields }));
    if (step.kind === 'remove') return { op: 'delete', path: step.path, oldPath: null, before: step.before, hash: null, size: 0, event };
    const change = prepared.changes[index];
    const bytes = image ?? (change?.kind === 'move' ? change.of.bytes : new Uint8Array());
    if (step.kind === 'create' || step.after !== step.before) blobs.set(step.after, bytes);
    const file = { hash: step.after, size: bytes.length, event };
    if (step.kind === 'create') return { op: 'create', path: step.path, oldPath: null, before: null, ...file };
    if (step.kind === 'replace') return { op: 'update', path: step.path, oldPath: null, before: step.before, ...file };
    // A change of case alone is a rename too.
    return { op: 'rename', path: step.to, oldPath: step.from, before: step.before, ...file };
  });
  return { changes, blobs };
}

/** Converts local edits to changes. */
export function editsToChanges(edits: readonly Edit[]): Outgoing {
  const blobs = new Map(
    edits.flatMap(({ before, file }) => (file === null || file.hash === before ? [] : [[file.hash, file.bytes] as const])),
  );
  const changes = edits.map(({ file, ...edit }) =>
    editToChange({ ...edit, file: file === null ? null : { hash: file.hash, size: file.bytes.length } }),
  );
  return { changes, blobs };
}

/** Converts one edit to a change, without the content. */
export function editToChange({
  path,
  former,
  before,
  file,
}: Omit<Edit, 'file'> & { readonly file: { readonly hash: string; readonly size: number } | null }): SharedChange {
  const oldPath = former !== null && former !== path ? former : null;
  const field =
    before === null || file === null
      ? { field: 'file', before: before === null ? null : path, after: file === null ? null : path }
      : oldPath === null
        ? { field: 'body', before: { file: shortHash(before) }, after: { file: shortHash(file.hash), size: file.size } }
        : { field: 'path', before: oldPath, after: path };
  const event: readonly EventDraft[] = [{ node: path, path, action: 'external', changes: [field] }];
  if (file === null) return { op: 'delete', path, oldPath: null, before, hash: null, size: 0, event };
  const op = before === null ? 'create' : oldPath === null ? 'update' : 'rename';
  return { op, path, oldPath, before, ...file, event };
}

/** Returns the events of a plan as the history of this machine will have them, for the answer under an idempotency key. */
export function eventsOfPlan({ id, at, meta, steps }: Planned, firstSeq: number): readonly HistoryEvent[] {
  const all = steps.flatMap(({ step, events }) => events.map((event) => ({ event, hash: step.kind === 'remove' ? null : step.after })));
  const drafts = all.map(({ event }) => event);
  return toEvents(drafts, { firstSeq, timestamp: at, agent: meta.agent, batch: id }, (_, index) => all[index]?.hash ?? null);
}
