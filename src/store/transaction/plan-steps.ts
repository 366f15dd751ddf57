import { RouxError } from '../../errors.ts';
import { foldKey, isNotePath } from '../../note/path.ts';
import type { FileState, FileSystem } from '../folder/file-system.ts';
import { findFreeName } from '../folder/find-file.ts';
import type { Listings } from '../folder/find-file.ts';
import { MAX_FILE_BYTES, hashOf, isTooLarge } from '../folder/hash.ts';
import { tooLarge } from '../folder/read-stable.ts';
import { TRASH } from '../records/trash.ts';
import type { Prepared, StoreChange, StoredFile } from '../store.ts';
import type { StagedStep } from './commit.ts';
import type { Step } from './intent.ts';
import { isOneFile } from './step-context.ts';

type Change<Kind extends StoreChange['kind']> = Extract<StoreChange, { kind: Kind }>;

interface PlanContext {
  readonly files: FileSystem;
  readonly id: string;
  /** Paths of the files that are moved or removed. */
  readonly leaving: ReadonlySet<string>;
  /** The hashes of the files that move, by the paths that they leave. */
  readonly movedFrom: ReadonlyMap<string, string>;
  /** Target paths of moves. */
  readonly movedTo: ReadonlySet<string>;
  readonly listings: Listings;
  readonly mayCollide: (path: string) => boolean;
  readonly isIncoming: boolean;
}

/** Plans the steps of changes to the current files. Throws when one of them is impossible. Writes nothing. */
export function planSteps(
  files: FileSystem,
  { changes, mayCollide = () => true, isIncoming = false }: Prepared,
  id: string,
): readonly StagedStep[] {
  const moves = changes.filter((change) => change.kind === 'move');
  const movedFrom = new Map(moves.map(({ of }) => [of.path, of.hash]));
  const movedTo = new Set(moves.map(({ to }) => to));
  const leaving = new Set([...movedFrom.keys(), ...changes.flatMap((change) => (change.kind === 'remove' ? [change.of.path] : []))]);
  const arriving = new Set<string>();
  const context: PlanContext = { files, id, leaving, movedFrom, movedTo, listings: new Map(), mayCollide, isIncoming };
  return changes.map((change) => {
    const target = change.kind === 'move' ? change.to : change.kind === 'create' ? change.path : null;
    if (target !== null) {
      if (arriving.has(foldKey(target))) throw new RouxError('NODE_EXISTS', `${target} would be created twice.`, { path: target });
      arriving.add(foldKey(target));
    }
    const { events, describe } = change;
    return { ...planStep(change, context), events, describe };
  });
}

type Planned = Pick<StagedStep, 'step' | 'image' | 'like' | 'of'>;

function planStep(change: StoreChange, context: PlanContext): Planned {
  if (!context.isIncoming) checkAllowed(change);
  switch (change.kind) {
    case 'create': {
      const path = findFreeName(context.files, { ...context, path: change.path });
      if (context.leaving.size > 0 && context.files.stat(path) !== null) throw takenUntilTheEnd(path);
      return { step: { kind: 'create', path, after: hashOf(change.bytes) }, image: change.bytes, like: change.like ?? null };
    }
    case 'replace':
      return planReplace(change, change.bytes);
    case 'move':
      return planMove(change, context);
    case 'remove': {
      const { of } = change;
      checkNotLinked(of, 'remove');
      const trash = change.to === 'trash' ? `${TRASH}/${context.id}/${of.path}` : null;
      return { step: { kind: 'remove', path: of.path, before: of.hash, trash }, image: null, like: null };
    }
  }
}

function planReplace({ of, changes, isCommutative }: Change<'replace' | 'move'>, bytes: Uint8Array): Planned {
  const step: Step = { kind: 'replace', path: of.path, before: of.hash, after: hashOf(bytes), changes, isCommutative };
  return { step, image: bytes, like: of.state, of };
}

