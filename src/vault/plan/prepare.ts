import { RouxError } from '../../errors.ts';
import type { GraphView } from '../../graph/view.ts';
import type { NoteChange } from '../../note/change.ts';
import { applyChanges } from '../../note/edit.ts';
import { isNotePath } from '../../note/path.ts';
import { applySplices } from '../../note/text.ts';
import type { WriteCounts } from '../history/write-counts.ts';
import { isTooLarge, stampHashOf } from '../../store/folder/hash.ts';
import { tooLarge } from '../../store/folder/read-stable.ts';
import type { ChangedFile, StoreChange, StoredFile, VaultStore } from '../../store/store.ts';
import { deriveEvents } from './event.ts';
import type { TwoSides } from './event.ts';
import { hasOwnRevIn, revIn, textToChange } from './note-text.ts';
import type { Expectation, PlannedFile, FileChange, FileLook, Plan, PlannedEvent, WriteMeta } from './plan.ts';

/** One computed file of a plan: the change for the store, and its text before and after. */
export interface PreparedFile {
  readonly change: StoreChange;
  /** The path by which the plan names it; the new one of a move. */
  readonly path: string;
  readonly sides: TwoSides;
  readonly isChanged: boolean;
  /** The revision of a note after the write: its own, else the count of its changes; null for other files and without one. */
  readonly rev: number | null;
}

export interface PrepareOptions {
  readonly read: VaultStore['read'];
  readonly graph: GraphView;
  /** Counts the changes of notes without a `rev`. */
  readonly findCount: WriteCounts['find'];
  /** By what `findCount` has read. */
  readonly isEdited: WriteCounts['isEdited'];
  /** `writes.stamp`: such notes get one. */
  readonly isStamping: boolean;
  /** `WriteMeta.check` of the write. */
  readonly check?: WriteMeta['check'] | undefined;
}

const MIN_TAG_DIGITS = 16;

/** Computes a plan on the present bytes of the store, writing nothing. Throws when a change cannot be applied. */
export async function prepare(plan: Plan, options: PrepareOptions): Promise<readonly PreparedFile[]> {
  const prepared: PreparedFile[] = [];
  for (const change of mergeChanges(plan.files)) {
    const computed = await prepareFile(change, options);
    prepared.push({ ...withEvents(computed, plan.events ?? []), rev: await revAfter(computed, options) });
  }
  options.check?.(prepared.map(toPlannedFile));
  return prepared;
}

function toPlannedFile({ change, sides }: PreparedFile): PlannedFile {
  const { pathBefore, pathAfter, before, after } = sides;
  return { pathBefore, pathAfter, before, after, file: change.kind === 'create' ? null : change.of.path };
}

/** A computed file without its events. */
interface Computed {
  readonly file: ChangedFile;
  readonly path: string;
  readonly sides: TwoSides;
  readonly changes: readonly NoteChange[] | null;
  readonly isChanged: boolean;
}

function withEvents({ file, path, sides, changes, isChanged }: Computed, planned: readonly PlannedEvent[]): Omit<PreparedFile, 'rev'> {
  const named = planned.filter((event) => event.path === path || (event.path === sides.pathBefore && file.kind === 'move'));
  const eventsOf = (both: TwoSides) => deriveEvents(both, { changes, named, path });
  const change: StoreChange = {
    ...file,
    events: isChanged ? eventsOf(sides) : [],
    describe: (before, after) => eventsOf({ ...sides, before: before.toString('utf8'), after: after.toString('utf8') }),
  };
  return { change, path, sides, isChanged };
}

async function prepareFile(change: FileChange, options: PrepareOptions): Promise<Computed> {
  switch (change.kind) {
    case 'create':
      if (!isNotePath(change.path))
        throw new RouxError('INVALID_PARAMS', `${JSON.stringify(change.path)} is not the path of a note (.md).`, { path: change.path });
      return prepareCreate(change, Buffer.from(change.text), change.text);
    case 'create-bytes':
      return prepareCreate(change, Buffer.from(change.base64, 'base64'), null);
    case 'bring-back': {
      const created = prepareCreate(change, change.bytes, null);
      return { ...created, file: { ...created.file, isRestored: true } };
    }
    case 'change':
      return await prepareChange(change, options);
    case 'splice':
      return await prepareSplice(change, options);
    case 'move':
      return await prepareMove(change, options);
    case 'remove':
      return await prepareRemove(change, options);
  }
}

function prepareCreate(
  { path, like = null }: { path: string; like?: FileLook | null },
  bytes: Buffer,
  text: string | null,
): Computed & { readonly file: ChangedFile & { kind: 'create' } } {
  const sides: TwoSides = { pathBefore: null, pathAfter: path, before: null, after: text };
  return { file: { kind: 'create', path, bytes, like }, path, sides, changes: null, isChanged: true };
}

