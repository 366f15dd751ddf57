import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import { diffListing } from '../../../../src/store/shared/incoming/diff-listing.ts';
import {
  fetchContents,
  fetchContent,
  eventsOfCommit,
  toPart,
  groupIndependentCommits,
} from '../../../../src/store/shared/incoming/commit-groups.ts';
import { matchObstacles, splitOffObstacles } from '../../../../src/store/shared/incoming/path-obstacles.ts';
import { createBlockedChanges } from '../../../../src/store/shared/incoming/blocked-changes.ts';
import { hashesAfter, squashCommits } from '../../../../src/store/shared/incoming/squash-commits.ts';
import { listUnrecordedEvents, trackRecordedCommits } from '../../../../src/store/shared/incoming/recorded-commits.ts';
import { splitReusedNames } from '../../../../src/store/shared/incoming/split-reused-names.ts';
import { findCaseCollision } from '../../../../src/store/shared/incoming/find-case-collision.ts';
import {
  groupRelatedChanges,
  hashesBefore,
  matchRelatedPaths,
  asFileError,
  revertBlocked,
} from '../../../../src/store/shared/incoming/blocked-change.ts';
import type { SharedChange, SharedCommit } from '../../../../src/store/shared/shared-vault.ts';
import type { StoreChange } from '../../../../src/store/store.ts';
import { inSimulatedTime } from '../../../support/simulated/simulated-time.ts';

const made = (path: string, hash: string): SharedChange => ({ op: 'create', path, oldPath: null, before: null, hash, size: 1, event: [] });
const edited = (path: string, before: string, hash: string): SharedChange => ({ ...made(path, hash), op: 'update', before });
const moved = (oldPath: string, path: string, before: string, hash = before): SharedChange => ({
  ...made(path, hash),
  op: 'rename',
  oldPath,
  before,
});
const gone = (path: string, before: string): SharedChange => ({ ...made(path, ''), op: 'delete', before, hash: null, size: 0 });
const commitOf = (seq: number, ...changes: readonly SharedChange[]): SharedCommit => ({
  seq,
  batch: `b${seq}`,
  agent: 'ada',
  machine: 'a',
  operation: 'test',
  at: '2026-11-25T00:00:00Z',
  changes,
});
type Files = Readonly<Record<string, string>>;

