import { describe, expect, it } from 'vitest';
import { Entry, toFields } from '../../../../src/graph/entry.ts';
import type { GraphChange, NoteEntry } from '../../../../src/graph/view.ts';
import { parseNote } from '../../../../src/note/parse.ts';
import { toNotePath } from '../../../../src/note/path.ts';
import { MAX_FILE_BYTES, hashOf } from '../../../../src/store/folder/hash.ts';
import { shortHash } from '../../../../src/store/records/history-event.ts';
import type { EventDraft, HistoryEvent } from '../../../../src/store/records/history-event.ts';
import { changedProperties, ExternalEdits } from '../../../../src/vault/plan/external-edits.ts';
import { historyEvent as event, moveEvent } from './memory-history.ts';

/** 2026-01-01, in milliseconds. */
const THEN = Date.parse('2026-01-01T00:00:00.000Z');

function entry(path: string, text: string, atMs = 0): NoteEntry {
  const note = parseNote(toNotePath(path)!, text);
  const stamp = { size: Buffer.byteLength(text), mtimeNs: BigInt(atMs) * 1_000_000n, ctimeNs: 0n, ino: 0n };
  return new Entry(toFields(note, { stamp, hash: hashOf(text) }), { read: () => note.frontmatter.data });
}

const added = (path: string, text: string, atMs?: number): GraphChange => ({ before: null, after: entry(path, text, atMs) });
const gone = (path: string, text: string): GraphChange => ({ before: entry(path, text), after: null });
const edited = (path: string, was: string, is: string, atMs?: number): GraphChange => ({
  before: entry(path, was, atMs),
  after: entry(path, is),
});
const hashed = (text: string) => ({ hash: shortHash(hashOf(text)) });
const body = (was: string, is: string) => ({
  field: 'body',
  before: { file: hashOf(was), size: was.length },
  after: { file: hashOf(is), size: is.length },
});

/** A tracker; `files`: the texts on disk, which are also in the graph. */
function openEdits(files: Readonly<Record<string, string>> = {}) {
  const log: string[] = [];
  const tell = (message: string): void => void log.push(message);
  const present = new Map(Object.entries(files).map(([path, text]) => [path, entry(path, text)]));
  const edits = new ExternalEdits({ log: { info: tell, warn: tell, error: tell } }, { get: (path) => present.get(path) ?? null });
  const sizes = new Map<string, number>();
  const read = (path: string) => {
    const found = files[path];
    if (found === undefined) return Promise.resolve(null);
    const bytes = Buffer.from(found);
    return Promise.resolve({ path, bytes, hash: hashOf(bytes), isLinked: false, state: { size: sizes.get(path) ?? bytes.length } });
  };
  const tails: number[] = [];
  let tail: (bytes: number) => readonly HistoryEvent[] = () => [];
  const readTail = (bytes: number): readonly HistoryEvent[] => (tails.push(bytes), tail(bytes));
  return {
    follow: (changes: readonly GraphChange[]) => edits.follow(changes),
    applyEvents: (events: readonly HistoryEvent[]) => edits.applyEvents(events),
    paths: () => edits.paths(),
    preview: (...args: Parameters<typeof edits.preview>) => edits.preview(...args),
    log,
    tails,
    sizes,
    setTail: (next: typeof tail) => (tail = next),
    isPending: () => edits.isPending,
    isRenamed: () => edits.isRenamed,
    /** What would be recorded: of which path, and the fields. */
    async seen(): Promise<unknown[]> {
      const events = await edits.preview({ read: read as never, tail: readTail }, { firstSeq: 5, timestamp: 'now' });
      return events.map(({ path, changes }) => [path, ...changes]);
    },
    async recorded(): Promise<{ readonly drafts: readonly EventDraft[]; readonly hashes: readonly (string | null)[] }[]> {
      const calls: { drafts: readonly EventDraft[]; hashes: readonly (string | null)[] }[] = [];
      const record = (drafts: readonly EventDraft[], agent: string, hashOfDraft: (draft: EventDraft) => string | null) => {
        expect(agent).toBe('external');
        const hashes = drafts.map(hashOfDraft);
        calls.push({ drafts, hashes });
        return Promise.resolve(
          drafts.map((draft, index) =>
            event({ seq: 50 + index, ...draft, ...(hashes[index] == null ? {} : { hash: shortHash(hashes[index]) }) }),
          ),
        );
      };
      await edits.record({ seq: 0, externalChanges: [], read: read as never, record }, readTail);
      return calls;
    },
  };
}

