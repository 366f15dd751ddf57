import { describe, expect, it } from 'vitest';
import { MAX_FILE_BYTES, hashOf } from '../../../../src/store/folder/hash.ts';
import type { FileState } from '../../../../src/store/folder/file-system.ts';
import type { Intent, Step } from '../../../../src/store/transaction/intent.ts';
import type { Plan } from '../../../../src/vault/plan/plan.ts';
import { listBatchesToUndo, planUndo } from '../../../../src/vault/plan/earlier/undo.ts';
import type { UndoOptions } from '../../../../src/vault/plan/earlier/undo.ts';
import { historyEvent, memoryHistory } from '../past/memory-history.ts';

const minute = (count: number): string => new Date(Date.parse('2026-01-01T00:00:00Z') + count * 60_000).toISOString();
const by = (agent: string, seq: number, batch: string | undefined, at: string, more: object = {}) =>
  historyEvent({ seq, agent, timestamp: at, ...(batch === undefined ? {} : { batch }), ...more });

describe('X-08 what is undone of an agent', () => {
  it('is what it wrote last, up to a pause of more than half an hour, newest first and each batch once', async () => {
    const events = [
      by('ada', 1, 'old', minute(-1)),
      by('ada', 2, 'first', minute(30)),
      by('bob', 3, 'other', minute(40)),
      by('ada', 4, 'second', minute(60)),
      by('ada', 5, 'second', minute(60)),
      by('ada', 6, undefined, minute(61)),
    ];
    // The pause counts from write to write.
    expect(await listBatchesToUndo(memoryHistory(events), { agent: 'ada' })).toEqual({ batches: ['second', 'first'], warnings: [] });
    const longer = [by('ada', 1, 'old', minute(0)), by('ada', 2, 'new', '2026-01-01T00:30:00.001Z')];
    expect((await listBatchesToUndo(memoryHistory(longer), { agent: 'ada' })).batches).toEqual(['new']);
    expect((await listBatchesToUndo(memoryHistory([longer[0]!], [by('ada', 2, 'new', minute(30))]), { agent: 'ada' })).batches).toEqual([
      'new',
      'old',
    ]);
  });

  it('since a time: all from then on, whatever the pauses', async () => {
    const events = [by('ada', 1, 'a', minute(0)), by('ada', 2, 'b', minute(1)), by('ada', 3, 'c', minute(500))];
    const since = async (time: string) => (await listBatchesToUndo(memoryHistory(events), { agent: 'ada', since: time })).batches;
    expect(await since(minute(1))).toEqual(['c', 'b']);
    expect(await since(minute(2))).toEqual(['c']);
    await expect(since('yesterday')).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    await expect(since(minute(501))).rejects.toMatchObject({ code: 'NODE_NOT_FOUND', details: { agent: 'ada' } });
  });

  it('leaves lines that were not written here, and says how many; a batch is taken as it is', async () => {
    const [own, foreign] = [by('ada', 1, 'own', minute(0)), by('ada', 2, 'theirs', minute(900), { foreign: true })];
    const told = async (...events: readonly (typeof own)[]) => await listBatchesToUndo(memoryHistory(events), { agent: 'ada' });
    // Its time ends nothing either.
    expect(await told(own, foreign)).toEqual({
      batches: ['own'],
      warnings: [expect.stringMatching(/has a line of "ada".* what it tells /)],
    });
    expect((await told(own, foreign, { ...foreign, seq: 3 })).warnings).toEqual([
      expect.stringMatching(/has 2 lines of .* what they tell /),
    ]);
    await expect(told(foreign)).rejects.toMatchObject({ code: 'NODE_NOT_FOUND', message: expect.stringContaining('not written in this') });
    await expect(told({ ...own, agent: 'bob' })).rejects.toMatchObject({ message: expect.stringContaining('has no writes of "ada"') });
    expect(await listBatchesToUndo(memoryHistory([]), { batch: 'b' })).toEqual({ batches: ['b'], warnings: [] });
  });
});

interface Past {
  /** Files as they are now; a number: so many bytes, not read. */
  readonly now: Readonly<Record<string, string | Buffer | number>>;
  /** The steps of each batch, newest first, with the bytes that each displaced. */
  readonly batches: readonly { readonly steps: readonly (readonly [Step, (string | Buffer)?])[]; readonly folders?: readonly string[] }[];
  /** Bytes that later writes displaced. */
  readonly displaced?: readonly string[];
  /** Where files went since. */
  readonly moved?: Readonly<Record<string, string>>;
}