/** The files after changes. */
function applied(files: Files, changes: readonly SharedChange[]): Files {
  const after = new Map(Object.entries(files));
  for (const { path, oldPath, before } of changes) if (before !== null) after.delete(oldPath ?? path);
  for (const { path, hash } of changes) if (hash !== null) after.set(path, hash);
  return Object.fromEntries([...after].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Some commits that can be made one after the other, on these files. */
function commitsOn(files: Files, deeds: readonly (readonly [number, number, number])[]): readonly SharedCommit[] {
  let now = files;
  let hashes = 0;
  return deeds.flatMap(([kind, at, to], index) => {
    const names = Object.keys(now);
    const name = names[at % Math.max(1, names.length)];
    const target = `n${to}`;
    const other = names[to % Math.max(1, names.length)];
    const hash = `h${(hashes += 1)}`;
    let changes: readonly SharedChange[] = [];
    if (kind === 0 && !(target in now)) changes = [made(target, hash)];
    if (kind === 1 && name !== undefined) changes = [edited(name, now[name]!, hash)];
    if (kind === 2 && name !== undefined && !(target in now)) changes = [moved(name, target, now[name]!, to % 2 === 0 ? now[name]! : hash)];
    if (kind === 3 && name !== undefined) changes = [gone(name, now[name]!)];
    if (kind === 4 && name !== undefined && other !== undefined && name !== other)
      changes = [moved(name, other, now[name]!), moved(other, name, now[other]!)];
    if (changes.length === 0) return [];
    now = applied(now, changes);
    return [commitOf(index + 1, ...changes)];
  });
}

const someFiles = { n1: 'a', n2: 'b', n3: 'c' };
const deeds = fc.array(fc.tuple(fc.nat(4), fc.nat(9), fc.nat(5)), { maxLength: 8 });

describe('several commits as one', () => {
  it('come to what they come to one after the other, and say what each file was', () => {
    fc.assert(
      fc.property(deeds, (given) => {
        const commits = commitsOn(someFiles, given);
        const net = squashCommits(commits);
        const end = commits.reduce<Files>((files, { changes }) => applied(files, changes), applied(someFiles, []));
        expect(applied(someFiles, net)).toEqual(end);
        for (const { op, path, oldPath, before, hash, size } of net) {
          expect(before).toBe(op === 'create' ? null : (someFiles as Files)[oldPath ?? path]);
          expect([oldPath !== null && oldPath !== path, hash === null, size === 0]).toEqual([
            op === 'rename',
            op === 'delete',
            op === 'delete',
          ]);
        }
        const after = new Map(hashesAfter(net));
        for (const path of Object.keys({ ...someFiles, ...end }))
          expect(after.has(path) ? after.get(path) : ((someFiles as Files)[path] ?? null), path).toBe(end[path] ?? null);
        for (const path of after.keys()) expect(path in someFiles || path in end, path).toBe(true);
        expect(new Set(hashesAfter(net).map(([path]) => path)).size).toBe(hashesAfter(net).length);
      }),
      { numRuns: 400 },
    );
  });

  it('one is itself; of a file that was made and removed nothing is left; removed and made again it was changed', () => {
    const [one] = [[made('a', '1')]];
    expect(squashCommits([{ changes: one! }])).toBe(one);
    expect(squashCommits([])).toEqual([]);
    expect(squashCommits([{ changes: [made('a', '1')] }, { changes: [gone('a', '1')] }])).toEqual([]);
    expect(squashCommits([{ changes: [gone('a', '1')] }, { changes: [made('a', '2')] }])).toEqual([edited('a', '1', '2')]);
    expect(squashCommits([{ changes: [moved('a', 'b', '1')] }, { changes: [moved('b', 'a', '1')] }])).toEqual([edited('a', '1', '1')]);
    expect(squashCommits([{ changes: [edited('a', '1', '2')] }, { changes: [moved('a', 'b', '2')] }])).toEqual([moved('a', 'b', '1', '2')]);
    expect(squashCommits([{ changes: [moved('a', 'b', '1')] }, { changes: [gone('b', '1')] }])).toEqual([gone('a', '1')]);
  });

  it('that are about different files go together, the others in their order', () => {
    const commits = [
      commitOf(1, made('a', '1')),
      commitOf(2, made('b', '1')),
      commitOf(3, moved('b', 'C', '1')),
      commitOf(4, made('d', '1')),
      commitOf(5, edited('c', '1', '2')),
      commitOf(6, made('b', '3')),
      commitOf(7, edited('c', '2', '3')),
    ];
    expect(groupIndependentCommits(commits).map((group) => group.map(({ seq }) => seq))).toEqual([[1, 2], [3, 4], [5, 6], [7]]);
    expect(groupIndependentCommits([])).toEqual([]);
  });

  it('each is known by its names, and tells its events', () => {
    const commit = commitOf(1, {
      ...moved('a', 'b', '1', 'f'.repeat(64)),
      event: [{ node: 'b', path: 'b', action: 'renamed', changes: [] }],
    });
    const part = toPart(commit);
    expect(part).toMatchObject({ id: 'b1', at: commit.at, operation: 'test', agent: 'ada' });
    expect(['a', 'b', 'c'].map((path) => part.has(path))).toEqual([true, true, false]);
    const [event] = eventsOfCommit(commit);
    expect(event).toMatchObject({ timestamp: commit.at, node: 'b', agent: 'ada', batch: 'b1' });
    expect(event?.hash).toBeDefined();
    const [removed] = eventsOfCommit(commitOf(1, { ...gone('a', '1'), event: [{ node: 'a', path: 'a', action: 'deleted', changes: [] }] }));
    expect(removed).toBeDefined();
    expect('hash' in removed!).toBe(false);
  });
});

describe('contents that a folder may not have', () => {
  const asked = async (changes: readonly SharedChange[], base: Files = {}) => {
    const questions: unknown[] = [];
    const shared = {
      blobs: {
        async *getAll(hashes: readonly string[], how: unknown) {
          questions.push(hashes, how);
          for (const hash of hashes) yield { hash, bytes: new Uint8Array(Buffer.from(hash)) };
        },
      },
    };
    const contents = await fetchContents(shared as never, changes, new Map(Object.entries(base)));
    return { contents: Object.fromEntries([...contents].map(([hash, bytes]) => [hash, String(bytes)])), questions };
  };

  it('are asked for at once, without those that came along, are there or are large', async () => {
    const LARGE = 256 * 1024;
    const found = await asked(
      [
        made('a', '1'),
        { ...made('b', '2'), content: Buffer.from('came along') },
        gone('c', '3'),
        moved('d', 'e', '4'),
        edited('f', '5', '6'),
        { ...made('g', '7'), size: LARGE },
        { ...made('h', '8'), size: LARGE + 1 },
      ],
      { d: '4', f: '5' },
    );
    expect(found.contents).toEqual({ 1: '1', 2: 'came along', 6: '6', 7: '7' });
    expect(found.questions).toEqual([['1', '6', '7'], { maxBytes: LARGE }]);
  });

  it('are not asked for where there are none or very many', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => made(`${index}`, `${index}`));
    expect((await asked([])).questions).toEqual([]);
    expect((await asked(many(64))).questions.length).toBe(2);
    expect((await asked(many(65))).questions).toEqual([]);
  });

  it('of which the store has none is said to be tried again', async () => {
    expect(await fetchContent({ blobs: { get: async () => Buffer.from('x') } } as never, '1')).toEqual(Buffer.from('x'));
    await expect(fetchContent({ blobs: { get: async () => null } } as never, '1')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryable: true,
    });
  });
});

