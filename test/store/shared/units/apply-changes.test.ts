import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import { checkBlockedCount, applyChanges } from '../../../../src/store/shared/incoming/apply-changes.ts';
import type { ApplyHooks, ChangeSet } from '../../../../src/store/shared/incoming/apply-changes.ts';
import type { SharedChange } from '../../../../src/store/shared/shared-vault.ts';
import type { StoreChange } from '../../../../src/store/store.ts';
import type { Part } from '../../../../src/store/transaction/parts.ts';

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

const AT = '2026-01-05T12:00:00.000Z';
const COPY = 'sync-conflict-20260105-120000';
/** So large that it is asked for by itself. */
const LARGE = 256 * 1024 + 1;

interface Scene {
  readonly here?: Files;
  readonly base?: Files;
  /** What somebody moved: the former name by the name of now. */
  readonly moves?: Files;
  readonly links?: readonly string[];
  readonly maxFileBytes?: number;
  /** What the folder says to a transaction, before it is carried out. */
  readonly refuses?: (changes: readonly StoreChange[], attempt: number) => Error | 'repeated' | null;
  readonly blob?: (hash: string, maxBytes: number | undefined) => Buffer | null;
}

/** A folder in memory and a store in which every content is there. */
function scene({ here = {}, base = here, moves = {}, links = [], maxFileBytes = 99, refuses, blob }: Scene) {
  const files = new Map(Object.entries(here));
  let local: ReadonlyMap<string, string> = new Map(Object.entries(moves));
  /** In the order in which things were done. */
  const log: string[] = [];
  const plans: { readonly head: unknown; readonly prepared: Readonly<Record<string, unknown>>; readonly parts?: readonly Part[] }[] = [];
  const knowns: unknown[] = [];
  const placed: unknown[] = [];
  const shown = (change: StoreChange): string => {
    const events = change.events.length === 0 ? ' quietly' : '';
    if (change.kind === 'create') return `create ${change.path}${events}`;
    return `${change.kind} ${change.of.path}${change.kind === 'move' ? ` to ${change.to}` : ''}${events}`;
  };
  const held = {
    async read(path: string, how?: { readonly known?: string | null }) {
      if (how !== undefined && 'known' in how) knowns.push([path, how.known]);
      const text = files.get(path);
      return text === undefined ? null : { path, bytes: Buffer.from(text), hash: text, isLinked: links.includes(path), state: {} };
    },
    async plan(head: unknown, now: unknown, prepare: (now: unknown) => Promise<Record<string, unknown>>) {
      expect(now).toBe('now');
      const prepared = await prepare(now);
      plans.push({ head, prepared });
      const changes = prepared['changes'] as readonly StoreChange[];
      const said = refuses?.(changes, plans.length) ?? null;
      if (said === 'repeated') return { kind: 'repeated', answer: null };
      if (said !== null) throw said;
      return { kind: 'planned', number: plans.length, prepared };
    },
    async carryOut(
      { number, prepared }: { number: number; prepared: { changes: readonly StoreChange[] } },
      how?: { parts?: readonly Part[] },
    ) {
      plans[number - 1] = { ...plans[number - 1]!, ...how };
      log.push(prepared.changes.map(shown).join(', '));
      for (const change of prepared.changes) if (change.kind !== 'create') files.delete(change.of.path);
      for (const change of prepared.changes) {
        if (change.kind === 'create') files.set(change.path, String(change.bytes));
        if (change.kind === 'replace') files.set(change.of.path, String(change.bytes));
        if (change.kind === 'move') files.set(change.to, String(change.bytes ?? change.of.bytes));
      }
      return { kind: 'done', number, paths: prepared.changes.map(shown), warnings: [`done ${number}`] };
    },
  };
  const shared = {
    blobs: {
      maxBytes: maxFileBytes,
      async get(hash: string, how?: { readonly maxBytes?: number }) {
        log.push(`ask for ${hash}${how === undefined ? '' : `, at most ${how.maxBytes}`}`);
        return blob === undefined ? Buffer.from(hash) : blob(hash, how?.maxBytes);
      },
      async *getAll(hashes: readonly string[]) {
        for (const hash of hashes) yield { hash, bytes: Buffer.from(hash) };
      },
    },
  };
  const place: ApplyHooks = {
    timestamp: () => AT,
    mayCollide: () => true,
    findCaseCollision: () => null,
    merge: ({ base: was, ours, theirs }) => (was === null ? null : Buffer.from(`${String(was)}+${String(ours)}+${String(theirs)}`)),
    moves: () => local,
    findLocalMoves: async (given) => void log.push(`find moved: ${given.map(({ path }) => path).join(' ')}`),
    async willMove(next) {
      log.push(`will move: ${[...next].map(([to, from]) => `${from} to ${to}`).join(' ')}`);
      local = new Map([...local, ...next]);
    },
    onStaged: (planned, done) => void placed.push([planned, done]),
    onApplied: (paths, warnings) => void log.push(`taken ${paths.length}${warnings.map((warning) => `; ${warning}`).join('')}`),
  };
  const context = { ...place, held, now: 'now', shared } as never;
  return {
    files,
    log,
    plans,
    placed,
    knowns,
    place,
    run: (changes: readonly SharedChange[], how: Partial<ChangeSet> = {}) =>
      applyChanges(context, { changes, head: null, base: new Map(Object.entries(base)), ...how }),
    visible: () => Object.fromEntries(files),
  };
}