const like = { mode: 0o600, uid: 7, gid: 8, mtimeNs: 0n };
const AT = '2026-02-02T00:00:00.000Z';

/** Plans the undo of all batches. `reads`: how often later writes were searched for what they displaced. */
async function undone({ now, batches, displaced = [], moved = {} }: Past): Promise<Plan & { readonly searches: number }> {
  const intents = batches.map(({ steps, folders = [] }, index): Intent => ({
    format: 1,
    id: `batch${index}`,
    operation: 'test',
    agent: 'ada',
    timestamp: AT,
    steps: steps.map(([step]) => step),
    events: [],
    folders,
  }));
  let searches = 0;
  const options: UndoOptions = {
    async read(path, how) {
      const found = now[path];
      if (found === undefined) return null;
      const isLarge = typeof found === 'number';
      if (isLarge && how?.large !== 'read' && how?.large !== 'leave') throw new Error('too large');
      const bytes = isLarge ? Buffer.from(how?.large === 'read' ? 'whole' : 'not read') : Buffer.from(found);
      const state = { size: isLarge ? found : bytes.length } as FileState;
      return { path, bytes, hash: isLarge && how?.large === 'leave' ? 'stamp' : hashOf(bytes), isLinked: false, state };
    },
    batches: {
      read: (id) => intents.find((intent) => intent.id === id)!,
      before(intent, step) {
        const bytes = batches[intents.indexOf(intent)]?.steps[step]?.[1];
        if (bytes === undefined) throw new Error('nothing was displaced');
        return { bytes: Buffer.from(bytes), like };
      },
      displacedSince() {
        searches++;
        return (hash) => displaced.map((text) => Buffer.from(text)).find((bytes) => hashOf(bytes) === hash) ?? null;
      },
    },
    placeSince: (_, path) => Promise.resolve(moved[path] ?? path),
    danglingLinks: (removed, changed) => removed.map((path) => `${path} ${String(changed.has('kept.md'))}`),
    at: AT,
  };
  const plan = await planUndo(
    options,
    intents.map(({ id }) => id),
  );
  return { ...plan, searches };
}

const etag = (text: string | Buffer) => ({ etag: hashOf(text) });
const created = (path: string, text: string): readonly [Step] => [{ kind: 'create', path, after: hashOf(text) }];
const replaced = (path: string, before: string, after: string, changes: readonly unknown[] | null = null): readonly [Step, string] => [
  { kind: 'replace', path, before: hashOf(before), after: hashOf(after), changes, isCommutative: false },
  before,
];
const moved = (from: string, to: string, before: string, after = before, more: object = {}): readonly [Step, string] => [
  {
    kind: 'move',
    from,
    to,
    before: hashOf(before),
    after: hashOf(after),
    changes: null,
    isCommutative: false,
    over: null,
    keepsFrom: false,
    ...more,
  },
  before,
];
const removed = (path: string, before: string | Buffer): readonly [Step, string | Buffer] => [
  { kind: 'remove', path, before: hashOf(before), trash: null },
  before,
];
const conflict = (path: string) => ({ code: 'CONFLICT', details: { path, batch: 'batch0' } });

