import type { FileSystem } from '../folder/file-system.ts';
import { hashOf, MAX_FILE_BYTES } from '../folder/hash.ts';
import { ifAllowed } from '../folder/system-error.ts';
import { removeIfThere } from '../folder/write-file.ts';
import type { Origin } from '../origin.ts';
import { isIntent, pathsOf, findIntentFault } from './intent.ts';
import type { Intent, Step } from './intent.ts';
import { REJECTED, openJournal } from './journal.ts';

/** Ends a report whose finding doctor lists by itself. */
export const DOCTOR_SHOWS = '"roux doctor" shows';

/** An unfinished write that was set aside, because it was not written in this folder or names files that it must not write. */
export interface SetAside {
  readonly id: string;
  /** Its operation; null when it cannot be read. */
  readonly operation: string | null;
  /** ISO 8601, unverified; null when it cannot be read. */
  readonly timestamp: string | null;
  /** The files that it would touch. */
  readonly paths: readonly string[];
  /** The changes that are not done yet, to be planned like any other write; null when a path or the state of a file forbids it. */
  readonly left: readonly LeftChange[] | null;
}

/** The change of one file that an unfinished write has not done yet. `before`: hash of the bytes that it expects. */
export type LeftChange =
  | { readonly kind: 'create'; readonly path: string; readonly bytes: Buffer }
  | { readonly kind: 'replace'; readonly path: string; readonly before: string; readonly bytes: Buffer }
  | { readonly kind: 'move'; readonly from: string; readonly to: string; readonly before: string; readonly bytes: Buffer | null }
  | { readonly kind: 'remove'; readonly path: string; readonly before: string };

/** Access to the unfinished writes that were set aside. */
export interface SetAsides {
  list(): readonly SetAside[];
  /** Returns the write with this id, or null. */
  find(id: string): SetAside | null;
  /** Deletes a write. */
  forget(id: string): void;
}

/** Gives access to `.roux/journal/rejected`. */
export function openSetAsides(files: FileSystem, origin: Origin): SetAsides {
  const journal = openJournal(files, origin, REJECTED);
  const unreadable = (id: string): SetAside => ({ id, operation: null, timestamp: null, paths: [], left: null });
  const found = (only?: string): SetAside[] => {
    const { intents, torn } = ifAllowed(() => journal.read(only), { intents: [], torn: [] });
    const readable = intents.map(({ id, isAborted, intent }): SetAside => {
      if (!isIntent(intent) || intent.id !== id) return unreadable(id);
      const { operation, timestamp, steps } = intent;
      const isSafe = !isAborted && findIntentFault(files, intent) === null;
      const left = isSafe ? findLeftChanges(files, intent, (index) => journal.image(id, index)) : null;
      return { id, operation, timestamp, paths: [...new Set(steps.flatMap(pathsOf))], left };
    });
    return [...torn.map(unreadable), ...readable];
  };
  return {
    list: () => found().sort((a, b) => (a.id < b.id ? -1 : 1)),
    find: (id) => found(id)[0] ?? null,
    forget(id) {
      for (const { name, kind } of files.list(REJECTED) ?? [])
        if (name.startsWith(`${id}.`) && kind !== 'folder') removeIfThere(files, `${REJECTED}/${name}`);
    },
  };
}

/** Returns the changes of an intent that are not done yet; null when a file is in neither of the states that it names. */
function findLeftChanges(files: FileSystem, intent: Intent, imageOf: (index: number) => string): readonly LeftChange[] | null {
  const left: LeftChange[] = [];
  for (const [index, step] of intent.steps.entries()) {
    const change = findLeftChange(files, step, imageOf(index));
    if (change === 'impossible') return null;
    if (change !== 'done') left.push(change);
  }
  return left;
}

function findLeftChange(files: FileSystem, step: Step, image: string): LeftChange | 'done' | 'impossible' {
  const bytesAt = (path: string): { bytes: Buffer; hash: string | null } | null => {
    const found = files.read(path, { length: MAX_FILE_BYTES + 1 });
    // No write leaves a larger file, so it is in none of the states.
    return found === null ? null : { bytes: found.bytes, hash: found.bytes.length > MAX_FILE_BYTES ? null : hashOf(found.bytes) };
  };
  if (step.kind === 'remove') {
    const current = bytesAt(step.path);
    if (current === null) return 'done';
    return current.hash === step.before ? { kind: 'remove', path: step.path, before: step.before } : 'impossible';
  }
  const staged = bytesAt(image);
  const wanted = staged?.hash === step.after ? staged.bytes : null;
  if (step.kind === 'move') {
    const [from, to] = [bytesAt(step.from), bytesAt(step.to)];
    if (from === null && to?.hash === step.after) return 'done';
    const isSame = step.after === step.before;
    if (from?.hash !== step.before || to !== null || (!isSame && wanted === null)) return 'impossible';
    return { kind: 'move', from: step.from, to: step.to, before: step.before, bytes: isSame ? null : wanted };
  }
  const current = bytesAt(step.path);
  if (current?.hash === step.after) return 'done';
  if (wanted === null) return 'impossible';
  if (step.kind === 'create') return current === null ? { kind: 'create', path: step.path, bytes: wanted } : 'impossible';
  return current?.hash === step.before ? { kind: 'replace', path: step.path, before: step.before, bytes: wanted } : 'impossible';
}