async function prepareChange(change: FileChange & { kind: 'change' }, options: PrepareOptions): Promise<Computed> {
  const { path } = change;
  const of = await readTarget(path, options, 'refuse');
  const before = textToChange(path, of.bytes);
  await checkExpectation(path, change, { hash: of.hash, text: before }, options);
  const changes = await withStamps(path, change.changes, { hash: of.hash, text: before }, options);
  const { text: after, body, changed } = applyChanges(path, before, changes);
  return {
    file: { kind: 'replace', of, bytes: Buffer.from(after), changes, isCommutative: isCommutative(change) },
    path,
    sides: { pathBefore: path, pathAfter: path, before, after, body },
    changes,
    isChanged: changed,
  };
}

async function prepareSplice({ path, hash, splices }: FileChange & { kind: 'splice' }, options: PrepareOptions): Promise<Computed> {
  const of = await readTarget(path, options, 'refuse');
  if (of.hash !== hash) throw conflict(path, of);
  const before = textToChange(path, of.bytes);
  const after = applySplices(before, splices);
  return {
    file: { kind: 'replace', of, bytes: Buffer.from(after), changes: null, isCommutative: false },
    path,
    sides: { pathBefore: path, pathAfter: path, before: null, after: null },
    changes: null,
    isChanged: after !== before,
  };
}

async function prepareMove(change: FileChange & { kind: 'move' }, options: PrepareOptions): Promise<Computed> {
  const { from, to, rewrite } = change;
  const of = await readTarget(from, options, 'leave');
  if (isTooLarge(of.state)) return await moveLarge(change, of, options);
  const isNote = isNotePath(from);
  const before = isNote && (change.changes.length > 0 || change.expect !== undefined) ? textToChange(from, of.bytes) : null;
  await checkExpectation(from, change, { hash: of.hash, text: before }, options);
  if (rewrite !== undefined && rewrite.hash !== of.hash) throw conflict(from, of);
  const stamped = before === null ? change.changes : await withStamps(from, change.changes, { hash: of.hash, text: before }, options);
  const after = before === null ? null : applyChanges(to, before, stamped).text;
  const bytes = after !== null && after !== before ? Buffer.from(after) : (rewrite?.bytes ?? null);
  const text = before ?? (isNote ? of.bytes.toString('utf8') : null);
  const changes = isNote ? stamped : null;
  return {
    file: { kind: 'move', of, to, bytes, changes, isCommutative: isCommutative(change) && rewrite === undefined },
    path: to,
    sides: { pathBefore: from, pathAfter: to, before: text, after: isNote ? (after ?? text) : null },
    changes,
    isChanged: from !== to || bytes !== null,
  };
}

/**
 * Prepares the move of a file that is too large to be rewritten; its bytes are not read. The history gets its properties from the graph.
 */
async function moveLarge(change: FileChange & { kind: 'move' }, of: StoredFile, options: PrepareOptions): Promise<Computed> {
  const { from, to, changes, rewrite } = change;
  if (changes.length > 0 || rewrite !== undefined) throw tooLarge(from, of.state.size);
  const text = knownText(from, options.graph);
  await checkExpectation(from, change, { hash: stampHashOf(of.state), text, isPartial: true }, options);
  return {
    file: { kind: 'move', of, to, bytes: null, changes: [], isCommutative: true },
    path: to,
    sides: { pathBefore: from, pathAfter: to, before: text, after: text },
    changes: isNotePath(from) ? [] : null,
    isChanged: from !== to,
  };
}

/** Returns the frontmatter of a note from the graph, without a body; null for other files. */
function knownText(path: string, graph: GraphView): string | null {
  if (!isNotePath(path)) return null;
  const yaml = graph.get(path)?.yaml ?? '';
  return yaml === '' ? '' : `---\n${yaml}\n---\n`;
}

/** Notes linking to a removed file that are recorded. */
const MAX_RECORDED_SOURCES = 500;

async function prepareRemove(change: FileChange & { kind: 'remove' }, options: PrepareOptions): Promise<Computed> {
  const { path, to } = change;
  const of = await readTarget(path, options, 'leave');
  const isPartial = isTooLarge(of.state);
  // The tag of a large file is made of size and time, in the store as well.
  const hash = isPartial ? stampHashOf(of.state) : of.hash;
  const before = isPartial ? knownText(path, options.graph) : isNotePath(path) ? of.bytes.toString('utf8') : null;
  await checkExpectation(path, change, { hash, text: before, isPartial }, options);
  const linkedFrom = [...new Set(options.graph.backlinks(path).map(({ from }) => from))].filter((from) => from !== path);
  const sides: TwoSides = { pathBefore: path, pathAfter: null, before, after: null, linkedFrom: linkedFrom.slice(0, MAX_RECORDED_SOURCES) };
  return { file: { kind: 'remove', of, to }, path, sides, changes: null, isChanged: true };
}