function planMove(change: Change<'move'>, context: PlanContext): Planned {
  const { of, changes, isCommutative } = change;
  checkNotLinked(of, 'move');
  const to = findFreeName(context.files, { ...context, path: change.to });
  // Carrying out a move makes a new name and removes the old one; where both are the same it would not write the new bytes.
  if (to === of.path && change.bytes !== null) return planReplace(change, change.bytes);
  // Another file is there and moves away in the same transaction: its bytes are displaced, not linked over.
  const occupant = isOneName(context.files, of, to) ? null : context.files.read(to, { maxBytes: MAX_FILE_BYTES });
  // As the move of the occupant knows it: what somebody saved since then would be in neither file.
  const over = occupant === null ? null : context.movedFrom.get(to);
  if (over === undefined) throw takenUntilTheEnd(to);
  if (occupant !== null && isTooLarge(occupant.state)) throw tooLarge(to, occupant.state.size);
  const keepsFrom = context.movedTo.has(of.path);
  const step: Step = {
    kind: 'move',
    from: of.path,
    to,
    before: of.hash,
    after: change.bytes === null ? of.hash : hashOf(change.bytes),
    changes,
    isCommutative,
    over,
    keepsFrom,
  };
  const isImageNeeded = step.after !== step.before || occupant !== null || keepsFrom;
  return { step, image: isImageNeeded ? (change.bytes ?? of.bytes) : null, like: of.state };
}

/**
 * Returns the error for a new name that is taken by a file which the transaction removes or moves away. It does that last, except for files
 * that move to each other's exact names.
 */
function takenUntilTheEnd(path: string): RouxError {
  return new RouxError(
    'NODE_EXISTS',
    `${path} exists already, and this write would remove it only after the new file is there. Remove or rename it first, in a write of its own.`,
    { path, existing: path },
  );
}

/** Returns whether a new name already means the file itself: the same name, or a different case or Unicode form on a disk that ignores it. */
function isOneName(files: FileSystem, of: StoredFile, to: string): boolean {
  return to === of.path || (foldKey(to) === foldKey(of.path) && isOneFile(files.stat(to), files.stat(of.path)));
}

/** Throws for changes that roux refuses unless they come from another machine. */
function checkAllowed(change: StoreChange): void {
  if (change.kind !== 'create') {
    // Checked first, since the target of a link may be anything.
    if (change.kind !== 'replace') checkNotLinked(change.of, change.kind);
    checkWritable(change.of.path, change.of.state);
  }
  if (change.kind === 'move' && isNotePath(change.of.path) !== isNotePath(change.to)) {
    throw new RouxError('INVALID_PARAMS', `A move keeps the kind of file: ${change.of.path} cannot become ${change.to}.`, {
      path: change.to,
    });
  }
  if (change.kind === 'create') {
    if (change.isRestored !== true) checkSize(change.path, change.bytes);
  } else if (change.kind !== 'remove' && change.bytes !== null)
    checkSize(change.kind === 'move' ? change.to : change.of.path, change.bytes);
}

function checkNotLinked(of: StoredFile, what: 'move' | 'remove'): void {
  if (of.isLinked)
    throw new RouxError('INVALID_PARAMS', `This name is a symbolic link to ${of.path}; ${what} that file instead.`, { path: of.path });
}

function checkWritable(path: string, { mode, links }: FileState): void {
  if ((mode & 0o222) === 0)
    throw new RouxError('READ_ONLY', `${path} is write-protected (mode ${mode.toString(8)}); allow writing to it first.`, { path });
  if (links > 1) {
    throw new RouxError(
      'INVALID_PARAMS',
      `${path} is one of ${links} hard links to a file; a safe write would separate them. Replace it by a copy first.`,
      { path },
    );
  }
}

function checkSize(path: string, bytes: Uint8Array): void {
  if (bytes.length <= MAX_FILE_BYTES) return;
  throw new RouxError(
    'TOO_LARGE',
    `${path} would have ${bytes.length} bytes; the limit is ${MAX_FILE_BYTES}. Split it into several notes.`,
    {
      path,
      limit: MAX_FILE_BYTES,
    },
  );
}