const file = (before: string | null, after: string | null) => ({ field: 'file', before, after });
const path = (before: string, after: string) => ({ field: 'path', before, after });

describe('S1-88 what is pending', () => {
  it('is a change of a text, and neither a note that is read again nor one that came and went', () => {
    const edits = openEdits();
    edits.follow([{ before: null, after: null }, edited('a.md', 'A\n', 'A\n')]);
    expect([edits.isPending(), edits.paths()]).toEqual([false, []]);
    edits.follow([edited('a.md', 'A\n', 'B\n'), added('n.md', 'N\n')]);
    expect(edits.paths()).toEqual(['a.md', 'n.md']);
    edits.follow([gone('n.md', 'N\n')]);
    expect([edits.isPending(), edits.paths()]).toEqual([true, ['a.md']]);
  });

  it('is one change of a note from its first state to its last, under its last name', async () => {
    const edits = openEdits();
    edits.follow([
      edited('a.md', 'A\n', 'B\n'),
      edited('a.md', 'B\n', 'C\n'),
      { before: entry('a.md', 'C\n'), after: entry('b.md', 'C\n') },
    ]);
    expect(edits.paths()).toEqual(['b.md']);
    expect(await edits.seen()).toEqual([['b.md', path('a.md', 'b.md'), body('A\n', 'C\n')]]);
  });

  it('is none that the history knows, whichever comes first', () => {
    const edits = openEdits();
    edits.applyEvents([event({ seq: 1, ...hashed('B\n') })]);
    edits.follow([edited('a.md', 'A\n', 'B\n')]);
    expect(edits.isPending()).toBe(false);
    edits.follow([gone('a.md', 'B\n')]);
    expect(edits.isPending()).toBe(true);
    edits.applyEvents([event({ seq: 2, action: 'deleted' })]);
    edits.follow([gone('a.md', 'B\n')]);
    expect(edits.isPending()).toBe(false);
  });

  it('X-18 holds a rename by a person, which is to be recorded soon, unless it is one of more than twenty changes', () => {
    const edits = openEdits();
    expect(edits.isRenamed()).toBe(false);
    edits.follow([edited('a.md', 'A\n', 'B\n'), added('n.md', ''), gone('g.md', 'G\n')]);
    expect(edits.isRenamed()).toBe(false);
    edits.follow([{ before: entry('x.md', 'X\n'), after: entry('y.md', 'X\n') }]);
    expect(edits.isRenamed()).toBe(true);
    edits.follow(Array.from({ length: 16 }, (_, index) => added(`${index}.md`, '')));
    expect([edits.paths().length, edits.isRenamed()]).toEqual([20, true]);
    edits.follow([added('more.md', '')]);
    expect(edits.isRenamed()).toBe(false);
  });
});

describe('S1-88 what is recorded', () => {
  it('has the note, its path and its present hash, once', async () => {
    const edits = openEdits();
    edits.follow([edited('a.md', '---\nid: n\n---\nA\n', '---\nid: n\n---\nB\n'), gone('g.md', '---\nid: g\n---\n'), added('n.md', 'N\n')]);
    const preview = await edits.preview({ read: () => Promise.resolve(null), tail: () => [] }, { firstSeq: 5, timestamp: 'now' });
    const external = { timestamp: 'now', agent: 'external', action: 'external' };
    expect(preview).toEqual([
      { ...external, seq: 5, node: 'g', path: 'g.md', changes: [file('g.md', null)], was: shortHash(hashOf('---\nid: g\n---\n')) },
      {
        ...external,
        seq: 6,
        node: 'n',
        path: 'a.md',
        changes: [body('---\nid: n\n---\nA\n', '---\nid: n\n---\nB\n')],
        ...hashed('---\nid: n\n---\nB\n'),
        was: shortHash(hashOf('---\nid: n\n---\nA\n')),
      },
      { ...external, seq: 7, node: 'n.md', path: 'n.md', changes: [file(null, 'n.md')], ...hashed('N\n') },
    ]);
    const [call, ...rest] = await edits.recorded();
    expect(rest).toEqual([]);
    expect(call?.drafts.map(({ node, path: at, action, changes }) => ({ node, path: at, action, changes }))).toEqual(
      preview.map(({ node, path: at, action, changes }) => ({ node, path: at, action, changes })),
    );
    expect(call?.hashes).toEqual([null, hashOf('---\nid: n\n---\nB\n'), hashOf('N\n')]);
    expect([edits.isPending(), await edits.recorded(), await edits.seen()]).toEqual([false, [], []]);
    // It is known from now on.
    edits.follow([edited('a.md', '---\nid: n\n---\nA\n', '---\nid: n\n---\nB\n')]);
    expect(edits.isPending()).toBe(false);
  });

  it('is nothing where more than two hundred notes changed at once, which is logged', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => edited(`${index}.md`, 'A\n', 'B\n'));
    const most = openEdits();
    most.follow(many(200));
    expect((await most.recorded())[0]?.drafts).toHaveLength(200);
    expect(most.log).toEqual([]);
    const checkout = openEdits();
    checkout.follow(many(201));
    expect(await checkout.recorded()).toEqual([]);
    expect([checkout.isPending(), checkout.log.length]).toEqual([false, 1]);
    // What the history knows of them does not count.
    const known = openEdits();
    known.follow(many(201));
    known.applyEvents([event({ seq: 1, path: '0.md', ...hashed('B\n') })]);
    expect((await known.recorded())[0]?.drafts).toHaveLength(200);
  });
});

