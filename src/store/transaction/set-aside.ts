import type { FileSystem } from '../folder/file-system.ts';
import { hashOf } from '../folder/hash.ts';
import { ifAllowed } from '../folder/read-allowed.ts';
import { removeIfThere } from '../folder/write-file.ts';
import type { Origin } from '../origin.ts';
import { isIntent, pathsOf, whyNotToBeDone } from './intent.ts';
import type { Intent, Step } from './intent.ts';
import { REJECTED, openJournal } from './journal.ts';
import { MAX_FILE_BYTES } from '../folder/hash.ts';

/** An unfinished write that was put aside, because it was not written in this folder or names what it must not. */
export interface SetAside {
  readonly id: string;
  /** What it calls itself; null where it cannot be read. */
  readonly operation: string | null;
  /** ISO 8601, as it says; null where it cannot be read. */
  readonly timestamp: string | null;
  /** The files that it would touch. */
  readonly paths: readonly string[];
  /** What is left to do of it, for planning like any other write; null where that is not possible: a path or a file speaks against it. */
  readonly left: readonly LeftChange[] | null;
}

/** One file of an unfinished write: which bytes it is to have, from the bytes of this hash. */
export type LeftChange =
  | { readonly kind: 'create'; readonly path: string; readonly bytes: Buffer }
  | { readonly kind: 'replace'; readonly path: string; readonly before: string; readonly bytes: Buffer }
  | { readonly kind: 'move'; readonly from: string; readonly to: string; readonly before: string; readonly bytes: Buffer | null }
  | { readonly kind: 'remove'; readonly path: string; readonly before: string };

/** Access to what was put aside. */
export interface SetAsides {
  list(): readonly SetAside[];
  /** The one of this id, or null. */
  find(id: string): SetAside | null;
  /** Removes one for good. */
  forget(id: string): void;
}

/** What lies in `.roux/journal/rejected` of a vault. */
export function openSetAsides(files: FileSystem, origin: Origin): SetAsides {
  const journal = openJournal(files, origin, REJECTED);
  const unreadable = (id: string): SetAside => ({ id, operation: null, timestamp: null, paths: [], left: null });
  const found = (only?: string): SetAside[] => {
    const look = ifAllowed(() => journal.look(only), { intents: [], torn: [] });
    const readable = look.intents.map(({ id, isAborted, intent }): SetAside => {
      if (!isIntent(intent) || intent.id !== id) return unreadable(id);
      const { operation, timestamp, steps } = intent;
      const isSafe = !isAborted && whyNotToBeDone(files, intent) === null;
      const left = isSafe ? whatIsLeft(files, intent, (index) => journal.image(id, index)) : null;
      return { id, operation, timestamp, paths: [...new Set(steps.flatMap(pathsOf))], left };
    });
    return [...look.torn.map(unreadable), ...readable];
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

/** What is left to do of an intent; null where a file is in neither of the states that it names. */
function whatIsLeft(files: FileSystem, intent: Intent, imageOf: (index: number) => string): readonly LeftChange[] | null {
  const left: LeftChange[] = [];
  for (const [index, step] of intent.steps.entries()) {
    const change = leftOf(files, step, imageOf(index));
    if (change === 'none') return null;
    if (change !== 'done') left.push(change);
  }
  return left;
}

function leftOf(files: FileSystem, step: Step, image: string): LeftChange | 'done' | 'none' {
  const bytesAt = (path: string): { bytes: Buffer; hash: string | null } | null => {
    const found = files.read(path, { length: MAX_FILE_BYTES + 1 });
    // What is larger than any write leaves is in none of the states that one names.
    return found === null ? null : { bytes: found.bytes, hash: found.bytes.length > MAX_FILE_BYTES ? null : hashOf(found.bytes) };
  };
  if (step.kind === 'remove') {
    const standing = bytesAt(step.path);
    if (standing === null) return 'done';
    return standing.hash === step.before ? { kind: 'remove', path: step.path, before: step.before } : 'none';
  }
  const staged = bytesAt(image);
  const wanted = staged?.hash === step.after ? staged.bytes : null;
  if (step.kind === 'move') {
    const [from, to] = [bytesAt(step.from), bytesAt(step.to)];
    if (from === null && to?.hash === step.after) return 'done';
    const isSame = step.after === step.before;
    if (from?.hash !== step.before || to !== null || (!isSame && wanted === null)) return 'none';
    return { kind: 'move', from: step.from, to: step.to, before: step.before, bytes: isSame ? null : wanted };
  }
  const standing = bytesAt(step.path);
  if (standing?.hash === step.after) return 'done';
  if (wanted === null) return 'none';
  if (step.kind === 'create') return standing === null ? { kind: 'create', path: step.path, bytes: wanted } : 'none';
  return standing?.hash === step.before ? { kind: 'replace', path: step.path, before: step.before, bytes: wanted } : 'none';
}