describe('a name that one file leaves and another gets', () => {
  const of = (path: string, text = path) => ({ path, hash: text, bytes: Buffer.from(text), state: null }) as never;
  const events = [{ node: 'n', path: 'n', action: 'external' as const, changes: [] }];
  const told = { events, describe: () => events };
  const create = (path: string): StoreChange => ({ kind: 'create', path, bytes: Buffer.from(`new ${path}`), ...told });
  const remove = (path: string): StoreChange => ({ kind: 'remove', of: of(path), to: 'gone', ...told });
  const move = (path: string, to: string, bytes?: string): StoreChange => ({
    kind: 'move',
    of: of(path),
    to,
    bytes: bytes === undefined ? null : Buffer.from(bytes),
    changes: null,
    isCommutative: false,
    ...told,
  });
  const shown = (changes: readonly StoreChange[]): readonly string[] =>
    splitReusedNames(changes)
      .map((change) => {
        const bytes = 'bytes' in change && change.bytes !== null ? ` ${String(change.bytes)}` : '';
        if (change.kind === 'create') return `create ${change.path}${bytes}`;
        return `${change.kind} ${change.of.path}${change.kind === 'move' ? ` ${change.to}` : ''}${bytes}`;
      })
      .sort();

  it('is replaced instead, and what it held goes to its new name', () => {
    expect(shown([remove('a'), create('a')])).toEqual(['replace a new a']);
    expect(shown([move('a', 'b'), create('a')])).toEqual(['create b a', 'replace a new a']);
    expect(shown([move('a', 'b', 'changed'), create('a')])).toEqual(['create b changed', 'replace a new a']);
    expect(shown([remove('a'), move('c', 'a')])).toEqual(['remove c', 'replace a c']);
    expect(shown([remove('a'), move('c', 'a', 'changed')])).toEqual(['remove c', 'replace a changed']);
    expect(shown([move('a', 'b'), create('a'), remove('b')])).toEqual(['replace a new a', 'replace b a']);
  });

  it('is left to the folder where both are moves, and others are as they were', () => {
    expect(shown([move('a', 'b'), move('b', 'a')])).toEqual(['move a b', 'move b a']);
    expect(shown([move('a', 'a', 'x'), create('b'), remove('c')])).toEqual(['create b new b', 'move a a x', 'remove c']);
    const replaced = splitReusedNames([remove('a'), create('a')])[0]!;
    expect(replaced).toMatchObject({ changes: null, isCommutative: false, events });
    expect(splitReusedNames([remove('a'), move('c', 'a')]).find(({ kind }) => kind === 'remove')).toMatchObject({
      to: 'gone',
      events: [],
    });
  });
});

