import type { Graph } from '../../graph/graph.ts';
import { splitLinkText } from '../../note/markdown/link-text.ts';
import { splitPath, toNotePath } from '../../note/path.ts';
import { WHY_ONLINE_ONLY } from '../../store/folder/online-only.ts';
import { isRacy, isSameState } from '../../store/folder/file-system.ts';
import type { FileState } from '../../store/folder/file-system.ts';
import { isAlias, noteNames } from './compare-folders.ts';
import type { Compared, Differences, OwnBytes } from './compare-folders.ts';
import { followLink } from './list-folder.ts';
import { whyHeld } from './held-notes.ts';
import type { HeldNote } from './held-notes.ts';
import type { SeenNote } from './inventory.ts';
import { noteOf, readBytes } from './read-note.ts';
import type { ByteReading } from './read-note.ts';
import type { Slice } from '../../store/slices.ts';

/** The destination of differences. */
export interface Sink {
  readonly graph: Graph;
  readonly isHidden: (path: string) => boolean;
  /** Notes that could not be read, with the reason; they are served from the earlier state. */
  readonly unreadable: Map<string, string>;
  /** Notes that are not read, by the hash of their bytes. */
  readonly held: ReadonlyMap<string, HeldNote>;
  readonly counters: Counters;
  /** Called before these notes are removed from the graph. */
  onVanishing(paths: readonly string[]): void;
  /** Called for a few saved or removed notes: the earlier targets of the links by text, and the present link texts. */
  readonly onSaved?: ((path: string, before: ReadonlyMap<string, string>, after: ReadonlySet<string>) => void) | undefined;
}

/** Work done by the vault, for tests of its cost. */
export interface Counters {
  filesRead: number;
  notesParsed: number;
}

/** The result of applying differences. */
export interface PutResult {
  /** Paths of notes and attachments that changed in the graph. */
  readonly changed: Set<string>;
  /** Notes that were read during a save: their folders must be compared again soon. */
  readonly beingSaved: Set<string>;
}

/** More changes at once are a checkout or a sync, not a person who saves. */
const MAX_SAVED_AT_ONCE = 100;
/** A younger file that is empty may be in the middle of a save, and a much younger one that is shorter. */
const MAX_SAVING_AGE_MS = 1_000;
const MAX_SHORTER_AGE_MS = 50;

const NO_LINKS: ReadonlyMap<string, string> = new Map();

/** Applies differences to the graph, one batch per slice. A missing file that reappears elsewhere is a move. */
export function* putNotes(compared: Compared, sink: Sink, differences: Differences, slice: Slice): Generator<void, PutResult> {
  const result: PutResult = { changed: new Set(), beingSaved: new Set() };
  const lost = openLost(differences.gone);
  const isFew = differences.fresh.size + differences.gone.size <= MAX_SAVED_AT_ONCE;
  const onSaved = isFew && differences.isCertain !== true ? sink.onSaved : undefined;
  const addAttachments = [...differences.newAttachments];
  const dropAttachments = [...differences.goneAttachments].filter((path) => !differences.newAttachments.has(path));

  yield* inBatches(sink.graph, slice, addAttachments, (path) => {
    sink.graph.putAttachment(path);
    result.changed.add(path);
  });
  yield* inBatches(sink.graph, slice, [...differences.fresh], ([path, { linkedTo, state }]) => {
    const own = ownReading(differences.own?.get(path), state);
    // By the time of its turn a link may lead elsewhere.
    const link = linkedTo === undefined ? null : followLink(compared.files, path);
    if (link?.kind === 'skipped') dropNote(compared, sink, result, path);
    else putNote(compared, sink, result, lost, path, { linkedTo: link?.path, isCertain: differences.isCertain === true, own, onSaved });
  });
  sink.onVanishing([...lost.notes.keys()]);
  yield* inBatches(sink.graph, slice, [...lost.notes.keys()], (path) => {
    const state = compared.files.stat(path);
    const isOtherName = state !== null && isAlias(compared, path, state);
    // It may have reappeared since the folder was listed.
    if (state?.kind === 'file' && !isOtherName) putNote(compared, sink, result, lost, path, { linkedTo: undefined, isCertain: false });
    else {
      const before = onSaved === undefined || isOtherName ? NO_LINKS : targetsIn(sink.graph, path);
      dropNote(compared, sink, result, path);
      if (before.size > 0) onSaved?.(path, before, new Set());
    }
  });
  yield* inBatches(sink.graph, slice, dropAttachments, (path) => {
    sink.graph.remove(path);
    result.changed.add(path);
  });
  return result;
}