const refused = (code: 'IO_ERROR' | 'CONFLICT' | 'NODE_EXISTS' | 'STORE_UNAVAILABLE' | 'READ_ONLY'): RouxError => new RouxError(code, code);

describe('changes of the store', () => {
  it('are put in place as one transaction, which is called as it was', async () => {
    const { run, log, plans, placed, place, visible } = scene({ here: { 'x/a': '1', b: '2' } });
    const head = { id: 'i', at: 'then', operation: 'o', agent: 'g' };
    const parts: readonly Part[] = [{ ...head, has: () => true }];
    const result = await run([edited('x/a', '1', '3'), gone('b', '2'), made('c', '4')], { head, parts });
    expect(result).toEqual({ paths: ['remove b', 'replace x/a', 'create c'], isRecorded: true, blocked: [] });
    expect(log).toEqual(['remove b, replace x/a, create c', 'taken 3; done 1']);
    expect(plans).toEqual([
      { head, parts, prepared: { changes: expect.any(Array) as unknown, isIncoming: true, emptied: [], mayCollide: place.mayCollide } },
    ]);
    expect(placed).toEqual([[expect.objectContaining({ number: 1 }), expect.objectContaining({ kind: 'done', number: 1 })]]);
    expect(visible()).toEqual({ c: '4', 'x/a': '3' });
  });

  it('without a name of their own are what roux follows', async () => {
    const { run, plans } = scene({ here: { 'x/a': '1' } });
    await run([gone('x/a', '1')]);
    expect(plans).toMatchObject([{ head: { operation: 'follow', agent: 'roux' }, parts: [], prepared: { emptied: ['x'] } }]);
  });

  it('that are there need nothing, and say what there is to say', async () => {
    const NOTHING = { paths: [], isRecorded: false, blocked: [] };
    const none = scene({});
    expect([await none.run([]), none.log]).toEqual([NOTHING, []]);
    const { run, log } = scene({ here: { a: 'mine' }, base: { a: '1' } });
    expect(await run([gone('a', '1')])).toEqual(NOTHING);
    expect(log).toEqual(['taken 0; a was deleted on another machine and edited here; it stays.']);
    const again = scene({ refuses: () => 'repeated' });
    expect([await again.run([made('a', '1')]), again.log]).toEqual([NOTHING, []]);
  });

  it('under a name that no vault may have are left, and what is deleted there is not', async () => {
    const { run, visible } = scene({});
    const [bad, other] = [made('.git/x', '1'), made('../y', '1')];
    expect(await run([bad, made('a', '2'), other, gone('.roux/z', '3')])).toEqual({
      paths: ['create a quietly'],
      isRecorded: false,
      blocked: [bad, other].map((change) => ({ change, why: expect.objectContaining({ code: 'INVALID_PARAMS' }) as unknown })),
    });
    expect(visible()).toEqual({ a: '2' });
  });

  it('that are large are not held together', async () => {
    const large = (path: string, text: string): SharedChange => ({ ...made(path, text), size: LARGE });
    const fits = scene({ maxFileBytes: 20 });
    await fits.run([large('a', '123456'), large('b', '7890')]);
    expect(fits.log).toEqual(['ask for 123456', 'ask for 7890', 'create a, create b', 'taken 2; done 1']);
    const parted = scene({ maxFileBytes: 20 });
    await parted.run([large('a', '123456'), large('b', '78901')]);
    expect(parted.log.filter((line) => line.startsWith('create'))).toEqual(['create a quietly', 'create b quietly']);
    // One alone is, and each attempt begins with none.
    const alone = scene({ maxFileBytes: 20 });
    await alone.run([large('a', 'as large as can be, 20')]);
    expect(alone.plans.length).toBe(1);
    const twice = scene({ maxFileBytes: 20, refuses: (_, attempt) => (attempt === 1 ? refused('CONFLICT') : null) });
    await twice.run([large('a', '123456'), large('b', '7890')]);
    expect(twice.plans.length).toBe(2);
  });

  it('are tried again on what a person saved meanwhile, of which it is found first what was moved', async () => {
    const { run, log, plans } = scene({
      here: { a: '1', moved: '2' },
      base: { a: '1', b: '2' },
      moves: { moved: 'b', other: 'unknown' },
      refuses: (_, attempt) => [refused('CONFLICT'), refused('NODE_EXISTS'), null][attempt - 1] ?? null,
    });
    expect((await run([edited('a', '1', '3'), edited('b', '2', '4')])).isRecorded).toBe(true);
    expect(log).toEqual(['find moved: a b', 'find moved: a b', 'replace a, replace moved', 'taken 2; done 3']);
    expect(plans.length).toBe(3);
  });

  it('are tried eight times', async () => {
    const always = scene({ refuses: () => refused('CONFLICT') });
    expect(await always.run([made('a', '1')])).toMatchObject({ paths: [], blocked: [{ why: { code: 'CONFLICT' } }] });
    expect(always.plans.length).toBe(8);
    const once = scene({ refuses: () => refused('IO_ERROR') });
    expect(await once.run([made('a', '1')])).toMatchObject({ paths: [], isRecorded: false, blocked: [{ why: { code: 'IO_ERROR' } }] });
    expect(once.plans.length).toBe(1);
  });

  it('are merged with a former content of at most 8 MB', async () => {
    const here = { here: { a: 'mine' }, base: { a: '1' } };
    const merged = scene(here);
    await merged.run([edited('a', '1', '2')]);
    expect([merged.visible(), merged.log[0]]).toEqual([{ a: '1+mine+2' }, `ask for 1, at most ${8 * 1024 * 1024}`]);
    const failing = (code: 'TOO_LARGE' | 'STORE_UNAVAILABLE') => (hash: string, maxBytes?: number) => {
      if (hash === '1' && maxBytes !== undefined) throw new RouxError(code, code);
      return Buffer.from(hash);
    };
    const large = scene({ ...here, blob: failing('TOO_LARGE') });
    await large.run([edited('a', '1', '2')]);
    expect(large.visible()).toEqual({ a: '2', [`a.${COPY}`]: 'mine' });
    await expect(scene({ ...here, blob: failing('STORE_UNAVAILABLE') }).run([edited('a', '1', '2')])).rejects.toThrow('STORE_UNAVAILABLE');
    const faulty = (): never => {
      throw Object.assign(new Error('a fault'), { code: 'TOO_LARGE' });
    };
    await expect(scene({ ...here, blob: faulty }).run([edited('a', '1', '2')])).rejects.toThrow('a fault');
  });
});