describe('a file where a folder is to be', () => {
  it('is in the way, and a folder where a file is to be', () => {
    const isInTheWay = matchObstacles(new Set(['a/b/c', 'd']));
    expect(['a', 'a/b', 'd/e', 'd/e/f', 'a/b/c', 'a/b/c/d', 'a/x', 'd', 'x'].filter(isInTheWay)).toEqual([
      'a',
      'a/b',
      'd/e',
      'd/e/f',
      'a/b/c/d',
    ]);
  });

  it('goes first, and the rest comes as if it were new', () => {
    const changes = [moved('a', 'a/b', '1', '2'), gone('d/e', '3'), made('d', '4'), gone('x', '5'), moved('y', 'z', '6')];
    expect(splitOffObstacles(changes)).toEqual({
      first: [gone('a', '1'), gone('d/e', '3')],
      rest: [{ ...made('a/b', '2') }, gone('d/e', '3'), made('d', '4'), gone('x', '5'), moved('y', 'z', '6')],
    });
    expect(splitOffObstacles(changes, (path) => path === 'a').first).toEqual([gone('d/e', '3')]);
    expect(splitOffObstacles([edited('a', '1', '2'), made('b', '1')])).toEqual({
      first: [],
      rest: [edited('a', '1', '2'), made('b', '1')],
    });
  });

  it('has a twin where a name differs by case alone', () => {
    const files = { list: (folder: string) => (folder === 'x' ? [{ name: 'a.md' }, { name: 'B.md' }] : null) } as never;
    expect(findCaseCollision(files, 'x/b.md')).toBe('x/B.md');
    expect(findCaseCollision(files, 'x/a.md')).toBe(null);
    expect(findCaseCollision(files, 'x/c.md')).toBe(null);
    expect(findCaseCollision(files, 'y/b.md')).toBe(null);
  });
});

describe('from former files to a listing', () => {
  it('is what differs, a change of case alone as one of the name', () => {
    const base = new Map(Object.entries({ same: '1', changed: '2', gone: '3', Case: '4', 'Case two': '5' }));
    const files = Object.entries({ same: '1', changed: '2b', new: '6', case: '4', 'CASE two': '5b' }).map(([path, hash]) => ({
      path,
      hash,
      size: 1,
      seq: 1,
    }));
    expect(diffListing(base, { seq: 1, files })).toEqual([
      gone('gone', '3'),
      edited('changed', '2', '2b'),
      made('new', '6'),
      moved('Case', 'case', '4'),
      moved('Case two', 'CASE two', '5', '5b'),
    ]);
    expect(diffListing(new Map(), { seq: 0, files: [] })).toEqual([]);
  });
});