/** Runs a step for each item, one batch of the graph per slice. */
function* inBatches<T>(graph: Graph, slice: Slice, items: readonly T[], step: (item: T) => void): Generator<void> {
  let at = 0;
  while (at < items.length) {
    graph.batch(() => {
      do step(items[at++] as T);
      while (at < items.length && !slice.isOver());
    });
    yield;
  }
}

function dropNote(compared: Compared, sink: Sink, result: PutResult, path: string): void {
  compared.inventory.remove(path);
  compared.racy.delete(path);
  sink.unreadable.delete(path);
  if (sink.graph.get(path) === null && !sink.graph.isAttachment(path)) return;
  sink.graph.remove(path);
  result.changed.add(path);
}

function putNote(
  compared: Compared,
  sink: Sink,
  result: PutResult,
  lost: Lost,
  path: string,
  {
    linkedTo,
    isCertain,
    own = null,
    onSaved,
  }: { linkedTo: string | undefined; isCertain: boolean; own?: ByteReading | null; onSaved?: Sink['onSaved'] },
): void {
  const { files, inventory, racy } = compared;
  const notePath = toNotePath(path);
  if (notePath === null) return;
  const known = inventory.note(path);
  const reading = own ?? readBytes(files, linkedTo ?? path);
  if (own === null) sink.counters.filesRead++;
  if (reading.kind === 'gone') {
    if (known !== null) dropNote(compared, sink, result, path);
    return;
  }
  if (reading.kind === 'torn') {
    result.beingSaved.add(path);
    return;
  }
  if (reading.kind === 'unreadable') {
    sink.unreadable.set(path, reading.reason);
    if (reading.reason === WHY_ONLINE_ONLY) putOnlineOnly(compared, sink, result, path);
    return;
  }
  sink.unreadable.delete(path);
  const { bytes, state, hash, read } = reading;
  const age = files.now() - Number(state.mtimeNs / 1_000_000n);
  if (!isCertain && known !== null && isBeingSaved(known, state.size, age)) {
    result.beingSaved.add(path);
    return;
  }
  if (isRacy(age, state.mtimeNs)) racy.add(path);
  else racy.delete(path);
  noteNames(inventory, path, state);
  const stamp = { size: state.size, mtimeNs: state.mtimeNs, ctimeNs: state.ctimeNs, ino: state.ino };
  const seen = linkedTo === undefined ? {} : { linkedTo };
  if (known?.hash === hash && isSameState(known.stamp, stamp)) {
    inventory.setNote(path, { stamp, hash, ownId: known.ownId, ...seen });
    return;
  }
  const held = sink.held.get(hash);
  if (held !== undefined) {
    sink.unreadable.set(path, whyHeld(held));
    return;
  }
  const note = noteOf(notePath, bytes, { forIndex: true, size: state.size, read });
  sink.counters.notesParsed++;
  const file = { stamp, hash, isHidden: sink.isHidden(path) };
  const from = known === null ? lost.find({ path, hash, id: note.id, ino: stamp.ino }) : null;
  const fromPath = from === null ? null : toNotePath(from);
  if (fromPath !== null) {
    sink.graph.move(fromPath, note, file);
    lost.forget(fromPath);
    inventory.remove(fromPath);
    result.changed.add(fromPath);
  } else {
    const before = known === null || onSaved === undefined ? NO_LINKS : targetsIn(sink.graph, path);
    sink.graph.put(note, file);
    if (before.size > 0) onSaved?.(path, before, new Set(note.links.map(({ link }) => splitLinkText(link).linkpath)));
  }
  lost.forget(path);
  inventory.setNote(path, { stamp, hash, ownId: note.id, ...seen });
  result.changed.add(path);
}