describe('X-08 undoing a creation', () => {
  it('removes the file as it is, with the folders that were made for it; one that is gone already needs nothing', async () => {
    const batches = [{ steps: [created('x/a.md', 'A\n'), created('gone.md', 'G\n')], folders: ['x'] }];
    expect(await undone({ now: { 'x/a.md': 'A\n', 'other.md': '' }, batches })).toMatchObject({
      files: [{ kind: 'remove', path: 'x/a.md', to: 'trash', expect: etag('A\n') }],
      events: [],
      emptied: ['x'],
      warnings: ['x/a.md false'],
    });
  });

  it('is refused where somebody wrote in the file, and not for revisions that roux counted itself', async () => {
    const text = '---\nrev: 1\n---\nA\n';
    const batches = [{ steps: [created('a.md', text)] }];
    const stamped = '---\nrev: 3\nupdated_at: 2026-01-01\n---\nA\n';
    expect((await undone({ now: { 'a.md': stamped }, batches, displaced: [text] })).files).toMatchObject([
      { kind: 'remove', path: 'a.md' },
    ]);
    await expect(undone({ now: { 'a.md': stamped }, batches })).rejects.toMatchObject(conflict('a.md'));
    await expect(undone({ now: { 'a.md': `${stamped}B\n` }, batches, displaced: [text] })).rejects.toMatchObject(conflict('a.md'));
    const canvas = [{ steps: [created('a.canvas', '{}')] }];
    await expect(undone({ now: { 'a.canvas': '{"x":1}' }, batches: canvas, displaced: ['{}'] })).rejects.toMatchObject(
      conflict('a.canvas'),
    );
  });

  it('removes the note where it is now, if it is called something else since', async () => {
    const batches = [{ steps: [created('a.md', 'A\n')] }];
    const since = { 'a.md': 'b.md' };
    expect((await undone({ now: { 'a.md': 'Other\n', 'b.md': 'A\n' }, batches, moved: since })).files).toEqual([
      { kind: 'remove', path: 'b.md', to: 'trash', expect: etag('A\n') },
    ]);
    // It is gone from there: what is at its path is looked at.
    await expect(undone({ now: { 'a.md': 'Other\n' }, batches, moved: since })).rejects.toMatchObject(conflict('a.md'));
    expect((await undone({ now: {}, batches, moved: since })).files).toEqual([]);
  });

  it('of a file that is too large to be written compares all of it', async () => {
    const now = { 'a.md': MAX_FILE_BYTES + 1 };
    expect((await undone({ now, batches: [{ steps: [created('a.md', 'whole')] }] })).files).toEqual([
      { kind: 'remove', path: 'a.md', to: 'trash', expect: { etag: 'stamp' } },
    ]);
    await expect(undone({ now, batches: [{ steps: [created('a.md', 'not read')] }] })).rejects.toMatchObject(conflict('a.md'));
  });
});

describe('X-08 undoing a removal', () => {
  it('brings the file back with its mode and owner, as text or as bytes', async () => {
    const bytes = Buffer.from([0xff, 0]);
    const { files, events } = await undone({ now: {}, batches: [{ steps: [removed('a.md', 'A\n'), removed('b.png', bytes)] }] });
    expect(files).toEqual([
      { kind: 'create-bytes', path: 'b.png', base64: bytes.toString('base64'), like },
      { kind: 'create', path: 'a.md', text: 'A\n', like },
    ]);
    expect(events).toEqual([
      { path: 'b.png', action: 'restored' },
      { path: 'a.md', action: 'restored' },
    ]);
  });

  it('is refused where another file has its name, but for one that the same undo takes away', async () => {
    const batches = [{ steps: [removed('a.md', 'A\n')] }];
    await expect(undone({ now: { 'a.md': 'B\n' }, batches })).rejects.toMatchObject(conflict('a.md'));
    // Creations and moves are taken back before.
    expect(
      (await undone({ now: { 'a.md': 'B\n' }, batches: [{ steps: [removed('a.md', 'A\n'), created('a.md', 'B\n')] }] })).files,
    ).toEqual([{ kind: 'change', path: 'a.md', changes: [{ op: 'text', text: 'A\n' }], expect: etag('B\n') }]);
    expect(
      (await undone({ now: { 'a.md': 'B\n' }, batches: [{ steps: [removed('a.md', 'A\n'), moved('b.md', 'a.md', 'B\n')] }] })).files,
    ).toMatchObject([
      { kind: 'create', path: 'a.md' },
      { kind: 'move', from: 'a.md', to: 'b.md' },
    ]);
  });
});