/** Merges several changes of one note; anything else twice on one file is a mistake of the plan. */
function mergeChanges(changes: readonly FileChange[]): readonly FileChange[] {
  const byPath = new Map<string, FileChange>();
  for (const change of changes) {
    const path = change.kind === 'move' ? change.from : change.path;
    const earlier = byPath.get(path);
    if (earlier === undefined) {
      byPath.set(path, change);
      continue;
    }
    const isRewrite = (one: FileChange): one is FileChange & { kind: 'change' | 'move' } => one.kind === 'change' || one.kind === 'move';
    if (!isRewrite(earlier) || !isRewrite(change) || (earlier.kind === 'move' && change.kind === 'move'))
      throw new RouxError('INVALID_PARAMS', `${path} is named twice in one plan (${earlier.kind} and ${change.kind}).`, { path });
    const expect = { ...earlier.expect, ...change.expect };
    byPath.set(path, {
      ...(change.kind === 'move' ? change : earlier),
      changes: [...earlier.changes, ...change.changes],
      ...(Object.keys(expect).length > 0 ? { expect } : {}),
    });
  }
  return [...byPath.values()];
}

async function readTarget(path: string, { read, graph }: PrepareOptions, large: 'refuse' | 'leave'): Promise<StoredFile> {
  const file = await read(path, { known: graph.get(path)?.hash ?? null, large });
  if (file === null) throw new RouxError('NODE_NOT_FOUND', `${path} is not in the vault.`, { path });
  return file;
}

/** Returns whether a change may be applied again to a newer text; not if it expects a certain state. */
function isCommutative(change: { changes: readonly NoteChange[]; expect?: Expectation }): boolean {
  return change.expect === undefined && change.changes.every(({ op }) => op !== 'body' && op !== 'text');
}

/** A file whose state is expected. `text` is null for other files than notes. */
interface Current {
  readonly hash: string;
  readonly text: string | null;
  /** It is too large to be read whole, and `hash` is of its size and time. */
  readonly isPartial?: boolean;
}

async function checkExpectation(
  path: string,
  { expect, changes = [] }: { readonly expect?: Expectation; readonly changes?: readonly NoteChange[] },
  current: Current,
  options: PrepareOptions,
): Promise<void> {
  if (expect === undefined) return;
  const isTag = expect.etag === undefined || (expect.etag.length >= MIN_TAG_DIGITS && current.hash.startsWith(expect.etag.toLowerCase()));
  if (isTag && expect.rev === undefined) return;
  const { text } = current;
  const stated = text === null ? null : ownRev(text, changes);
  const rev = text === null ? 0 : (stated ?? (await countedRev(path, current, options)));
  if (!isTag || expect.rev !== rev)
    throw conflict(path, current, rev, expect.rev === undefined || expect.rev === rev ? undefined : `since rev ${expect.rev}`);
  if (expect.isUnedited !== true || stated === null) return;
  await options.findCount(path);
  if (options.isEdited(path, current.hash)) throw conflict(path, current, rev, 'by hand, which its rev does not count');
}

/** Returns the `rev` of a note that does not count by the history; null for the others. */
function ownRev(text: string, changes: readonly NoteChange[]): number | null {
  if (hasOwnRevIn(text)) return null;
  return revIn(text) ?? changes.find((change) => change.op === 'touch')?.from ?? null;
}

async function countedRev(path: string, { hash, isPartial = false }: Current, { findCount }: PrepareOptions): Promise<number> {
  return (await findCount(path))(isPartial ? null : hash);
}

/** Returns the revision of a note after a write; null for other files, and for one that is removed. */
async function revAfter({ file, sides, isChanged }: Computed, { findCount }: PrepareOptions): Promise<number | null> {
  if (sides.after === null) return null;
  const written = revIn(sides.after);
  if (written !== null || file.kind === 'create' || sides.pathBefore === null) return written ?? 0;
  const countOf = await findCount(sides.pathBefore);
  return isChanged ? countOf(null) + 1 : countOf(file.of.hash);
}

/** Lets changes give a note a `rev` that has none, where all notes are to have one. */
async function withStamps(
  path: string,
  changes: readonly NoteChange[],
  current: Current & { readonly text: string },
  options: PrepareOptions,
): Promise<readonly NoteChange[]> {
  if (!options.isStamping || changes.every(({ op }) => op !== 'touch')) return changes;
  const from = ownRev(current.text, changes) ?? (await countedRev(path, current, options));
  return changes.map((change) => (change.op === 'touch' ? { ...change, from } : change));
}

function conflict(path: string, { hash }: Pick<Current, 'hash'>, rev: number | null = null, how = 'since it was read'): RouxError {
  return new RouxError('CONFLICT', `${path} changed ${how}; read it again and retry.`, {
    path,
    rev,
    etag: hash.slice(0, MIN_TAG_DIGITS),
  });
}
