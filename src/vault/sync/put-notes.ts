import { isSameState } from '../../disk/disk.ts';
import type { Graph } from '../../graph/graph.ts';
import { toNotePath } from '../../note/path.ts';
import { splitPath } from './inventory.ts';
import type { SeenNote } from './inventory.ts';
import { noteOf, readBytes } from './read-note.ts';
import type { Slice } from './slices.ts';
import type { Findings, Ground } from './survey.ts';

/** Where findings go. */
export interface Sink {
  readonly graph: Graph;
  isHidden(path: string): boolean;
  /** Notes that could not be read, with the reason; served from what was known. */
  readonly unreadable: Map<string, string>;
  readonly counters: Counters;
  /** So many notes are about to leave the graph: told before the first of them does. */
  onVanishing(count: number): void;
}

/** What the vault has done so far, for tests of cost. */
export interface Counters {
  filesRead: number;
  notesParsed: number;
}

/** What came of findings. */
export interface Applied {
  /** Paths of notes and attachments that changed in the graph. */
  readonly changed: Set<string>;
  /** Notes caught in the middle of a save: their folders must be looked at again in a moment. */
  readonly unsettled: Set<string>;
}

/** Below this age in milliseconds a file may change again within the file system's grain of time. */
const RACY_AGE = 50;
/** Until this age an empty or shorter file may be one that an editor is just writing. */
const SETTLING_AGE = 1_000;

/** Bring findings into the graph, in slices, each slice as one batch. A file that is gone here and new there has moved. */
export function* apply(ground: Ground, sink: Sink, findings: Findings, slice: Slice): Generator<void, Applied> {
  const applied: Applied = { changed: new Set(), unsettled: new Set() };
  const lost = openLost(findings.gone);
  const addAttachments = [...findings.newAttachments];
  const dropAttachments = [...findings.goneAttachments].filter((path) => !findings.newAttachments.has(path));

  yield* inBatches(sink.graph, slice, addAttachments, (path) => {
    sink.graph.putAttachment(path);
    applied.changed.add(path);
  });
  yield* inBatches(sink.graph, slice, [...findings.fresh], ([path, { linkedTo }]) => {
    applyNote(ground, sink, applied, lost, path, { linkedTo, isCertain: findings.isCertain === true });
  });
  sink.onVanishing(lost.notes.size);
  yield* inBatches(sink.graph, slice, [...lost.notes.keys()], (path) => {
    // It may have come back since the folder was listed.
    if (ground.disk.stat(`${ground.root}/${path}`)?.kind === 'file')
      applyNote(ground, sink, applied, lost, path, { linkedTo: undefined, isCertain: false });
    else dropNote(ground, sink, applied, path);
  });
  yield* inBatches(sink.graph, slice, dropAttachments, (path) => {
    sink.graph.remove(path);
    applied.changed.add(path);
  });
  return applied;
}

/** Do a step for each of the items, each slice as one batch of the graph. */
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

function dropNote(ground: Ground, sink: Sink, applied: Applied, path: string): void {
  ground.inventory.remove(path);
  ground.racy.delete(path);
  sink.unreadable.delete(path);
  if (sink.graph.get(path) === null) return;
  sink.graph.remove(path);
  applied.changed.add(path);
}

function applyNote(
  ground: Ground,
  sink: Sink,
  applied: Applied,
  lost: Lost,
  path: string,
  { linkedTo, isCertain }: { linkedTo: string | undefined; isCertain: boolean },
): void {
  const { disk, root, inventory, racy } = ground;
  const notePath = toNotePath(path);
  if (notePath === null) return;
  const known = inventory.note(path);
  const reading = readBytes(disk, `${root}/${path}`, { isLink: linkedTo !== undefined });
  sink.counters.filesRead++;
  if (reading.kind === 'gone') {
    if (known !== null) dropNote(ground, sink, applied, path);
    return;
  }
  if (reading.kind === 'torn') {
    applied.unsettled.add(path);
    return;
  }
  if (reading.kind === 'unreadable') {
    sink.unreadable.set(path, reading.reason);
    return;
  }
  sink.unreadable.delete(path);
  const { bytes, stat, hash } = reading;
  const age = disk.now() - Number(stat.mtimeNs / 1_000_000n);
  if (!isCertain && known !== null && isBeingSaved(known, stat.size, age)) {
    applied.unsettled.add(path);
    return;
  }
  if (isRacy(age, stat.mtimeNs)) racy.add(path);
  else racy.delete(path);
  const stamp = { size: stat.size, mtimeNs: stat.mtimeNs, ctimeNs: stat.ctimeNs, ino: stat.ino };
  const seen = linkedTo === undefined ? {} : { linkedTo };
  if (known?.hash === hash && isSameState(known.stamp, stamp)) {
    inventory.setNote(path, { ...known, ...seen, stamp });
    return;
  }
  const note = noteOf(notePath, bytes, { forIndex: true });
  sink.counters.notesParsed++;
  const file = { stamp, hash, isHidden: sink.isHidden(path) };
  const from = known === null ? lost.find({ path, hash, id: note.id, ino: stamp.ino }) : null;
  const fromPath = from === null ? null : toNotePath(from);
  if (fromPath !== null) {
    sink.graph.move(fromPath, note, file);
    lost.forget(fromPath);
    inventory.remove(fromPath);
    applied.changed.add(fromPath);
  } else sink.graph.put(note, file);
  lost.forget(path);
  inventory.setNote(path, { stamp, hash, id: note.id, ...seen });
  applied.changed.add(path);
}

/** An in-place save shows an empty file, then a part of it. */
function isBeingSaved(known: SeenNote, size: number, age: number): boolean {
  return age >= 0 && age < SETTLING_AGE && size < known.stamp.size && (size === 0 || age < RACY_AGE);
}

/** Whole seconds betray a file system that keeps no finer times. */
function isRacy(age: number, mtimeNs: bigint): boolean {
  return age < (mtimeNs % 1_000_000_000n === 0n ? 2_100 : RACY_AGE);
}

interface Lost {
  readonly notes: ReadonlyMap<string, SeenNote>;
  /** The note that this one was, or null. */
  find(now: { path: string; hash: string; id: string | null; ino: bigint }): string | null;
  forget(path: string): void;
}

function openLost(gone: ReadonlyMap<string, SeenNote>): Lost {
  const notes = new Map(gone);
  const byId = new Map<string, string[]>();
  const byHash = new Map<string, string[]>();
  const byInode = new Map<bigint, string[]>();
  for (const [path, note] of gone) {
    if (note.id !== null) group(byId, note.id, path);
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
      // Inodes are given out again: alone they only tell an edited note that kept its name.
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
