import { describe, expect, it } from 'vitest';
import { listSourceFolders } from '../../../../src/store/shared/incoming/apply-changes.ts';
import { eventsOf } from '../../../../src/store/shared/incoming/commit-groups.ts';
import { mergeIncoming } from '../../../../src/store/shared/incoming/merge-incoming.ts';
import type { Merge } from '../../../../src/store/shared/incoming/sides.ts';
import type { SharedChange } from '../../../../src/store/shared/shared-vault.ts';
import type { ReadOptions, StoreChange, StoredFile } from '../../../../src/store/store.ts';

type Files = Readonly<Record<string, string>>;

// The hash of a text is the text.
const event = [{ node: 'n', path: 'n', action: 'updated', changes: [] }];
const made = (path: string, hash: string): SharedChange => ({ op: 'create', path, oldPath: null, before: null, hash, size: 1, event });
const edited = (path: string, before: string, hash: string): SharedChange => ({ ...made(path, hash), op: 'update', before });
const moved = (oldPath: string, path: string, before: string, hash = before): SharedChange => ({
  ...made(path, hash),
  op: 'rename',
  oldPath,
  before,
});
const gone = (path: string, before: string): SharedChange => ({ ...made(path, ''), op: 'delete', before, hash: null, size: 0 });

/** What is in the folder and was in the store. `moves`: the former name by the name of now. */
interface Scene {
  readonly here: Files;
  readonly base?: Files;
  readonly moves?: Files;
  readonly aside?: readonly string[];
  readonly links?: readonly string[];
  /** Contents that the store keeps no more. */
  readonly forgotten?: readonly string[];
  /** Nothing can be merged. */
  readonly merge?: 'never' | 'theirs is in ours' | 'also without a base';
}

const merges: Record<NonNullable<Scene['merge']> | 'with a base', Merge> = {
  never: () => null,
  'theirs is in ours': ({ ours }) => ours,
  'also without a base': ({ base, ours, theirs }) =>
    Buffer.from(`${base === null ? 'nothing' : String(base)}+${String(ours)}+${String(theirs)}`),
  'with a base': ({ base, ours, theirs }) => (base === null ? null : Buffer.from(`${String(base)}+${String(ours)}+${String(theirs)}`)),
};

/** What is to be done in the folder, a line each, and what people are told. Quiet is what the history does not tell. */
async function incoming(scene: Scene, ...wanted: readonly SharedChange[]) {
  const { here, base = here, moves = {}, aside = [], links = [], forgotten = [], merge = 'with a base' } = scene;
  const asked = new Map<string, ReadOptions | undefined>();
  const twinOf = (path: string): string | null =>
    Object.keys(here).find((other) => other !== path && other.toLowerCase() === path.toLowerCase()) ?? null;
  const { changes, warnings } = await mergeIncoming(wanted, {
    base: new Map(Object.entries(base)),
    moves: new Map(Object.entries(moves)),
    setAside: new Set(aside),
    maxFileBytes: 99,
    read: async (path, how) => {
      asked.set(path, how);
      const text = here[path];
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of the state of a file only that it is handed on is looked at.
      const state = `state of ${path}` as unknown as StoredFile['state'];
      return text === undefined ? null : { path, bytes: Buffer.from(text), hash: text, isLinked: links.includes(path), state };
    },
    findCaseCollision: twinOf,
    fetchContent: async (hash) => Buffer.from(hash),
    fetchEarlierContent: async (hash) => (forgotten.includes(hash) ? null : Buffer.from(hash)),
    merge: merges[merge],
    at: '2026-01-05T12:00:00.000Z',
  });
  const brief = ' was changed on another machine and here, and cannot be merged; what was here is kept as ';
  return { done: changes.map(shown), warnings: warnings.map((warning) => warning.replace(brief, ' cannot be merged: ')), asked };
}