describe('X-08 undoing an edit', () => {
  const [before, after] = ['---\nx: 1\n---\none\n\ntwo\n\nthree\n', '---\nx: 2\n---\none\n\ntwo\n\nthree\n'];

  it('gives the former text back, for a note with its revision counted on', async () => {
    expect((await undone({ now: { 'a.md': after }, batches: [{ steps: [replaced('a.md', before, after)] }] })).files).toEqual([
      { kind: 'change', path: 'a.md', changes: [{ op: 'text', text: before }], expect: etag(after) },
    ]);
    const [was, is] = ['---\nrev: 1\nupdated_at: 2026-01-01\n---\nA\n', '---\nrev: 4\nupdated_at: y\n---\nB\n'];
    expect((await undone({ now: { 'a.md': is }, batches: [{ steps: [replaced('a.md', was, is)] }] })).files).toMatchObject([
      {
        changes: [
          { op: 'text', text: was },
          { op: 'set', key: ['rev'], value: 5 },
          { op: 'set', key: ['updated_at'], value: AT },
        ],
      },
    ]);
    // Where one of both counts no revisions, the text is what it was.
    for (const [one, other] of [
      [was, 'B\n'],
      ['B\n', is],
    ] as const)
      expect((await undone({ now: { 'a.md': other }, batches: [{ steps: [replaced('a.md', one, other)] }] })).files).toMatchObject([
        { changes: [{ op: 'text', text: one }] },
      ]);
  });

  it('of a file that is no note replaces all of it, for these bytes alone', async () => {
    const batches = [{ steps: [replaced('a.canvas', '{}', '{"é":1}')] }];
    expect((await undone({ now: { 'a.canvas': '{"é":1}' }, batches })).files).toEqual([
      { kind: 'splice', path: 'a.canvas', hash: hashOf('{"é":1}'), splices: [{ start: 0, end: 7, text: '{}' }] },
    ]);
    await expect(undone({ now: { 'a.canvas': '{"é":2}' }, batches, displaced: ['{"é":1}'] })).rejects.toMatchObject(conflict('a.canvas'));
  });

  it('keeps what somebody wrote since, by the changes that are recorded or by what a later write displaced', async () => {
    const now = { 'a.md': '---\nx: 2\n---\none\n\ntwo\n\nthree and mine\n' };
    const kept = { changes: [{ op: 'text', text: '---\nx: 1\n---\none\n\ntwo\n\nthree and mine\n' }] };
    const changes = [{ op: 'set', key: ['x'], value: 2 }];
    expect(await undone({ now, batches: [{ steps: [replaced('a.md', before, after, changes)] }] })).toMatchObject({
      files: [kept],
      searches: 0,
    });
    const twice = [{ steps: [replaced('a.md', before, after), created('b.md', 'B\n')] }];
    expect(await undone({ now: { ...now, 'b.md': 'B\n' }, batches: twice, displaced: [after] })).toMatchObject({
      files: [{}, kept],
      searches: 1,
    });
    await expect(undone({ now, batches: [{ steps: [replaced('a.md', before, after)] }] })).rejects.toMatchObject(conflict('a.md'));
    // Changes that do not lead to what was written tell nothing.
    await expect(
      undone({ now, batches: [{ steps: [replaced('a.md', before, after, [{ op: 'set', key: ['x'], value: 3 }])] }] }),
    ).rejects.toMatchObject(conflict('a.md'));
    const same = { 'a.md': '---\nx: 3\n---\none\n\ntwo\n\nthree\n' };
    await expect(undone({ now: same, batches: [{ steps: [replaced('a.md', before, after, changes)] }] })).rejects.toMatchObject(
      conflict('a.md'),
    );
  });

  it('is not kept from it by revisions that roux counted since', async () => {
    const was = '---\nx: 1\nrev: 1\n---\nA\n';
    const changes = [
      { op: 'set', key: ['x'], value: 2 },
      { op: 'touch', at: AT },
    ];
    const written = '---\nx: 2\nrev: 2\nupdated_at: 2026-02-02T00:00:00.000Z\n---\nA\n';
    const step = replaced('a.md', was, written, changes);
    const later = written.replace('rev: 2', 'rev: 9');
    expect((await undone({ now: { 'a.md': later }, batches: [{ steps: [step] }] })).files).toMatchObject([
      {
        changes: [
          { op: 'text', text: was },
          { op: 'set', key: ['rev'], value: 10 },
        ],
      },
    ]);
  });

  it('is refused for a note that is gone, and for one that is too large now', async () => {
    const batches = [{ steps: [replaced('a.md', before, after)] }];
    await expect(undone({ now: {}, batches })).rejects.toMatchObject(conflict('a.md'));
    await expect(undone({ now: { 'a.md': MAX_FILE_BYTES + 1 }, batches })).rejects.toMatchObject(conflict('a.md'));
  });

  it('is made in the note where it is now', async () => {
    const batches = [{ steps: [replaced('a.md', before, after)] }];
    expect((await undone({ now: { 'a.md': 'Other\n', 'b.md': after }, batches, moved: { 'a.md': 'b.md' } })).files).toMatchObject([
      { kind: 'change', path: 'b.md', expect: etag(after) },
    ]);
  });

  it('that left the bytes as they are is nothing', async () => {
    expect(await undone({ now: { 'a.md': after }, batches: [{ steps: [replaced('a.md', after, after)] }] })).toMatchObject({
      files: [],
      events: [],
    });
  });
});

