import { numbersFrom } from '../random.ts';
import type { DiskNode, FileNode, FolderNode, State } from './simulated-tree.ts';

/** How a machine stops: the process dies; the power fails; the power fails while the disk was busy (a seed says with what). */
export type Crash = 'kill' | 'power' | { readonly seed: number };

/** A copy of everything as the next start finds it: what was not synced is there, gone, or partly there. */
export function afterCrash(state: State, how: Crash): State {
  const random = typeof how === 'object' ? numbersFrom(how.seed) : null;
  const copies = new Map<DiskNode, DiskNode>();
  const copy = (node: DiskNode): DiskNode => {
    const known = copies.get(node);
    if (known !== undefined) return known;
    if (node.kind === 'link') {
      copies.set(node, node);
      return node;
    }
    if (node.kind === 'file') {
      const bytes = survivingBytes(node, how, random);
      // It takes longer than a moment to start again.
      const made: FileNode = { ...node, bytes, durable: bytes, mtimeMs: node.mtimeMs - 3_600_000, links: 0 };
      copies.set(node, made);
      return made;
    }
    const made: FolderNode = { kind: 'folder', ino: node.ino, entries: new Map(), durable: new Map() };
    copies.set(node, made);
    for (const [name, child] of survivingEntries(node, how, random)) {
      const copied = copy(child);
      made.entries.set(name, copied);
      made.durable.set(name, copied);
      if (copied.kind === 'file') copied.links++;
    }
    return made;
  };
  const top = copy(state.top);
  if (top.kind !== 'folder') throw new Error('The top is a folder.');
  return { nextIno: state.nextIno, top };
}

function survivingBytes(node: FileNode, how: Crash, random: (() => number) | null): Buffer {
  if (how === 'kill' || node.durable?.equals(node.bytes) === true) return node.bytes;
  const durable = node.durable ?? Buffer.alloc(0);
  if (random === null) return durable;
  const dice = random();
  if (dice < 0.34) return durable;
  if (dice < 0.67) return node.bytes;
  return Buffer.from(node.bytes.subarray(0, Math.floor(random() * node.bytes.length)));
}

function survivingEntries(node: FolderNode, how: Crash, random: (() => number) | null): Map<string, DiskNode> {
  if (how === 'kill') return node.entries;
  if (random === null) return node.durable;
  const entries = new Map<string, DiskNode>();
  for (const name of new Set([...node.durable.keys(), ...node.entries.keys()])) {
    const [was, is] = [node.durable.get(name), node.entries.get(name)];
    const chosen = was === is || random() < 0.5 ? is : was;
    if (chosen !== undefined) entries.set(name, chosen);
  }
  return entries;
}