function shown(change: StoreChange): string {
  const events = change.events.length === 0 ? ' quietly' : '';
  expect(change.describe(Buffer.alloc(0), Buffer.alloc(0))).toEqual(change.events);
  if (change.kind === 'create')
    return `create ${change.path}: ${String(change.bytes)}${change.like === undefined ? '' : `, like the ${JSON.stringify(change.like)}`}${events}`;
  if (change.kind === 'remove') return `remove ${change.of.path} to the ${change.to}${events}`;
  expect(change).toMatchObject({ changes: null, isCommutative: false });
  if (change.kind === 'replace') return `replace ${change.of.path}: ${String(change.bytes)}${events}`;
  return `move ${change.of.path} to ${change.to}${change.bytes === null ? '' : `: ${String(change.bytes)}`}${events}`;
}

type Case = readonly [name: string, scene: Scene, wanted: readonly SharedChange[], done: readonly string[], warnings?: readonly string[]];

const CASES: readonly Case[] = [
  ['new', { here: {} }, [made('a', '1')], ['create a: 1']],
  ['new and there', { here: { a: '1' }, base: {} }, [made('a', '1')], []],
  [
    'new and there otherwise',
    { here: { a: 'mine' }, base: {} },
    [made('a', '1')],
    ['create a.sync-conflict-20260105-120000: mine, like the "state of a"', 'replace a: 1'],
    ['a cannot be merged: a.sync-conflict-20260105-120000.'],
  ],
  [
    'new and there otherwise, merged',
    { here: { a: 'mine' }, base: {}, merge: 'also without a base' },
    [made('a', '1')],
    ['replace a: nothing+mine+1'],
  ],
  ['new under a name that has an old file', { here: { a: 'old' } }, [made('a', '1')], ['replace a: 1']],
  ['new beside a twin of the store', { here: { A: 'old' } }, [made('a', '1')], ['create a: 1']],
  ['new beside a twin made here', { here: { A: 'mine' }, base: {}, merge: 'also without a base' }, [made('a', '1')], ['create a: 1']],
  ['new beside a twin with the same text', { here: { A: '1' }, base: {} }, [made('a', '1')], ['create a: 1']],
  ['edited', { here: { a: '1' } }, [edited('a', '1', '2')], ['replace a: 2']],
  ['edited and put in place before', { here: { a: '2' }, base: { a: '1' } }, [edited('a', '1', '2')], []],
  ['edited on both sides', { here: { a: 'mine' }, base: { a: '1' } }, [edited('a', '1', '2')], ['replace a: 1+mine+2']],
  [
    'edited on both sides, the former text forgotten',
    { here: { a: 'mine' }, base: { a: '1' }, forgotten: ['1'] },
    [edited('a', '1', '2')],
    ['create a.sync-conflict-20260105-120000: mine, like the "state of a"', 'replace a: 2'],
    ['a cannot be merged: a.sync-conflict-20260105-120000.'],
  ],
  [
    'edited on both sides, not to be merged',
    { here: { 'x/a': 'mine' }, base: { 'x/a': '1' }, merge: 'never' },
    [edited('x/a', '1', '2')],
    ['create x/a.sync-conflict-20260105-120000: mine, like the "state of x/a"', 'replace x/a: 2'],
    ['x/a cannot be merged: x/a.sync-conflict-20260105-120000.'],
  ],
  ['edited alike on both sides', { here: { a: 'mine' }, base: { a: '1' }, merge: 'theirs is in ours' }, [edited('a', '1', '2')], []],
  [
    'edited and deleted here',
    { here: {}, base: { a: '1' } },
    [edited('a', '1', '2')],
    ['create a: 2'],
    ['a was deleted here and edited on another machine; it is back.'],
  ],
  ['edited, of which nothing is known', { here: {}, base: {} }, [edited('a', '1', '2')], ['create a: 2']],
  [
    'edited and a link here',
    { here: { a: '1' }, links: ['a'] },
    [edited('a', '1', '2')],
    [],
    ['a is a symbolic link here and stays one; on other machines it is a file.'],
  ],
  ['deleted', { here: { a: '1' } }, [gone('a', '1')], ['remove a to the trash']],
  [
    'deleted and edited here',
    { here: { a: 'mine' }, base: { a: '1' } },
    [gone('a', '1')],
    [],
    ['a was deleted on another machine and edited here; it stays.'],
  ],
  ['deleted and gone', { here: {}, base: { a: '1' } }, [gone('a', '1')], []],
  ['deleted and a link here', { here: { a: '1' }, links: ['a'] }, [gone('a', '1')], []],
  [
    'deleted and edited here, the name in other letters to another',
    { here: { a: 'mine', b: '2' }, base: { a: '1', b: '2' } },
    [gone('a', '1'), moved('b', 'A', '2')],
    [
      'create A.sync-conflict-20260105-120000: mine, like the "state of a"',
      'remove b to the trash quietly',
      'remove a to the trash quietly',
      'create A: 2',
    ],
    ['a was deleted on another machine and edited here; it stays.', 'A cannot be merged: A.sync-conflict-20260105-120000.'],
  ],
  ['renamed', { here: { a: '1' } }, [moved('a', 'b', '1')], ['move a to b']],
  ['renamed and edited', { here: { a: '1' } }, [moved('a', 'b', '1', '2')], ['move a to b: 2']],
  ['renamed by case', { here: { a: '1' } }, [moved('a', 'A', '1')], ['move a to A']],
  ['renamed and edited here', { here: { a: 'mine' }, base: { a: '1' } }, [moved('a', 'b', '1', '2')], ['move a to b: 1+mine+2']],
  [
    'renamed and edited here, not to be merged',
    { here: { a: 'mine' }, base: { a: '1' }, merge: 'never' },
    [moved('a', 'b', '1', '2')],
    ['create b.sync-conflict-20260105-120000: mine, like the "state of a"', 'move a to b: 2'],
    ['b cannot be merged: b.sync-conflict-20260105-120000.'],
  ],
  ['renamed and edited elsewhere as here', { here: { a: '2' }, base: { a: '1' } }, [moved('a', 'b', '1', '2')], ['move a to b']],
  [
    'renamed and deleted here',
    { here: {}, base: { a: '1' } },
    [moved('a', 'b', '1')],
    ['create b: 1'],
    ['b was deleted here and edited on another machine; it is back.'],
  ],
  ['renamed and put in place before', { here: { b: '1' }, base: { a: '1' } }, [moved('a', 'b', '1')], []],
  [
    'renamed and put in place before, the name since given to another',
    { here: { a: 'new', b: '1' }, base: { a: '1' } },
    [moved('a', 'b', '1')],
    [],
  ],
  [
    'renamed, and a link here',
    { here: { a: '1' }, links: ['a'] },
    [moved('a', 'b', '1')],
    [],
    ['a is a symbolic link here and stays one; on other machines it is a file.'],
  ],
  [
    'renamed to a name that has another file here',
    { here: { a: '1', b: 'mine' }, base: { a: '1' } },
    [moved('a', 'b', '1')],
    ['create b.sync-conflict-20260105-120000: mine, like the "state of b"', 'remove a to the trash quietly', 'replace b: 1'],
    ['b cannot be merged: b.sync-conflict-20260105-120000.'],
  ],
  [
    'renamed to a name under which it is already',
    { here: { a: '1', b: '1' }, base: { a: '1' } },
    [moved('a', 'b', '1')],
    ['remove a to the trash quietly'],
  ],
  [
    'renamed to a name that has another file here in other letters',
    { here: { a: '1', B: 'mine' }, base: { a: '1' } },
    [moved('a', 'b', '1')],
    [
      'create b.sync-conflict-20260105-120000: mine, like the "state of B"',
      'remove a to the trash quietly',
      'remove B to the trash quietly',
      'create b: 1',
    ],
    ['b cannot be merged: b.sync-conflict-20260105-120000.'],
  ],
  [
    'renamed and deleted here, its name in other letters given to another',
    { here: { B: 'mine' }, base: { a: '1' } },
    [moved('a', 'b', '1')],
    ['create b.sync-conflict-20260105-120000: mine, like the "state of B"', 'move B to b: 1'],
    ['b cannot be merged: b.sync-conflict-20260105-120000.'],
  ],
  [
    'renamed and deleted here, its name in other letters that of one of the store',
    { here: { B: '2' }, base: { a: '1', B: '2' } },
    [moved('a', 'b', '1')],
    ['move B to b: 1'],
  ],
  [
    'renamed and deleted here, its name given to another',
    { here: { b: 'mine' }, base: { a: '1' }, merge: 'also without a base' },
    [moved('a', 'b', '1')],
    ['replace b: 1+mine+1'],
  ],
  [
    'renamed and deleted here, its name one of the store',
    { here: { b: '2' }, base: { a: '1', b: '2' }, merge: 'also without a base' },
    [moved('a', 'b', '1')],
    ['replace b: 1'],
  ],
  ['renamed in a row', { here: { a: '1', b: '2' } }, [moved('a', 'b', '1'), moved('b', 'c', '2')], ['move a to b', 'move b to c']],
  ['exchanged', { here: { a: '1', b: '2' } }, [moved('a', 'b', '1'), moved('b', 'a', '2')], ['move a to b', 'move b to a']],
  [
    'renamed and its name given to a new one',
    { here: { a: '1' } },
    [moved('a', 'b', '1'), made('a', '2')],
    ['create b: 1, like the "state of a"', 'replace a: 2'],
  ],
  [
    'a copy whose name is taken',
    { here: { a: 'mine', 'a.sync-conflict-20260105-120000': 'another' }, base: { a: '1' }, merge: 'never' },
    [edited('a', '1', '2')],
    ['create a.sync-conflict-20260105-120000-2: mine, like the "state of a"', 'replace a: 2'],
    ['a cannot be merged: a.sync-conflict-20260105-120000-2.'],
  ],
  ['moved here and edited', { here: { b: '1' }, base: { a: '1' }, moves: { b: 'a' } }, [edited('a', '1', '2')], ['replace b: 2']],
  [
    'moved and edited here, and edited',
    { here: { b: 'mine' }, base: { a: '1' }, moves: { b: 'a' } },
    [edited('a', '1', '2')],
    ['replace b: 1+mine+2'],
  ],
  [
    'moved here and deleted',
    { here: { b: '1' }, base: { a: '1' }, moves: { b: 'a' } },
    [gone('a', '1')],
    [],
    ['a was deleted on another machine and renamed here; it stays as b.'],
  ],
  [
    'moved here and renamed',
    { here: { b: '1' }, base: { a: '1' }, moves: { b: 'a' } },
    [moved('a', 'c', '1')],
    ['move b to c'],
    ['a was renamed to c on another machine and to b here; it is c.'],
  ],
  [
    'moved here and renamed to the same name',
    { here: { b: '1' }, base: { a: '1' }, moves: { b: 'a' } },
    [moved('a', 'b', '1', '2')],
    ['replace b: 2'],
  ],
  [
    'moved here to a name that a new one gets',
    { here: { b: '1' }, base: { a: '1' }, moves: { b: 'a' } },
    [made('b', '2')],
    ['create a: 1, like the "state of b" quietly', 'replace b: 2'],
    ['b was made on another machine meanwhile: what was renamed here from a to b is now a.'],
  ],
  [
    'moved here to a name that a new one gets in other letters',
    { here: { b: '1' }, base: { a: '1' }, moves: { b: 'a' } },
    [made('B', '2')],
    ['create B: 2', 'move b to a quietly'],
    ['B was made on another machine meanwhile: what was renamed here from a to b is now a.'],
  ],
  [
    'moved here to a name that a new one gets, and its former one is given to another',
    { here: { b: '1', z: '4' }, base: { a: '1', z: '4' }, moves: { b: 'a' } },
    [gone('a', '1'), moved('z', 'a', '4'), made('b', '2')],
    ['move z to a', 'create b.sync-conflict-20260105-120000: 1, like the "state of b" quietly', 'replace b: 2'],
    [
      'b was made on another machine meanwhile: what was renamed here from a to b is now b.sync-conflict-20260105-120000.',
      'a was deleted on another machine and renamed here; it stays as b.',
    ],
  ],
  [
    'moved here to a name that a new one gets, its former one taken here',
    { here: { b: '1', a: 'mine' }, base: { a: '1' }, moves: { b: 'a' } },
    [made('b', '2')],
    ['create b.sync-conflict-20260105-120000: 1, like the "state of b" quietly', 'replace b: 2'],
    ['b was made on another machine meanwhile: what was renamed here from a to b is now b.sync-conflict-20260105-120000.'],
  ],
  [
    'moved here to a name that a new one gets, its former one taken in other letters',
    { here: { b: '1', A: 'mine' }, base: { a: '1' }, moves: { b: 'a' } },
    [made('b', '2')],
    ['create b.sync-conflict-20260105-120000: 1, like the "state of b" quietly', 'replace b: 2'],
    ['b was made on another machine meanwhile: what was renamed here from a to b is now b.sync-conflict-20260105-120000.'],
  ],
  [
    'moved here to a name that a new one gets, its former one taken by one that leaves',
    { here: { b: '1', A: '4' }, base: { a: '1', A: '4' }, moves: { b: 'a' } },
    [made('b', '2'), moved('A', 'c', '4')],
    ['move A to c', 'create a: 1, like the "state of b" quietly', 'replace b: 2'],
    ['b was made on another machine meanwhile: what was renamed here from a to b is now a.'],
  ],
  [
    'moved here, renamed, and the name of now given to a new one',
    { here: { b: '1' }, base: { a: '1' }, moves: { b: 'a' } },
    [moved('a', 'c', '1'), made('b', '2')],
    ['create c: 1, like the "state of b"', 'replace b: 2'],
    ['a was renamed to c on another machine and to b here; it is c.'],
  ],
  [
    'moved here by case to a name that a new one gets',
    { here: { A: '1' }, base: { a: '1' }, moves: { A: 'a' } },
    [made('A', '2')],
    ['create a: 1, like the "state of A" quietly', 'replace A: 2'],
    ['A was made on another machine meanwhile: what was renamed here from a to A is now a.'],
  ],
  [
    'moved here over one that is edited',
    { here: { b: '1' }, base: { a: '1', b: 'over' }, moves: { b: 'a' } },
    [edited('b', 'over', '2')],
    ['create a: 1, like the "state of b" quietly', 'replace b: 2'],
    [
      'b was made on another machine meanwhile: what was renamed here from a to b is now a.',
      'b was deleted here and edited on another machine; it is back.',
    ],
  ],
  [
    'moved alike on both sides, which does not get the text of a new one with its former name',
    { here: { b: '1', a: '2' }, base: { a: '1' }, moves: { b: 'a' } },
    [moved('a', 'b', '1'), made('a', '2')],
    [],
  ],
  [
    'moved alike on both sides, beside a new one with its former name that was edited here',
    { here: { b: '1', a: 'mine' }, base: { a: '1' }, moves: { b: 'a' } },
    [moved('a', 'b', '1'), made('a', '2')],
    ['create a.sync-conflict-20260105-120000: mine, like the "state of a"', 'replace a: 2'],
    ['a cannot be merged: a.sync-conflict-20260105-120000.'],
  ],
  ['moved here over one that is deleted', { here: { b: '1' }, base: { a: '1', b: 'over' }, moves: { b: 'a' } }, [gone('b', 'over')], []],
  [
    'moved here over one that is renamed',
    { here: { b: '1' }, base: { a: '1', b: 'over' }, moves: { b: 'a' } },
    [moved('b', 'c', 'over')],
    ['create c: over'],
    ['c was deleted here and edited on another machine; it is back.'],
  ],
  [
    'moved here over one that is renamed, whose former name a new one gets',
    { here: { b: '1' }, base: { a: '1', b: 'over' }, moves: { b: 'a' } },
    [moved('b', 'c', 'over'), made('b', '2')],
    ['create c: over', 'create a: 1, like the "state of b" quietly', 'replace b: 2'],
    [
      'b was made on another machine meanwhile: what was renamed here from a to b is now a.',
      'c was deleted here and edited on another machine; it is back.',
    ],
  ],
  [
    'a conflict copy of one that was moved already, before a crash',
    { here: { copy: 'mine', b: '1' }, base: { a: '1' }, moves: { copy: 'a' } },
    [moved('a', 'b', '1')],
    [],
  ],
  [
    'exchanged here and one edited',
    { here: { a: '2', b: '1' }, base: { a: '1', b: '2' }, moves: { a: 'b', b: 'a' } },
    [edited('a', '1', '3')],
    ['replace b: 3'],
  ],
  [
    'moved here to a name that has the same text from elsewhere',
    { here: { b: '1' }, base: { a: '1' }, moves: { b: 'a' } },
    [made('b', '1')],
    [],
  ],
  [
    'made room',
    { here: { aside: 'mine', z: '1' }, base: { a: '1', z: '1' }, moves: { aside: 'a' }, aside: ['aside'] },
    [edited('z', '1', '2')],
    ['replace z: 2', 'move aside to a quietly'],
  ],
  [
    'made room, and edited',
    { here: { aside: 'mine' }, base: { a: '1' }, moves: { aside: 'a' }, aside: ['aside'] },
    [edited('a', '1', '2')],
    ['move aside to a: 1+mine+2'],
  ],
  [
    'made room, and renamed',
    { here: { aside: 'mine' }, base: { a: '1' }, moves: { aside: 'a' }, aside: ['aside'] },
    [moved('a', 'a/b', '1')],
    ['move aside to a/b: 1+mine+1'],
    ['a was renamed to a/b on another machine and to aside here; it is a/b.'],
  ],
  [
    'made room, and its name was taken here',
    { here: { aside: 'mine', a: 'new', z: '1' }, base: { a: '1', z: '1' }, moves: { aside: 'a' }, aside: ['aside'] },
    [edited('z', '1', '2')],
    ['replace z: 2'],
  ],
];