describe('what cannot be put in place', () => {
  it('is a failure of a file, not one of all', () => {
    const failure = (code: string): Error => Object.assign(new Error(code), { code });
    expect(asFileError(new RouxError('INVALID_PARAMS', 'no'))?.code).toBe('INVALID_PARAMS');
    expect(asFileError(new RouxError('STORE_UNAVAILABLE', 'no'))).toBe(null);
    expect(asFileError(failure('EACCES'))).not.toBe(null);
    expect(asFileError(failure('EROFS'))).toBe(null);
    expect(asFileError(new Error('a fault'))).toBe(null);
  });

  it('has to do with its names, with folders above and with what is below, in any case', () => {
    const isNear = matchRelatedPaths([moved('x/Old', 'a/b/c', '1')]);
    expect(['a', 'a/b', 'A/B/C', 'a/b/c/d', 'x', 'X/old', 'x/old/y', 'a/x', 'b', 'x/o'].filter(isNear)).toEqual([
      'a',
      'a/b',
      'A/B/C',
      'a/b/c/d',
      'x',
      'X/old',
      'x/old/y',
    ]);
  });

  it('is separate from what shares no name with it', () => {
    const groups = (...changes: readonly SharedChange[]): readonly string[] =>
      groupRelatedChanges(changes).map((group) => group.map(({ path }) => path).join(' '));
    expect(groups(made('a', '1'), made('b', '1'))).toEqual(['a', 'b']);
    expect(groups(made('a', '1'), made('b', '1'), moved('A', 'c', '1'), moved('c', 'd', '1'))).toEqual(['a c d', 'b']);
    expect(groups(gone('a', '1'), made('a/b/c', '1'), made('x', '1'), made('a/d', '1'))).toEqual(['a a/b/c a/d', 'x']);
    expect(groups(moved('a', 'b', '1'), moved('c', 'd', '1'), moved('b', 'c', '1'))).toEqual(['b d c']);
    expect(groups(made('a/x', '1'), made('a/y', '1'))).toEqual(['a/x', 'a/y']);
  });

  it('leaves the files that were there before', () => {
    const changes = [edited('a', '1', '2'), moved('b', 'c', '3'), made('d', '4'), gone('e', '5'), moved('f', 'b', '6')];
    expect(Object.fromEntries(hashesBefore(changes))).toEqual({ a: '1', b: '3', c: null, d: null, e: '5', f: '6' });
    const files = new Map(Object.entries({ a: '2', b: '6', c: '3', d: '4', x: '7' }));
    expect(Object.fromEntries(revertBlocked(files, changes))).toEqual({ a: '1', b: '3', e: '5', f: '6', x: '7' });
    expect(revertBlocked(files, [])).toBe(files);
  });

  it('is tried again later and later, or when somebody touched what may be in the way', () =>
    inSimulatedTime(async (time) => {
      const pause = (milliseconds: number): Promise<void> => time.pause(milliseconds);
      const left = createBlockedChanges();
      const failed = (change: SharedChange) => ({ change, why: new RouxError('IO_ERROR', 'No room.') });
      expect([left.isRetryDue, left.message, left.isBlocked('a')]).toEqual([false, null, false]);
      expect(left.selectBlocked([made('a', '1')], { isRetry: false })).toEqual([]);
      const [a, b] = [made('x/a', '1'), moved('b', 'c', '2')];
      left.set([a, b], [failed(a), failed(b)]);
      expect(left.changes.map((change) => 'event' in change)).toEqual([false, false]);
      expect(left.isRetryDue).toBe(false);
      await pause(3_999);
      expect(left.isRetryDue).toBe(false);
      await pause(1);
      expect(left.isRetryDue).toBe(true);
      for (const seconds of [8, 16, 32, 64, 120, 120]) {
        left.set([a, b], [failed(a)]);
        await pause(1000 * seconds - 1);
        expect(left.isRetryDue).toBe(false);
        await pause(1);
        expect(left.isRetryDue).toBe(true);
      }
      left.set([a, b], [failed(a)]);
      left.retrySoon('elsewhere');
      expect(left.isRetryDue).toBe(false);
      left.retrySoon('b/below');
      expect(left.isRetryDue).toBe(true);
      expect(left.changes.map(({ path }) => path)).toEqual(['c', 'x/a']);
      left.set(left.changes, [failed(a)]);
      await pause(4_000);
      expect(left.isRetryDue).toBe(true);
      left.set(left.changes, [failed(a)]);
      left.retrySoon(null);
      expect(left.isRetryDue).toBe(true);
      expect(left.changes.map(({ path }) => path)).toEqual(['c', 'x/a']);
      left.retrySoon('x');
      expect(left.changes.map(({ path }) => path)).toEqual(['x/a', 'c']);
      left.set([]);
      left.retrySoon(null);
      expect(left.isRetryDue).toBe(false);
    }));

  it('says why, of three by name', () => {
    const left = createBlockedChanges();
    const changes = ['a', 'b', 'c', 'd', 'e'].map((path) => made(path, '1'));
    left.set(changes.slice(0, 3), [{ change: changes[0]!, why: new RouxError('IO_ERROR', 'No room.') }]);
    expect(left.message).toContain('put there: a (No room); b (it could not be written here); c (it could not be written here). It is');
    left.set(changes);
    expect(left.message).toContain('c (it could not be written here) and 2 more. It is');
    expect([left.reasonFor('a'), left.reasonFor('a/below'), left.reasonFor('x')]).toEqual([
      'No room.',
      'No room.',
      'it could not be written here',
    ]);
    // What is in place again is forgotten.
    left.set(changes.slice(1));
    left.set(changes);
    expect(left.reasonFor('a')).toBe('it could not be written here');
  });

  it('holds back what has to do with it, and the first eight less when it is tried again', () => {
    const left = createBlockedChanges();
    const changes = Array.from({ length: 10 }, (_, index) => made(`n${index}`, '1'));
    left.set([...changes, moved('from', 'to', '1')]);
    const all = [...changes, edited('from/x', '1', '2'), moved('n0/y', 'free', '1'), made('free two', '1')];
    expect(left.selectBlocked(all, { isRetry: false }).map(({ path }) => path)).toEqual([
      'n0',
      'free',
      ...changes.slice(1).map(({ path }) => path),
      'from/x',
    ]);
    expect(left.selectBlocked(all, { isRetry: true }).map(({ path }) => path)).toEqual(['n8', 'n9', 'from/x']);
    const file = { hash: 'h', bytes: Buffer.from('') };
    const edit = (path: string, former: string | null, before: string | null) => ({ path, former, before, file });
    const going = left.withoutBlocked([
      edit('n0', 'n0', '1'),
      edit('new', 'from', '1'),
      edit('other', 'own', '1'),
      edit('made', null, null),
    ]);
    expect(going).toEqual([edit('new', null, null), edit('other', 'own', '1'), edit('made', null, null)]);
    left.set([]);
    const edits = [edit('n0', 'n0', '1')];
    expect(left.withoutBlocked(edits)).toBe(edits);
  });
});

