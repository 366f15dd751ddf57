import { RouxError } from '../errors.ts';
import type { FileState, FileSystem } from '../disk/file-system.ts';
import type { GraphView } from '../graph/view.ts';
import type { NoteChange } from '../note/change.ts';
import { applyChanges } from '../note/edit.ts';
import { foldKey, isNotePath } from '../note/path.ts';
import type { Clock } from '../ports.ts';
import { hashOf, maxFileBytes, revOf, textToChange } from './content.ts';
import type { TwoSides } from './event.ts';
import type { Step } from './intent.ts';
import { findPlace, findRoom } from './place.ts';
import type { Listings, Place } from './place.ts';
import type { Expectation, FileChange, Plan } from './plan.ts';
import { readSettled } from './settle.ts';
import type { Content } from './settle.ts';

/** One file of a plan, read and computed: what will be done, and the bytes to do it with. */
export interface PreparedFile {
  readonly step: Step;
  /** The path by which the plan names it (the new one of a move). */
  readonly path: string;
  /** The bytes to stage; null when the step needs none. */
  readonly image: Uint8Array | null;
  /** The file whose mode and owner are kept. */
  readonly like: FileState | null;
  readonly sides: TwoSides;
  readonly changes: readonly NoteChange[] | null;
  readonly isChanged: boolean;
}

/** What preparing needs. */
export interface PrepareOptions {
  readonly files: FileSystem;
  readonly root: string;
  readonly graph: GraphView;
  readonly clock: Clock;
  /** Names the place in the trash for a removed file. */
  readonly trashFor: (path: string) => string;
}

/** Turns a plan into steps on the bytes that are on disk now; throws when any file of it cannot be done. Writes nothing. */
export async function prepare(plan: Plan, options: PrepareOptions): Promise<readonly PreparedFile[]> {
  const changes = mergeChanges(plan.files);
  const leaving = new Set(
    changes.flatMap((change) => (change.kind === 'move' ? [change.from] : change.kind === 'remove' ? [change.path] : [])),
  );
  const arriving = new Set<string>();
  const listings: Listings = new Map();
  const prepared: PreparedFile[] = [];
  for (const change of changes) {
    const target = change.kind === 'move' ? change.to : change.kind === 'create' || change.kind === 'create-bytes' ? change.path : null;
    if (target !== null) {
      if (arriving.has(foldKey(target))) throw new RouxError('NODE_EXISTS', `${target} would be made twice.`, { path: target });
      arriving.add(foldKey(target));
    }
    prepared.push(await prepareFile(change, { ...options, leaving, changes, listings }));
  }
  return prepared;
}

interface FileOptions extends PrepareOptions {
  readonly leaving: ReadonlySet<string>;
  readonly changes: readonly FileChange[];
  readonly listings: Listings;
}

