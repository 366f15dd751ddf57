import { RouxError } from '../../errors.ts';
import type { GraphView } from '../../graph/view.ts';
import type { NoteChange } from '../../note/change.ts';
import { applyChanges } from '../../note/edit.ts';
import { isNotePath } from '../../note/path.ts';
import { applySplices } from '../../note/text.ts';
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
}

export interface PrepareOptions {
  readonly read: VaultStore['read'];
  readonly graph: GraphView;
  /** `WriteMeta.check` of the write. */
  readonly check?: WriteMeta['check'] | undefined;
}

const MIN_TAG_DIGITS = 16;

/** Computes a plan on the present bytes of the store, writing nothing. Throws when a change cannot be applied. */
export async function prepare(plan: Plan, options: PrepareOptions): Promise<readonly PreparedFile[]> {
  const prepared: PreparedFile[] = [];
  for (const change of mergeChanges(plan.files)) prepared.push(withEvents(await prepareFile(change, options), plan.events ?? []));
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

function withEvents({ file, path, sides, changes, isChanged }: Computed, planned: readonly PlannedEvent[]): PreparedFile {
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
  const { path, changes } = change;
  const of = await readTarget(path, options, 'refuse');
  const before = textToChange(path, of.bytes);
  checkExpectation(path, change.expect, { hash: of.hash, text: before });
  const { text: after, changed } = applyChanges(path, before, changes);
  return {
    file: { kind: 'replace', of, bytes: Buffer.from(after), changes, isCommutative: isCommutative(change) },
    path,
    sides: { pathBefore: path, pathAfter: path, before, after },
    changes,
    isChanged: changed && after !== before,
  };
}

async function prepareSplice({ path, hash, splices }: FileChange & { kind: 'splice' }, options: PrepareOptions): Promise<Computed> {
  const of = await readTarget(path, options, 'refuse');
  if (of.hash !== hash) throw conflict(path, { hash: of.hash, text: null });
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
  if (isTooLarge(of.state)) return moveLarge(change, of, options.graph);
  const isNote = isNotePath(from);
  const before = isNote && (change.changes.length > 0 || change.expect !== undefined) ? textToChange(from, of.bytes) : null;
  checkExpectation(from, change.expect, { hash: of.hash, text: before });
  if (rewrite !== undefined && rewrite.hash !== of.hash) throw conflict(from, { hash: of.hash, text: null });
  const after = before === null ? null : applyChanges(to, before, change.changes).text;
  const bytes = after !== null && after !== before ? Buffer.from(after) : (rewrite?.bytes ?? null);
  const text = before ?? (isNote ? of.bytes.toString('utf8') : null);
  const changes = isNote ? change.changes : null;
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
function moveLarge({ from, to, changes, rewrite, expect }: FileChange & { kind: 'move' }, of: StoredFile, graph: GraphView): Computed {
  if (changes.length > 0 || rewrite !== undefined) throw tooLarge(from, of.state.size);
  checkExpectation(from, expect, describeLarge(of, from, graph));
  const text = knownText(from, graph);
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

/** Returns what an expectation about a large file is compared with. Its tag is made of size and time, in the store as well. */
function describeLarge({ state }: StoredFile, path: string, graph: GraphView): { hash: string; text: string | null } {
  return { hash: stampHashOf(state), text: knownText(path, graph) };
}

/** Notes linking to a removed file that are recorded. */
const MAX_RECORDED_SOURCES = 500;

async function prepareRemove({ path, to, expect }: FileChange & { kind: 'remove' }, options: PrepareOptions): Promise<Computed> {
  const of = await readTarget(path, options, 'leave');
  const { hash, text: before } = isTooLarge(of.state)
    ? describeLarge(of, path, options.graph)
    : { hash: of.hash, text: isNotePath(path) ? of.bytes.toString('utf8') : null };
  checkExpectation(path, expect, { hash, text: before });
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

function checkExpectation(path: string, expect: Expectation | undefined, current: { hash: string; text: string | null }): void {
  if (expect === undefined) return;
  if (expect.rev !== undefined && current.text !== null && hasOwnRevIn(current.text)) throw ownRev(path, current);
  const rev = current.text === null ? null : revIn(current.text);
  const isRev = expect.rev === undefined || expect.rev === (rev ?? 0);
  const isTag = expect.etag === undefined || (expect.etag.length >= MIN_TAG_DIGITS && current.hash.startsWith(expect.etag.toLowerCase()));
  if (!isRev || !isTag) throw conflict(path, current, expect);
}

/** Returns the refusal of a condition on a `rev` that roux does not count: it would be met after any number of writes. */
function ownRev(path: string, { hash }: { readonly hash: string }): RouxError {
  const etag = hash.slice(0, MIN_TAG_DIGITS);
  const message = `The "rev" of ${path} is a property of its own and does not count writes, so expected_rev says nothing about it. Leave it out, or send the etag (${etag}) as if_match.`;
  return new RouxError('INVALID_PARAMS', message, { path, etag });
}

function conflict(path: string, current: { hash: string; text: string | null }, expect?: Expectation): RouxError {
  const rev = current.text === null ? null : revIn(current.text);
  const since = expect?.rev === undefined ? 'since it was read' : `since rev ${expect.rev}`;
  return new RouxError('CONFLICT', `${path} changed ${since}; read it again and retry.`, {
    path,
    rev,
    etag: current.hash.slice(0, MIN_TAG_DIGITS),
  });
}