/** Puts an online-only note that was never read into the graph as a file that is there, so that links lead to it. */
function putOnlineOnly({ files, inventory }: Compared, sink: Sink, result: PutResult, path: string): void {
  const state = files.hint(path);
  if (state === null || sink.graph.get(path) !== null) return;
  sink.graph.putAttachment(path);
  // Without a hash it is read as soon as it changes.
  inventory.setNote(path, { stamp: state, hash: '', ownId: null });
  result.changed.add(path);
}

/** Returns the targets of a note's links, by link text. */
function targetsIn(graph: Graph, path: string): ReadonlyMap<string, string> {
  return new Map(graph.links(path).flatMap(({ linkpath, target }) => (target.kind === 'unresolved' ? [] : [[linkpath, target.path]])));
}

/** Returns the bytes that roux has just written, if the file is still the same and was not written since. */
function ownReading(own: OwnBytes | undefined, state: FileState | undefined): ByteReading | null {
  if (own === undefined || state === undefined) return null;
  const isOurs = state.ino === own.state.ino && state.mtimeNs === own.state.mtimeNs && state.size === own.bytes.length;
  return isOurs ? { kind: 'bytes', ...own, state } : null;
}

/** An in-place save first shows an empty file, then a part of it. */
function isBeingSaved(known: SeenNote, size: number, age: number): boolean {
  return age >= 0 && age < MAX_SAVING_AGE_MS && size < known.stamp.size && (size === 0 || age < MAX_SHORTER_AGE_MS);
}

interface Lost {
  readonly notes: ReadonlyMap<string, SeenNote>;
  /** Returns the previous path of a note, or null. */
  find(now: { path: string; hash: string; id: string | null; ino: bigint }): string | null;
  forget(path: string): void;
}

function openLost(gone: ReadonlyMap<string, SeenNote>): Lost {
  const notes = new Map(gone);
  const byId = new Map<string, string[]>();
  const byHash = new Map<string, string[]>();
  const byInode = new Map<bigint, string[]>();
  for (const [path, note] of gone) {
    if (note.ownId !== null) group(byId, note.ownId, path);
    if (note.stamp.size > 0) group(byHash, note.hash, path);
    group(byInode, note.stamp.ino, path);
  }
  return {
    notes,
    find({ path, hash, id, ino }) {
      const left = (paths: readonly string[] | undefined) => (paths ?? []).filter((candidate) => notes.has(candidate));
      const name = splitPath(path)[1];
      const sameName = (paths: readonly string[]) => paths.filter((candidate) => splitPath(candidate)[1] === name);
      const sameId = id === null ? [] : left(byId.get(id));
      if (sameId.length === 1) return sameId[0] ?? null;
      const sameHash = left(byHash.get(hash));
      const sameInode = left(byInode.get(ino));
      const sure = sameHash.filter((candidate) => sameInode.includes(candidate));
      if (sure.length > 0) return sure[0] ?? null;
      const likely = sameHash.length > 1 ? sameName(sameHash) : sameHash;
      if (likely.length === 1) return likely[0] ?? null;
      // Inodes are reused: alone they identify only an edited note that kept its name.
      return sameName(sameInode)[0] ?? null;
    },
    forget: (path) => void notes.delete(path),
  };
}

function group<K>(groups: Map<K, string[]>, key: K, path: string): void {
  const paths = groups.get(key);
  if (paths === undefined) groups.set(key, [path]);
  else paths.push(path);
}