describe('S1-88 what other processes wrote before this one started', () => {
  const MB = 1024 * 1024;

  it('is looked for once, as far back as it may explain what changed, up to 16 MB', async () => {
    const edits = openEdits();
    const change = edited('a.md', 'A\n', 'B\n');
    edits.follow([change]);
    // Ever more events, none of them old enough.
    let count = 0;
    edits.setTail(() =>
      Array.from({ length: ++count }, (_, seq) => event({ seq, path: 'other.md', timestamp: '2026-01-01T00:00:00.000Z' })),
    );
    await edits.seen();
    expect(edits.tails).toEqual([MB, 4 * MB, 16 * MB]);
    await edits.seen();
    expect(edits.tails).toHaveLength(3);
  });

  it.each([
    ['at the beginning of the history', [[0], [0]], 0, [MB, 4 * MB]],
    ['where the history has nothing', [[], []], 0, [MB, 4 * MB]],
    ['ten minutes before the oldest change', [[THEN - 600_001], [0]], THEN, [MB]],
    ['but not sooner', [[THEN - 600_000], [THEN - 600_000]], THEN, [MB, 4 * MB]],
  ])('ends %s', async (_, timesOfTail, changedAt, read) => {
    const edits = openEdits();
    edits.follow([added('a.md', 'A\n', changedAt + 5), added('b.md', 'B\n', changedAt)]);
    let call = 0;
    edits.setTail(() =>
      (timesOfTail[call++] ?? []).map((time, seq) => event({ seq, path: 'other.md', timestamp: new Date(time).toISOString() })),
    );
    await edits.seen();
    expect(edits.tails).toEqual(read);
  });

  it('ends where every change is known, and goes on for a removal, whose time nobody knows', async () => {
    const known = openEdits();
    known.follow([edited('a.md', 'A\n', 'B\n')]);
    known.setTail(() => [event({ seq: 1, timestamp: new Date(THEN).toISOString(), ...hashed('B\n') })]);
    expect(await known.seen()).toEqual([]);
    expect(known.tails).toEqual([MB]);
    const removed = openEdits();
    removed.follow([gone('g.md', 'G\n'), added('a.md', 'A\n', THEN * 2)]);
    let count = 0;
    removed.setTail(() => Array.from({ length: ++count }, (_, seq) => event({ seq, path: 'other.md' })));
    await removed.seen();
    expect(removed.tails).toHaveLength(3);
  });

  it('counts less than what was heard of since', async () => {
    const edits = openEdits();
    edits.applyEvents([event({ seq: 9, ...hashed('B\n') })]);
    edits.follow([edited('a.md', 'B\n', 'C\n')]);
    edits.setTail(() => [event({ seq: 1, ...hashed('C\n') })]);
    expect(await edits.seen()).toEqual([['a.md', body('B\n', 'C\n')]]);
  });
});