describe('a name of a file that becomes one of a folder', () => {
  it('is free before the rest comes, whose events are reported when all is done', async () => {
    const { run, plans, log, visible } = scene({ here: { a: '1', b: '5', 'x/y': '3' } });
    const parts: readonly Part[] = [{ id: 'i', at: AT, operation: 'o', agent: 'g', has: () => true }];
    const head = { id: 'i', at: 'then', operation: 'o', agent: 'g' };
    const result = await run([moved('a', 'a/b', '1', '2'), gone('x/y', '3'), made('x', '4'), edited('b', '5', '6')], { head, parts });
    expect(result).toEqual({
      paths: ['remove a quietly', 'remove x/y quietly', 'create a/b quietly', 'create x quietly', 'replace b quietly'],
      isRecorded: false,
      blocked: [],
    });
    expect(plans.map(({ head: own, parts: some }) => [own, some])).toEqual([
      [{ operation: 'follow', agent: 'roux' }, []],
      [head, parts],
    ]);
    expect(log).toEqual([
      'remove a quietly, remove x/y quietly',
      'taken 2; done 1',
      'create a/b quietly, create x quietly, replace b quietly',
      'taken 3; done 2',
    ]);
    expect(visible()).toEqual({ 'a/b': '2', b: '6', x: '4' });
  });

  it('is left by what was edited here for a name at the top, which is noted before', async () => {
    const { run, log, plans, placed, place, knowns, visible } = scene({ here: { 'p/a': 'mine' }, base: { 'p/a': '1' } });
    const result = await run([moved('p/a', 'p/a/b', '1', '2')]);
    expect(log.slice(0, 3)).toEqual([`will move: p/a to a.${COPY}`, `move p/a to a.${COPY} quietly`, 'ask for 1, at most 8388608']);
    expect(knowns[0]).toEqual(['p/a', '1']);
    expect(plans[0]).toEqual({
      head: { operation: 'follow', agent: 'roux' },
      prepared: { changes: expect.any(Array) as unknown, isIncoming: true, emptied: ['p'], mayCollide: place.mayCollide },
    });
    expect(plans[0]?.prepared['changes']).toMatchObject([
      {
        bytes: null,
        changes: null,
        isCommutative: false,
      },
    ]);
    expect(placed.length).toBe(2);
    expect(visible()).toEqual({ 'p/a/b': '1+mine+2' });
    expect(result).toMatchObject({ isRecorded: true, blocked: [] });
  });

  it('is left by what was edited, and by what another one is gone for at the same time', async () => {
    const { run, log, visible } = scene({ here: { a: 'mine', b: '2' }, base: { a: '1', b: '2' } });
    const result = await run([moved('a', 'a/x', '1'), moved('b', 'b/x', '2')]);
    expect(visible()).toEqual({ 'a/x': '1+mine+1', 'b/x': '2' });
    expect(log[0]).toBe(`will move: a to a.${COPY}`);
    expect(result.paths).toEqual([`a.${COPY}`, 'a', 'remove b quietly', `move a.${COPY} to a/x quietly`, 'create b/x quietly']);
  });

  it('is left by what was moved here under it, and by nothing that has nothing to do with it', async () => {
    const here = { 'q/n': '1', free: '2', 'own/n': '3', [`n.${COPY}`]: 'taken' };
    const scenery = {
      here,
      base: { one: '1', two: '2', three: '3' },
      moves: { 'q/n': 'one', free: 'two', 'own/n': 'three', lost: 'nobody' },
    };
    const { run, log, visible } = scene(scenery);
    await run([made('q', '8'), made('own', '9')]);
    expect(log.slice(0, 2)).toEqual([
      `will move: one to n.${COPY}-2 three to n.${COPY}-3`,
      `move q/n to n.${COPY}-2 quietly, move own/n to n.${COPY}-3 quietly`,
    ]);
    expect(visible()).toMatchObject({ free: '2', own: '9', q: '8' });
    // Of names that are given by no change nothing is in the way.
    for (const change of [edited('one', '1', '7'), gone('q/n/x', '1')]) {
      const other = scene(scenery);
      await other.run([change]);
      expect(other.log.filter((line) => line.startsWith('will move'))).toEqual([]);
    }
    for (const change of [moved('three', 'q', '3'), made('q', '3')]) {
      const other = scene(scenery);
      await other.run([change]);
      expect(other.log[0]).toMatch(/^will move: one /);
    }
  });

  it('is left by no link, and by nothing that is not there, or was moved elsewhere', async () => {
    const change = moved('a', 'a/b', '1');
    for (const [given, first] of [
      [{ here: { a: '1' }, base: { a: '1' } }, 'remove a quietly'],
      [{ here: {}, base: { a: '1' } }, 'taken 0'],
      [{ here: { a: 'mine' }, base: { a: '1' }, links: ['a'] }, 'taken 0'],
      [{ here: { x: 'mine' }, base: { a: '1' }, moves: { x: 'a' } }, 'move x to a/b'],
    ] as const) {
      const { run, log } = scene(given);
      await run([change]);
      expect(log.find((line) => !line.startsWith('ask'))).toBe(first);
    }
    // A link that was moved stays as well.
    const { run, log } = scene({ here: { 'q/n': '1' }, base: { one: '1' }, moves: { 'q/n': 'one' }, links: ['q/n'] });
    await run([made('q', '2')]);
    expect(log.filter((line) => line.startsWith('will move'))).toEqual([]);
  });

  it('that the folder was asked for before is made room for no second time', async () => {
    const { run, placed } = scene({
      here: { a: 'mine' },
      base: { a: '1' },
      refuses: (_, attempt) => (attempt === 1 ? 'repeated' : null),
    });
    await run([moved('a', 'a/b', '1')]);
    expect(placed.length).toBe(1);
  });
});