describe('changes of the store on their way into a folder', () => {
  for (const [name, scene, wanted, expected, warned = []] of CASES)
    it(`A file that is ${name}`, async () => {
      const { done, warnings } = await incoming(scene, ...wanted);
      expect(done).toEqual(expected);
      expect(warnings).toEqual(warned);
    });

  it('are read up to the size limit of files, and distinguished from a save by what the store had', async () => {
    const { asked } = await incoming(
      { here: { b: '1', c: '2' }, base: { a: '1', c: '2' }, moves: { b: 'a' } },
      edited('a', '1', '3'),
      moved('c', 'd', '2'),
    );
    expect(Object.fromEntries(asked)).toEqual({
      b: { known: '1', maxBytes: 99 },
      c: { known: '2', maxBytes: 99 },
      d: { known: null, maxBytes: 99 },
    });
  });

  it('have events as far as they are such, and leave folders', () => {
    const [one] = event;
    const wrong = [null, 'x', 1, {}, { ...one, node: 1 }, { ...one, path: null }, { ...one, action: 1 }, { ...one, changes: null }];
    expect(eventsOf({ ...made('a', '1'), event: [one, ...wrong] })).toEqual([one]);
    expect(eventsOf({ ...made('a', '1'), event: 'x' })).toEqual([]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of a change only what it is about is looked at.
    const change = (kind: string, path: string) => ({ kind, of: { path }, path }) as unknown as StoreChange;
    const changes = [
      change('move', 'x/a'),
      change('remove', 'x/y/b'),
      change('remove', 'x/c'),
      change('replace', 'z/d'),
      change('create', 'w/e'),
      change('move', 'f'),
    ];
    expect(listSourceFolders(changes)).toEqual(['x', 'x/y']);
  });
});
