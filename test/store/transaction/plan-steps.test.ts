import { describe, expect, it } from 'vitest';
import { MAX_FILE_BYTES, hashOf } from '../../../src/store/folder/hash.ts';
import { planSteps } from '../../../src/store/transaction/plan-steps.ts';
import type { ChangedFile, Prepared, StoredFile } from '../../../src/store/store.ts';
import { simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import type { DiskTraits } from '../../support/simulated/simulated-disk.ts';

const LARGE = Buffer.alloc(MAX_FILE_BYTES + 1, 'x');
const events = [{ node: 'n', path: 'p', action: 'updated', changes: [] }] as const;
const describeIt = () => events;

interface Given {
  readonly files?: Readonly<Record<string, string>>;
  readonly traits?: DiskTraits;
  readonly prepared?: Omit<Prepared, 'changes'>;
  /** How the files are seen, beside what they are. */
  readonly seen?: Partial<StoredFile> & { readonly mode?: number; readonly links?: number };
}

/** Plans the steps of changes on a disk with `a.md`, `b.md` and `c.bin`. */
function stepsOf(
  changes: (file: (path: string) => StoredFile) => readonly ChangedFile[],
  { files, traits, prepared, seen = {} }: Given = {},
) {
  const disk = simulatedDisk({ 'a.md': 'A', 'b.md': 'B', 'c.bin': 'C', ...files }, traits);
  const { mode, links, ...rest } = seen;
  const fileAt = (path: string): StoredFile => {
    const found = disk.files.read(path)!;
    const state = { ...found.state, ...(mode === undefined ? {} : { mode }), ...(links === undefined ? {} : { links }) };
    return { path, bytes: found.bytes, hash: hashOf(found.bytes), isLinked: false, state, ...rest };
  };
  const all = changes(fileAt).map((change) => ({ ...change, events, describe: describeIt }));
  const steps = planSteps(disk.files, { ...prepared, changes: all }, 'the-id');
  return steps.map(({ image, ...staged }) => ({ ...staged, image: image === null ? null : Buffer.from(image).toString() }));
}

const [hashA, hashB, hashNew] = [hashOf('A'), hashOf('B'), hashOf('new')];
const bytes = Buffer.from('new');
const fixed = { changes: null, isCommutative: false };

describe('the steps of a transaction', () => {
  it('F01 are made of its changes one by one, with what is to be staged, how it is to look and what is told of it', () => {
    const like = { mode: 0o600, uid: 1, gid: 2 };
    const steps = stepsOf((file) => [
      { kind: 'create', path: 'new.md', bytes },
      { kind: 'create', path: 'x/y.bin', bytes, like },
      { kind: 'replace', of: file('a.md'), bytes, changes: ['line'], isCommutative: true },
      { kind: 'remove', of: file('b.md'), to: 'trash' },
      { kind: 'remove', of: file('c.bin'), to: 'gone' },
    ]);
    expect(steps).toMatchObject([
      { step: { kind: 'create', path: 'new.md', after: hashNew }, image: 'new', like: null, events, describe: describeIt },
      { step: { kind: 'create', path: 'x/y.bin', after: hashNew }, image: 'new', like, events, describe: describeIt },
      {
        step: { kind: 'replace', path: 'a.md', before: hashA, after: hashNew, changes: ['line'], isCommutative: true },
        image: 'new',
        like: { mode: 0o644 },
      },
      { step: { kind: 'remove', path: 'b.md', before: hashB, trash: '.roux/trash/the-id/b.md' }, image: null, like: null },
      { step: { kind: 'remove', path: 'c.bin', before: hashOf('C'), trash: null }, image: null, like: null },
    ]);
  });

  it('F01 of a move stage bytes only where they cannot just be given another name', () => {
    const move = (to: string, own: Buffer | null = null) =>
      stepsOf((file) => [{ kind: 'move', of: file('a.md'), to, bytes: own, ...fixed }])[0];
    const step = {
      kind: 'move',
      from: 'a.md',
      before: hashA,
      after: hashA,
      changes: null,
      isCommutative: false,
      over: null,
      keepsFrom: false,
    };
    expect(move('z.md')).toMatchObject({ step: { ...step, to: 'z.md' }, image: null, like: { mode: 0o644 } });
    expect(move('z.md', Buffer.from('A'))).toMatchObject({ step: { ...step, to: 'z.md' }, image: null });
    expect(move('z.md', bytes)).toMatchObject({ step: { ...step, to: 'z.md', after: hashNew }, image: 'new' });
  });

  it('F01 of a move to the name that the file has replace its bytes, where it gets new ones', () => {
    const toItself = (own: Buffer | null) => stepsOf((file) => [{ kind: 'move', of: file('a.md'), to: 'a.md', bytes: own, ...fixed }]);
    expect(toItself(bytes)).toMatchObject([{ step: { kind: 'replace', path: 'a.md', before: hashA, after: hashNew }, image: 'new' }]);
    expect(toItself(null)).toMatchObject([{ step: { kind: 'move', from: 'a.md', to: 'a.md', over: null, after: hashA } }]);
  });

  it('F01 of files that change places say what stands under their new names, and which names are taken again', () => {
    const steps = stepsOf((file) => [
      { kind: 'move', of: file('a.md'), to: 'b.md', bytes: null, ...fixed },
      { kind: 'move', of: file('b.md'), to: 'z.md', bytes: null, ...fixed },
    ]);
    expect(steps).toMatchObject([
      { step: { from: 'a.md', to: 'b.md', over: hashB, keepsFrom: false }, image: 'A' },
      { step: { from: 'b.md', to: 'z.md', over: null, keepsFrom: true }, image: 'B' },
    ]);
  });

  it('F32 of a name that differs by case only have no file in the way on a disk that ignores it', () => {
    const toCase = (traits: DiskTraits) =>
      stepsOf((file) => [{ kind: 'move', of: file('a.md'), to: 'A.md', bytes: null, ...fixed }], { traits });
    for (const ignoresCase of [true, false]) expect(toCase({ ignoresCase })).toMatchObject([{ step: { over: null }, image: null }]);
  });
});

/** Returns the code of the error that planning throws, or `done`. */
function tryTo(plan: () => unknown): unknown {
  try {
    plan();
    return 'done';
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

describe('a transaction is refused', () => {
  const of = (change: (file: StoredFile) => ChangedFile, given: Given = {}) => stepsOf((file) => [change(file('a.md'))], given);
  const replace = (file: StoredFile): ChangedFile => ({ kind: 'replace', of: file, bytes, ...fixed });
  const move = (file: StoredFile): ChangedFile => ({ kind: 'move', of: file, to: 'z.md', bytes: null, ...fixed });
  const remove = (file: StoredFile): ChangedFile => ({ kind: 'remove', of: file, to: 'gone' });
  const taken = { isIncoming: true };

  it('F19 where it makes one name twice, also by another case', () => {
    for (const second of ['new.md', 'NEW.md']) {
      const twice = () =>
        stepsOf(() => [
          { kind: 'create', path: 'new.md', bytes },
          { kind: 'create', path: second, bytes },
        ]);
      expect(twice).toThrow(expect.objectContaining({ code: 'NODE_EXISTS', details: { path: second } }));
    }
    const moved = () => stepsOf((file) => [{ kind: 'create', path: 'z.md', bytes }, move(file('a.md'))]);
    expect(moved).toThrow(expect.objectContaining({ code: 'NODE_EXISTS', details: { path: 'z.md' } }));
  });

  it('F19 where its new name is taken, also by a file that it removes: old names go when all new ones are there', () => {
    const onto = (...others: readonly ((file: (path: string) => StoredFile) => ChangedFile)[]) =>
      ['move', 'create'].map(
        (kind) => () =>
          stepsOf((file) => [
            kind === 'move'
              ? { kind: 'move', of: file('a.md'), to: 'b.md', bytes: null, ...fixed }
              : { kind: 'create', path: 'b.md', bytes },
            ...others.map((other) => other(file)),
          ]),
      );
    const isTaken = expect.objectContaining({ code: 'NODE_EXISTS', details: { path: 'b.md', existing: 'b.md' } });
    for (const plan of onto()) expect(plan).toThrow(isTaken);
    for (const plan of onto((file) => ({ kind: 'remove', of: file('b.md'), to: 'gone' }))) {
      expect(plan).toThrow(isTaken);
      expect(plan).toThrow('Remove or rename it first');
    }
    // A name that another move leaves can be moved to, but no new file gets it.
    const [move, create] = onto((file) => ({ kind: 'move', of: file('b.md'), to: 'z.md', bytes: null, ...fixed }));
    expect(move!()).toMatchObject([{ step: { to: 'b.md', over: hashB } }, { step: { from: 'b.md', keepsFrom: true } }]);
    expect(create).toThrow(isTaken);
  });

  it('F32 not where another file has that name in another case, and leaves it, on a disk that tells them apart', () => {
    const steps = stepsOf(
      (file) => [
        { kind: 'move', of: file('a.md'), to: 'A.md', bytes: null, ...fixed },
        { kind: 'move', of: file('A.md'), to: 'z.md', bytes: null, ...fixed },
      ],
      { files: { 'A.md': 'B' } },
    );
    expect(steps).toMatchObject([{ step: { to: 'A.md', over: hashB } }, { step: { from: 'A.md', keepsFrom: true } }]);
  });

  it('F32 where its new name is, but for its case, that of a file that leaves it, and the disk ignores case', () => {
    const steps = (ignoresCase: boolean, first: string, second: string) => () =>
      stepsOf(
        (file) => [
          { kind: 'move', of: file('a.md'), to: first, bytes: null, ...fixed },
          { kind: 'move', of: file('b.md'), to: second, bytes: null, ...fixed },
        ],
        { traits: { ignoresCase } },
      );
    for (const [first, second, taken] of [
      ['B.md', 'z.md', 'B.md'],
      ['b.md', 'A.md', 'A.md'],
    ] as const) {
      expect(steps(true, first, second)).toThrow(
        expect.objectContaining({ code: 'NODE_EXISTS', details: { path: taken, existing: taken } }),
      );
      expect(steps(false, first, second)()).toHaveLength(2);
    }
  });

  it('F19 where it would move or remove a file through a link to it, whoever decided it; what is written into is the file', () => {
    const seen = { isLinked: true };
    for (const prepared of [{}, taken])
      for (const [change, verb] of [
        [move, 'move'],
        [remove, 'remove'],
      ] as const)
        expect(() => of(change, { seen, prepared })).toThrow(`symbolic link to a.md; ${verb} that file`);
    expect(of(replace, { seen })).toHaveLength(1);
    // Told before the rights of what it leads to.
    expect(() => of(move, { seen: { isLinked: true, mode: 0o444 } })).toThrow('symbolic link');
  });

  it('F33 where a file may not be written, or has another name, but for what is taken over', () => {
    for (const change of [replace, move, remove]) {
      for (const mode of [0o555, 0o445]) expect(() => of(change, { seen: { mode } })).toThrow('write-protected');
      expect(() => of(change, { seen: { mode: 0o444 } })).toThrow(
        expect.objectContaining({ code: 'READ_ONLY', details: { path: 'a.md' } }),
      );
      expect(() => of(change, { seen: { links: 2 } })).toThrow('one of 2 hard links');
      for (const seen of [{ mode: 0o444 }, { links: 2 }]) expect(of(change, { seen, prepared: taken })).toHaveLength(1);
      for (const mode of [0o200, 0o020, 0o002]) expect(of(change, { seen: { mode } })).toHaveLength(1);
    }
  });

  it('F19 where a note would become another kind of file, or the other way round', () => {
    const moveTo = (path: string, to: string) => () => stepsOf((file) => [{ kind: 'move', of: file(path), to, bytes: null, ...fixed }]);
    expect(moveTo('a.md', 'a.txt')).toThrow('cannot become a.txt');
    expect(moveTo('c.bin', 'c.md')).toThrow('cannot become c.md');
    expect(moveTo('c.bin', 'c.txt')()).toHaveLength(1);
  });

  it('F34 where it would leave more than ten megabytes, whatever was there before', () => {
    const most = LARGE.subarray(0, MAX_FILE_BYTES);
    const changes: readonly [string, (file: StoredFile, own: Buffer) => ChangedFile][] = [
      ['n.md', (_, own) => ({ kind: 'create', path: 'n.md', bytes: own })],
      ['a.md', (file, own) => ({ ...replace(file), bytes: own }) as ChangedFile],
      ['z.md', (file, own) => ({ ...move(file), bytes: own }) as ChangedFile],
    ];
    for (const [path, change] of changes) {
      expect(() => of((file) => change(file, LARGE))).toThrow(
        expect.objectContaining({ code: 'TOO_LARGE', details: { path, limit: MAX_FILE_BYTES } }),
      );
      expect(of((file) => change(file, most))).toHaveLength(1);
      expect(of((file) => change(file, LARGE), { prepared: taken })).toHaveLength(1);
    }
  });

  it('F34 not where it restores a file that was that large before', () => {
    for (const isRestored of [true, false]) {
      const create = () => of(() => ({ kind: 'create', path: 'n.md', bytes: LARGE, isRestored }));
      expect([isRestored, tryTo(create)]).toEqual([isRestored, isRestored ? 'done' : 'TOO_LARGE']);
    }
  });

  it('displaces a file as the move of it knows it, not as somebody saved it since', () => {
    const [step] = stepsOf(
      (file) => [
        { kind: 'move', of: file('a.md'), to: 'other.md', bytes: null, ...fixed },
        { kind: 'move', of: { ...file('other.md'), hash: 'earlier' }, to: 'a.md', bytes: null, ...fixed },
      ],
      { files: { 'other.md': 'saved since' } },
    );
    expect(step).toMatchObject({ step: { kind: 'move', to: 'other.md', over: 'earlier' } });
  });

  it('F34 where it would put one file in the place of another that is too large to be kept', () => {
    const swap = (text: string) =>
      stepsOf(
        (file) => [
          { kind: 'move', of: file('a.md'), to: 'large.md', bytes: null, ...fixed },
          { kind: 'move', of: file('large.md'), to: 'z.md', bytes: null, ...fixed },
        ],
        { files: { 'large.md': text } },
      );
    expect(() => swap(LARGE.toString())).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }));
    expect(swap('small')).toHaveLength(2);
  });
});