describe('what the folder refuses', () => {
  const names = (changes: readonly StoreChange[]): readonly string[] =>
    changes.map((change) => (change.kind === 'create' ? change.path : change.of.path));
  const refusing =
    (bad: (path: string) => boolean, why = refused('IO_ERROR')): NonNullable<Scene['refuses']> =>
    (changes) =>
      names(changes).some(bad) ? why : null;
  const many = (count: number): readonly SharedChange[] =>
    Array.from({ length: count }, (_, index) => ({ ...made(`n${index}`, 'x'), content: Buffer.from('x') }));

  it('is parted until it is known of which names that is', async () => {
    const { run, plans, visible } = scene({ refuses: refusing((path) => path === 'n1') });
    const result = await run(many(5));
    expect(result).toEqual({
      paths: ['n0', 'n2', 'n3', 'n4'].map((path) => `create ${path} quietly`),
      isRecorded: false,
      blocked: [{ change: many(2)[1], why: expect.objectContaining({ code: 'IO_ERROR' }) as unknown }],
    });
    expect(Object.keys(visible())).toEqual(['n0', 'n2', 'n3', 'n4']);
    // All of them, three and two, two and one, one and one.
    expect(plans.map(({ prepared }) => names(prepared['changes'] as readonly StoreChange[]).join(' '))).toEqual([
      'n0 n1 n2 n3 n4',
      'n0 n1 n2',
      'n0 n1',
      'n0',
      'n1',
      'n2',
      'n3 n4',
    ]);
    expect(plans.slice(1).map(({ head }) => (head as { operation: string }).operation)).toEqual(Array(6).fill('follow'));
  });

  it('goes with what has a name to do with it', async () => {
    const { run } = scene({ here: { a: '1' }, refuses: refusing((path) => path === 'a') });
    const [first, second, other] = [moved('a', 'b', '1'), made('a', '2'), made('c', '3')];
    expect((await run([first, second, other])).blocked.map(({ change }) => change)).toEqual([first, second]);
    const alone = scene({ here: { a: '1' }, refuses: refusing((path) => path === 'a') });
    expect((await alone.run([first, second])).blocked.map(({ change }) => change)).toEqual([first, second]);
  });

  it('is no failure of the store or of the program', async () => {
    await expect(scene({ refuses: () => refused('STORE_UNAVAILABLE') }).run(many(1))).rejects.toThrow('STORE_UNAVAILABLE');
    await expect(scene({ refuses: () => new Error('a fault') }).run(many(1))).rejects.toThrow('a fault');
    const later = scene({ refuses: (_, attempt) => (attempt === 1 ? refused('IO_ERROR') : refused('STORE_UNAVAILABLE')) });
    await expect(later.run(many(3))).rejects.toThrow('STORE_UNAVAILABLE');
    expect(later.plans.length).toBe(2);
  });

  it('is not more than a thousand names: with more it is the folder', async () => {
    const more = scene({ refuses: refusing(() => true) });
    await expect(more.run(many(2_001))).rejects.toThrow('IO_ERROR');
    expect(more.plans.some(({ prepared }) => names(prepared['changes'] as readonly StoreChange[])[0] === 'n1001')).toBe(false);
    const blocked = many(3).map((change) => ({ change, why: refused('READ_ONLY') }));
    expect(() => checkBlockedCount(997, blocked)).not.toThrow();
    expect(() => checkBlockedCount(998, blocked)).toThrow('READ_ONLY');
    expect(() => checkBlockedCount(2_000, [])).not.toThrow();
  });
});