describe('X-18 where a changed note was before', () => {
  it('is where another process moved it, if it is not there any more', async () => {
    const moved = [moveEvent(1, 'a.md', 'b.md', hashed('A\n'))];
    const edits = openEdits();
    edits.applyEvents(moved);
    edits.follow([{ before: entry('a.md', 'A\n'), after: entry('c.md', 'A\n') }]);
    expect(await edits.seen()).toEqual([['c.md', path('b.md', 'c.md')]]);
    // It is there: this is another note, which is new.
    const copied = openEdits({ 'b.md': 'A\n' });
    copied.applyEvents(moved);
    copied.follow([{ before: entry('a.md', 'A\n'), after: entry('c.md', 'A\n') }]);
    expect(await copied.seen()).toEqual([['c.md', file(null, 'c.md')]]);
    // The change to where it went itself is one of its text.
    const edited = openEdits({ 'b.md': 'B\n' });
    edited.applyEvents(moved);
    edited.follow([{ before: entry('a.md', 'A\n'), after: entry('b.md', 'B\n') }]);
    expect(await edited.seen()).toEqual([['b.md', body('A\n', 'B\n')]]);
  });

  it('that another process moved and somebody removed from there: it is the new place that is empty', async () => {
    const moved = [moveEvent(1, 'a.md', 'b.md', hashed('A\n'))];
    const edits = openEdits();
    edits.applyEvents(moved);
    edits.follow([gone('a.md', 'A\n')]);
    expect(await edits.seen()).toEqual([['b.md', file('b.md', null)]]);
    const there = openEdits({ 'b.md': 'A\n' });
    there.applyEvents(moved);
    there.follow([gone('a.md', 'A\n')]);
    expect([there.isPending(), await there.seen()]).toEqual([false, []]);
    const deleted = openEdits();
    deleted.applyEvents([...moved, event({ seq: 2, path: 'b.md', action: 'deleted' })]);
    deleted.follow([gone('a.md', 'A\n')]);
    expect(deleted.isPending()).toBe(false);
    // A note at a place that the history has emptied is new.
    const back = openEdits();
    back.applyEvents([event({ seq: 1, action: 'deleted' })]);
    back.follow([edited('a.md', 'A\n', 'B\n')]);
    expect(await back.seen()).toEqual([['a.md', file(null, 'a.md')]]);
  });

  it('is found by the id or the bytes of what is gone, seen or recorded, if only one can be meant', async () => {
    const origins = async (changes: readonly GraphChange[], history: readonly HistoryEvent[] = [], files = {}) => {
      const edits = openEdits(files);
      edits.applyEvents(history);
      edits.follow(changes);
      return await edits.seen();
    };
    const id = '---\nid: n\n---\n';
    expect(await origins([gone('a.md', 'A\n'), added('b.md', 'A\n')])).toEqual([['b.md', path('a.md', 'b.md')]]);
    expect(await origins([added('b.md', `${id}new\n`), gone('a.md', `${id}old\n`)])).toEqual([
      ['b.md', path('a.md', 'b.md'), body(`${id}old\n`, `${id}new\n`)],
    ]);
    // The id decides over the bytes, and two of one kind over nothing.
    expect(
      await origins([gone('a.md', `${id}old\n`), gone('c.md', `${id}new\n`.replace('id: n', 'id: m')), added('b.md', `${id}new\n`)]),
    ).toMatchObject([
      ['c.md', file('c.md', null)],
      ['b.md', path('a.md', 'b.md'), {}],
    ]);
    const twins = await origins([gone('a.md', 'A\n'), gone('c.md', 'A\n'), added('b.md', 'A\n')]);
    expect(twins).toEqual([
      ['a.md', file('a.md', null)],
      ['c.md', file('c.md', null)],
      ['b.md', file(null, 'b.md')],
    ]);
    // Empty notes have nothing by which they would be one.
    expect(await origins([gone('a.md', ''), added('b.md', '')])).toEqual([
      ['a.md', file('a.md', null)],
      ['b.md', file(null, 'b.md')],
    ]);
    // Each explains one note.
    expect(await origins([gone('a.md', 'A\n'), added('b.md', 'A\n'), added('c.md', 'A\n')])).toEqual([
      ['b.md', path('a.md', 'b.md')],
      ['c.md', file(null, 'c.md')],
    ]);
    const recorded = [event({ seq: 1, path: 'r.md', node: 'n', ...hashed('A\n') })];
    expect(await origins([added('b.md', 'A\n')], recorded)).toEqual([['b.md', path('r.md', 'b.md')]]);
    expect(await origins([added('b.md', `${id}B\n`)], recorded)).toMatchObject([['b.md', path('r.md', 'b.md'), { field: 'body' }]]);
    expect(await origins([added('b.md', 'A\n')], recorded, { 'r.md': 'A\n' })).toEqual([['b.md', file(null, 'b.md')]]);
    expect(await origins([added('r.md', `${id}B\n`)], recorded)).toMatchObject([['r.md', { field: 'body' }]]);
    const two = [...recorded, event({ seq: 2, path: 's.md', ...hashed('A\n') })];
    expect(await origins([added('b.md', 'A\n')], two)).toEqual([['b.md', file(null, 'b.md')]]);
    expect(await origins([added('b.md', `${id}B\n`)], two)).toMatchObject([['b.md', path('r.md', 'b.md'), {}]]);
  });
});