async function prepareFile(change: FileChange, options: FileOptions): Promise<PreparedFile> {
  switch (change.kind) {
    case 'create':
      if (!isNotePath(change.path))
        throw new RouxError('INVALID_PARAMS', `${JSON.stringify(change.path)} is not the path of a note (.md).`, { path: change.path });
      return await prepareCreate(change.path, Buffer.from(change.text), change.text, options);
    case 'create-bytes':
      return await prepareCreate(change.path, Buffer.from(change.base64, 'base64'), null, options);
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

async function prepareCreate(path: string, image: Buffer, text: string | null, options: FileOptions): Promise<PreparedFile> {
  mustFit(path, image);
  const real = await findRoom(options.files, { ...options, path });
  return {
    step: { kind: 'create', path: real, after: hashOf(image) },
    path,
    image,
    like: null,
    sides: { pathBefore: null, pathAfter: path, before: null, after: text },
    changes: null,
    isChanged: true,
  };
}

async function prepareChange(change: FileChange & { kind: 'change' }, options: FileOptions): Promise<PreparedFile> {
  const { place, content } = await readTarget(change.path, options);
  mustBeWritable(change.path, place);
  const before = textToChange(change.path, content.bytes);
  mustMeet(change.path, change.expect, { hash: content.hash, text: before });
  const { text: after, changed } = applyChanges(change.path, before, change.changes);
  const image = Buffer.from(after);
  mustFit(change.path, image);
  return {
    step: {
      kind: 'replace',
      path: place.path,
      before: content.hash,
      after: hashOf(image),
      changes: change.changes,
      isCommutative: isCommutative(change),
    },
    path: change.path,
    image,
    like: place.state,
    sides: { pathBefore: change.path, pathAfter: change.path, before, after },
    changes: change.changes,
    isChanged: changed && after !== before,
  };
}

async function prepareSplice(change: FileChange & { kind: 'splice' }, options: FileOptions): Promise<PreparedFile> {
  const { place, content } = await readTarget(change.path, options);
  mustBeWritable(change.path, place);
  if (content.hash !== change.hash) throw conflict(change.path, { hash: content.hash, text: null });
  const before = textToChange(change.path, content.bytes);
  let after = before;
  for (const splice of change.splices.toSorted((a, b) => b.start - a.start))
    after = after.slice(0, splice.start) + splice.text + after.slice(splice.end);
  const image = Buffer.from(after);
  mustFit(change.path, image);
  return {
    step: { kind: 'replace', path: place.path, before: content.hash, after: hashOf(image), changes: null, isCommutative: false },
    path: change.path,
    image,
    like: place.state,
    sides: { pathBefore: change.path, pathAfter: change.path, before: null, after: null },
    changes: null,
    isChanged: after !== before,
  };
}

async function prepareMove(change: FileChange & { kind: 'move' }, options: FileOptions): Promise<PreparedFile> {
  const { place, content } = await readTarget(change.from, options);
  if (place.isLinked)
    throw new RouxError('INVALID_PARAMS', `${change.from} is a symbolic link to ${place.path}; move that file instead.`, {
      path: change.from,
    });
  mustBeWritable(change.from, place);
  const isNote = isNotePath(change.from);
  if (isNote !== isNotePath(change.to))
    throw new RouxError('INVALID_PARAMS', `A move keeps the kind of file: ${change.from} cannot become ${change.to}.`, { path: change.to });
  const before = isNote && (change.changes.length > 0 || change.expect !== undefined) ? textToChange(change.from, content.bytes) : null;
  mustMeet(change.from, change.expect, { hash: content.hash, text: before });
  const after = before === null ? null : applyChanges(change.to, before, change.changes).text;
  const image = after === null || after === before ? content.bytes : Buffer.from(after);
  mustFit(change.to, image);
  const to = await findRoom(options.files, { ...options, path: change.to });
  // Another file stands there and moves away in the same plan: its bytes are displaced, not linked over.
  const occupant = to === place.path ? null : await options.files.read(`${options.root}/${to}`);
  const keepsFrom = options.changes.some((other) => other.kind === 'move' && other.to === change.from);
  const isCopied = after !== null && after !== before;
  const isImageNeeded = isCopied || occupant !== null || keepsFrom;
  const text = before ?? (isNote ? content.bytes.toString('utf8') : null);
  return {
    step: {
      kind: 'move',
      from: place.path,
      to,
      before: content.hash,
      after: hashOf(image),
      changes: isNote ? change.changes : null,
      isCommutative: isCommutative(change),
      over: occupant === null ? null : hashOf(occupant),
      keepsFrom,
    },
    path: change.to,
    image: isImageNeeded ? image : null,
    like: place.state,
    sides: { pathBefore: change.from, pathAfter: change.to, before: text, after: isNote ? (after ?? text) : null },
    changes: isNote ? change.changes : null,
    isChanged: change.from !== change.to || isCopied,
  };
}

async function prepareRemove(change: FileChange & { kind: 'remove' }, options: FileOptions): Promise<PreparedFile> {
  const { place, content } = await readTarget(change.path, options);
  if (place.isLinked)
    throw new RouxError('INVALID_PARAMS', `${change.path} is a symbolic link to ${place.path}; remove that file instead.`, {
      path: change.path,
    });
  mustBeWritable(change.path, place);
  const text = isNotePath(change.path) ? content.bytes.toString('utf8') : null;
  mustMeet(change.path, change.expect, { hash: content.hash, text });
  return {
    step: { kind: 'remove', path: place.path, before: content.hash, trash: change.to === 'trash' ? options.trashFor(change.path) : null },
    path: change.path,
    image: null,
    like: null,
    sides: { pathBefore: change.path, pathAfter: null, before: text, after: null },
    changes: null,
    isChanged: true,
  };
}

/** Several changes of one note become one; anything else twice on one file is a mistake of the plan. */
function mergeChanges(changes: readonly FileChange[]): readonly FileChange[] {
  const byPath = new Map<string, FileChange>();
  for (const change of changes) {
    const path = change.kind === 'move' ? change.from : change.path;
    const earlier = byPath.get(path);
    if (earlier === undefined) byPath.set(path, change);
    else if (change.kind === 'change' && (earlier.kind === 'change' || earlier.kind === 'move')) {
      const expect = { ...earlier.expect, ...change.expect };
      byPath.set(path, {
        ...earlier,
        changes: [...earlier.changes, ...change.changes],
        ...(Object.keys(expect).length > 0 ? { expect } : {}),
      });
    } else if (change.kind === 'move' && earlier.kind === 'change') {
      const expect = { ...earlier.expect, ...change.expect };
      byPath.set(path, {
        ...change,
        changes: [...earlier.changes, ...change.changes],
        ...(Object.keys(expect).length > 0 ? { expect } : {}),
      });
    } else throw new RouxError('INVALID_PARAMS', `${path} is named twice in one plan (${earlier.kind} and ${change.kind}).`, { path });
  }
  return [...byPath.values()];
}

async function readTarget(path: string, options: FileOptions): Promise<{ place: Place; content: Content }> {
  const { files, root, graph, clock } = options;
  const place = await findPlace(files, root, path);
  const content =
    place === null ? null : await readSettled(files, { file: `${root}/${place.path}`, known: graph.get(path)?.hash ?? null, clock });
  if (place === null || content === null) throw new RouxError('NODE_NOT_FOUND', `${path} is not in the vault.`, { path });
  return { place, content };
}

/** A change that may be applied again to a newer text. One that expects a certain state may not. */
function isCommutative(change: { changes: readonly NoteChange[]; expect?: Expectation }): boolean {
  return change.expect === undefined && change.changes.every(({ op }) => op !== 'body' && op !== 'text');
}

function mustMeet(path: string, expect: Expectation | undefined, current: { hash: string; text: string | null }): void {
  if (expect === undefined) return;
  const rev = current.text === null ? null : revOf(current.text);
  const isRev = expect.rev === undefined || expect.rev === (rev ?? 0);
  const isTag = expect.etag === undefined || (expect.etag.length >= MIN_TAG_DIGITS && current.hash.startsWith(expect.etag.toLowerCase()));
  if (!isRev || !isTag) throw conflict(path, current, expect);
}

const MIN_TAG_DIGITS = 16;

function conflict(path: string, current: { hash: string; text: string | null }, expect?: Expectation): RouxError {
  const rev = current.text === null ? null : revOf(current.text);
  const since = expect?.rev === undefined ? 'since it was read' : `since rev ${expect.rev}`;
  return new RouxError('CONFLICT', `${path} changed ${since}; read it again and retry.`, {
    path,
    rev,
    etag: current.hash.slice(0, MIN_TAG_DIGITS),
  });
}

function mustBeWritable(path: string, place: Place): void {
  if ((place.state.mode & 0o222) === 0) {
    throw new RouxError('READ_ONLY', `${path} is write-protected (mode ${place.state.mode.toString(8)}); allow writing to it first.`, {
      path,
    });
  }
  if (place.state.links > 1) {
    throw new RouxError(
      'INVALID_PARAMS',
      `${path} is one of ${place.state.links} hard links to a file; a safe write would part them. Make it a file of its own first.`,
      {
        path,
      },
    );
  }
}

function mustFit(path: string, image: Uint8Array): void {
  if (image.length > maxFileBytes)
    throw new RouxError(
      'TOO_LARGE',
      `${path} would have ${image.length} bytes; the limit is ${maxFileBytes}. Split it into several notes.`,
      {
        path,
        limit: maxFileBytes,
      },
    );
}