describe('commits that the history has already', () => {
  const event = (batch: string | null, path = 'a', hash?: string) => ({ batch, path, ...(hash === undefined ? {} : { hash }) }) as never;

  it('are looked for in it at first, and where it is not known what came to it', () => {
    let asked = 0;
    const recorded = trackRecordedCommits(() => {
      asked += 1;
      return [event('b1'), event(null), event('b2')];
    });
    expect([...recorded.asOf({ recorded: ['b3'] })]).toEqual(['b1', 'b2', 'b3']);
    expect([...recorded.asOf({ recorded: ['b4'] })]).toEqual(['b1', 'b2', 'b3', 'b4']);
    expect(asked).toBe(1);
    expect([...recorded.asOf({ recorded: null })]).toEqual(['b1', 'b2']);
    expect(asked).toBe(2);
  });

  it('are the last ten thousand', () => {
    const recorded = trackRecordedCommits(() => []);
    const many = Array.from({ length: 10_001 }, (_, index) => `b${index}`);
    expect(recorded.asOf({ recorded: many.slice(0, 10_000) }).size).toBe(10_000);
    const last = recorded.asOf({ recorded: many.slice(10_000) });
    expect([last.size, last.has('b0'), last.has('b1')]).toEqual([10_000, false, true]);
  });

  it('what was edited here is recorded unless the history ends with it', () => {
    const hash = 'f'.repeat(64);
    const draft = (path: string) => [{ node: path, path, action: 'external', changes: [] }];
    const changes = ['a', 'b', 'c'].map((path) => ({ ...made(path, hash), event: draft(path) }));
    const removed = { ...gone('d', '1'), event: draft('d') };
    const { seq: _, ...head } = commitOf(1, ...changes, removed);
    const short = eventsOfCommit(head)[0]!.hash!;
    const told = (last: readonly unknown[]) => listUnrecordedEvents(head, last as never).map(({ path }) => path);
    expect(told([])).toEqual(['a', 'b', 'c', 'd']);
    const byHand = (path: string, hashAfter?: string) => ({ path, ...(hashAfter === undefined ? {} : { hash: hashAfter }) });
    expect(told([byHand('a', short), byHand('b', 'other'), byHand('d')])).toEqual(['b', 'c']);
    expect(told([byHand('a', short), byHand('a', 'later')])).toEqual(['a', 'b', 'c', 'd']);
    // Merged with the commit of another machine, which left the same content.
    expect(told([byHand('a', 'earlier'), event('x', 'a', short)])).toEqual(['a', 'b', 'c', 'd']);
  });
});