describe('H-12 what of a note an edit changed', () => {
  const fieldsOf = async (change: GraphChange, history: readonly HistoryEvent[] = [], files = {}) => {
    const edits = openEdits(files);
    edits.applyEvents(history);
    edits.follow([change]);
    return (await edits.seen()).map((one) => (one as unknown[]).slice(1));
  };
  const at = (time: number) => ({ timestamp: new Date(time).toISOString() });

  it('is compared with what was seen, unless another process wrote the note after that', async () => {
    const change = edited('a.md', '---\nx: 1\n---\n', '---\nx: 2\n---\n', THEN);
    const x = { field: 'x', before: 1, after: 2 };
    expect(await fieldsOf(change)).toEqual([[x]]);
    expect(await fieldsOf(change, [event({ seq: 1, ...at(THEN), ...hashed('other') })])).toEqual([[x]]);
    const written = hashed('other').hash;
    expect(await fieldsOf(change, [event({ seq: 1, ...at(THEN + 1), hash: written })])).toEqual([
      [{ field: 'body', before: { file: written }, after: { file: hashOf('---\nx: 2\n---\n'), size: 13 } }],
    ]);
    // What it saw is what the other process wrote.
    expect(await fieldsOf(change, [event({ seq: 1, ...at(THEN + 1), ...hashed('---\nx: 1\n---\n') })])).toEqual([[x]]);
  });

  it('of one that this process did not see is where it is, and that its text is another', async () => {
    const known = [event({ seq: 1, ...hashed('A\n') })];
    expect(await fieldsOf(added('a.md', 'B\n'), known)).toEqual([
      [{ field: 'body', before: hashedFile('A\n'), after: { file: hashOf('B\n'), size: 2 } }],
    ]);
    expect(await fieldsOf({ before: entry('z.md', 'A\n'), after: entry('b.md', 'A\n') })).toEqual([[path('z.md', 'b.md')]]);
  });

  it('is each of its properties, and its body beside them where that changed, as far as it can be read', async () => {
    const [was, is] = ['---\nx: 1\n---\nA\n', '---\nx: 2\n---\nB\n'];
    const x = { field: 'x', before: 1, after: 2 };
    expect(await fieldsOf(edited('a.md', was, is), [], { 'a.md': is })).toEqual([[x, body(was, is)]]);
    expect(await fieldsOf(edited('a.md', was, is), [], { 'a.md': 'saved again\n' })).toEqual([[x]]);
    expect(await fieldsOf(edited('a.md', was, is))).toEqual([[x]]);
    const large = openEdits({ 'a.md': is });
    large.sizes.set('a.md', MAX_FILE_BYTES + 1);
    large.follow([edited('a.md', was, is)]);
    expect(await large.seen()).toEqual([['a.md', x]]);
    // A move alone says nothing of the body.
    expect(
      await fieldsOf({ before: entry('a.md', was), after: entry('b.md', was.replace('A', 'B')) }, [], { 'b.md': was.replace('A', 'B') }),
    ).toEqual([[path('a.md', 'b.md'), body(was, was.replace('A', 'B'))]]);
  });

  it('is every property that one side lacks or that has another value', () => {
    expect(changedProperties({ same: [1], gone: 1, other: 1 }, { same: [1], other: 2, added: null })).toEqual([
      { field: 'gone', before: 1, after: null },
      { field: 'other', before: 1, after: 2 },
      { field: 'added', before: null, after: null },
    ]);
  });
});

function hashedFile(text: string): { file: string } {
  return { file: hashed(text).hash };
}
