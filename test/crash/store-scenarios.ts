import type { Reapply } from '../../src/store/transaction/under-lock.ts';
import type { ChangedFile, StoreChange, StoredFile, VaultStore } from '../../src/store/store.ts';

/** Files before, and one transaction on the store alone. No file of these is a note. */
export interface StoreScenario {
  readonly name: string;
  readonly notes: Readonly<Record<string, string>>;
  readonly changes: (store: VaultStore) => Promise<readonly StoreChange[]>;
  /** Files that go into the trash. */
  readonly trashed?: readonly string[];
}

/** What these files are changed by: a line at the end. */
export const reapplyLine: Reapply = ({ bytes, changes, isRepeat }) => {
  const added = changes.map((line) => `${String(line)}\n`).join('');
  const text = bytes.toString('utf8');
  return isRepeat && text.endsWith(added) ? null : Buffer.from(text + added);
};

/** A new file. */
export function newFile(path: string, text: string): StoreChange {
  return told({ kind: 'create', path, bytes: Buffer.from(text) }, path);
}

function told(file: ChangedFile, path: string): StoreChange {
  const action = ({ create: 'created', replace: 'updated', move: 'renamed', remove: 'deleted' } as const)[file.kind];
  const events = [{ node: path, path, action, changes: [] }];
  return { ...file, events, describe: () => events };
}

async function fileAt(store: VaultStore, path: string): Promise<StoredFile> {
  const file = await store.read(path);
  if (file === null) throw new Error(`${path} is not there`);
  return file;
}

export async function replaced(store: VaultStore, path: string, text: string): Promise<StoreChange> {
  return told({ kind: 'replace', of: await fileAt(store, path), bytes: Buffer.from(text), changes: null, isCommutative: false }, path);
}

export async function longer(store: VaultStore, path: string, line: string): Promise<StoreChange> {
  const of = await fileAt(store, path);
  const bytes = Buffer.concat([of.bytes, Buffer.from(`${line}\n`)]);
  return told({ kind: 'replace', of, bytes, changes: [line], isCommutative: true }, path);
}

export async function moved(store: VaultStore, from: string, to: string, text: string | null = null): Promise<StoreChange> {
  const bytes = text === null ? null : Buffer.from(text);
  return told({ kind: 'move', of: await fileAt(store, from), to, bytes, changes: null, isCommutative: false }, to);
}

/** A move with a line at the end, which can be made again on whatever the file holds. */
export async function lineMoved(store: VaultStore, from: string, to: string, line: string): Promise<StoreChange> {
  const of = await fileAt(store, from);
  return told(
    { kind: 'move', of, to, bytes: Buffer.concat([of.bytes, Buffer.from(`${line}\n`)]), changes: [line], isCommutative: true },
    to,
  );
}

export async function removed(store: VaultStore, path: string, to: 'trash' | 'gone'): Promise<StoreChange> {
  return told({ kind: 'remove', of: await fileAt(store, path), to }, path);
}

/** The transactions whose every step is crashed on the store alone. */
export const storeScenarios: readonly StoreScenario[] = [
  {
    name: 'a picture in new folders',
    notes: { 'a.png': 'A' },
    changes: async () => [newFile('x/y/b.png', '\u0000\u0001')],
  },
  { name: 'other bytes', notes: { 'a.bin': 'old' }, changes: async (store) => [await replaced(store, 'a.bin', 'new')] },
  { name: 'a line more', notes: { 'a.log': 'one\n' }, changes: async (store) => [await longer(store, 'a.log', 'two')] },
  {
    name: 'into the trash and for good',
    trashed: ['sub/b.bin'],
    notes: { 'a.bin': 'a', 'sub/b.bin': 'b', 'c.bin': 'c' },
    changes: async (store) => [await removed(store, 'sub/b.bin', 'trash'), await removed(store, 'c.bin', 'gone')],
  },
  {
    name: 'three names in a ring, one with other bytes',
    notes: { 'a.bin': 'a', 'b.bin': 'b', 'c.bin': 'c' },
    changes: async (store) => [
      await moved(store, 'a.bin', 'b.bin'),
      await moved(store, 'b.bin', 'c.bin', 'b, changed'),
      await moved(store, 'c.bin', 'a.bin'),
    ],
  },
  {
    name: 'everything at once',
    trashed: ['c.bin'],
    notes: { 'a.bin': 'a', 'b.log': 'b\n', 'c.bin': 'c', 'd.bin': 'd' },
    changes: async (store) => [
      newFile('new/n.bin', 'n'),
      await longer(store, 'b.log', 'more'),
      await moved(store, 'a.bin', 'sub/a.bin'),
      await replaced(store, 'd.bin', 'D'),
      await removed(store, 'c.bin', 'trash'),
    ],
  },
];