describe('X-08 undoing moves', () => {
  it('takes the file back, with what was written in it since if the move changed nothing', async () => {
    const batches = [{ steps: [moved('a.md', 'b.md', 'A\n')] }];
    const back = { kind: 'move', from: 'b.md', to: 'a.md', changes: [] };
    expect(await undone({ now: { 'b.md': 'A\n' }, batches })).toMatchObject({
      files: [{ ...back, expect: etag('A\n') }],
      events: [{ path: 'a.md', action: 'restored' }],
    });
    expect((await undone({ now: { 'b.md': 'More\n' }, batches })).files).toEqual([{ ...back, expect: etag('More\n') }]);
    await expect(undone({ now: {}, batches })).rejects.toMatchObject(conflict('b.md'));
    await expect(undone({ now: { 'a.md': 'Other\n', 'b.md': 'A\n' }, batches })).rejects.toMatchObject(conflict('a.md'));
    // It may be too large to be read.
    expect((await undone({ now: { 'b.md': MAX_FILE_BYTES + 1 }, batches })).files).toEqual([{ ...back, expect: { etag: 'stamp' } }]);
  });

  it('gives the text back that the move changed, of a note and of another file', async () => {
    expect((await undone({ now: { 'b.md': 'B\n' }, batches: [{ steps: [moved('a.md', 'b.md', 'A\n', 'B\n')] }] })).files).toEqual([
      { kind: 'move', from: 'b.md', to: 'a.md', changes: [{ op: 'text', text: 'A\n' }], expect: etag('B\n') },
    ]);
    const canvas = { steps: [moved('a.canvas', 'b.canvas', '{}', '{"x":1}')] };
    expect((await undone({ now: { 'b.canvas': '{"x":1}' }, batches: [canvas] })).files).toEqual([
      {
        kind: 'move',
        from: 'b.canvas',
        to: 'a.canvas',
        changes: [],
        expect: etag('{"x":1}'),
        rewrite: { hash: hashOf('{"x":1}'), bytes: Buffer.from('{}') },
      },
    ]);
    expect((await undone({ now: { 'b.canvas': '{}' }, batches: [{ steps: [moved('a.canvas', 'b.canvas', '{}')] }] })).files).toEqual([
      { kind: 'move', from: 'b.canvas', to: 'a.canvas', changes: [], expect: etag('{}') },
    ]);
  });

  it('exchanges names back', async () => {
    const steps = [moved('a.md', 'b.md', 'A\n', 'A\n', { keepsFrom: true }), moved('b.md', 'a.md', 'B\n', 'B\n', { keepsFrom: true })];
    expect((await undone({ now: { 'b.md': 'A\n', 'a.md': 'B\n' }, batches: [{ steps }] })).files).toEqual([
      { kind: 'move', from: 'a.md', to: 'b.md', changes: [], expect: etag('B\n') },
      { kind: 'move', from: 'b.md', to: 'a.md', changes: [], expect: etag('A\n') },
    ]);
  });

  it('takes all batches as one: what came, moved and went again is nothing in the end', async () => {
    const batches = [
      { steps: [removed('b.md', 'A\n')] },
      { steps: [moved('a.md', 'b.md', 'A\n')] },
      { steps: [created('a.md', 'A\n')], folders: ['x'] },
    ];
    expect(await undone({ now: {}, batches })).toMatchObject({ files: [], events: [], emptied: ['x'] });
    // Two edits and a move become one move.
    const edits = [
      { steps: [replaced('b.md', 'B\n', 'C\n')] },
      { steps: [moved('a.md', 'b.md', 'B\n')] },
      { steps: [replaced('a.md', 'A\n', 'B\n')] },
    ];
    expect((await undone({ now: { 'b.md': 'C\n' }, batches: edits })).files).toEqual([
      { kind: 'move', from: 'b.md', to: 'a.md', changes: [{ op: 'text', text: 'A\n' }], expect: etag('C\n') },
    ]);
    expect(
      (
        await undone({
          now: { 'a.md': 'A\n', 'kept.md': 'K\n' },
          batches: [{ steps: [created('a.md', 'A\n'), replaced('kept.md', 'J\n', 'K\n')] }],
        })
      ).warnings,
    ).toEqual(['a.md true']);
  });
});
