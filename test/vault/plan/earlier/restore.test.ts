import { describe, expect, it } from 'vitest';
import { openGraph } from '../../../../src/graph/open-graph.ts';
import type { NoteChange } from '../../../../src/note/change.ts';
import type { HistoryEvent } from '../../../../src/store/records/history-event.ts';
import type { TrashEntry } from '../../../../src/store/records/trash.ts';
import type { Intent, Step } from '../../../../src/store/transaction/intent.ts';
import type { FileChange } from '../../../../src/vault/plan/plan.ts';
import { planRestore } from '../../../../src/vault/plan/earlier/restore.ts';
import type { RestoreOptions } from '../../../../src/vault/plan/earlier/restore.ts';
import { putFile } from '../../../graph/graph-of.ts';
import { historyEvent, memoryHistory } from '../past/memory-history.ts';

const AT = '2026-02-02T00:00:00.000Z';
const look = { mode: 0o600, uid: 7, gid: 8 };

interface Vault {
  /** Notes as they are now. */
  readonly notes?: Readonly<Record<string, string>>;
  readonly attachments?: readonly string[];
  /** What is restored, by path: its text, and the batch that removed it, `one` if none is given. */
  readonly removed: Readonly<Record<string, string | { readonly text: string; readonly batch: string }>>;
  /** What else each batch changed, with the text before. */
  readonly changed?: Readonly<
    Record<string, readonly { readonly path: string; readonly changes: readonly NoteChange[] | null; readonly before?: string }[]>
  >;
  readonly history?: readonly (readonly HistoryEvent[])[];
  readonly previous?: Readonly<Record<string, string>>;
  readonly options?: Partial<RestoreOptions>;
}

async function restored({ notes = {}, attachments = [], removed, changed = {}, history = [], previous = {}, options = {} }: Vault) {
  const graph = openGraph();
  for (const [path, text] of Object.entries(notes)) putFile(graph, { path, text });
  for (const path of attachments) graph.putAttachment(path);
  const texts = new Map<string, string>();
  const entries = Object.entries(removed).map(([path, one]): TrashEntry => {
    const { text, batch } = typeof one === 'string' ? { text: one, batch: 'one' } : one;
    texts.set(path, text);
    return { ref: `${batch}/${path}`, batch, path, file: '', size: text.length, removedAt: null };
  });
  let lookups = 0;
  const events = memoryHistory(...history);
  const plan = await planRestore(
    {
      graph,
      style: { format: 'shortest', markdown: false },
      filenames: 'title',
      at: AT,
      read: ({ path }) => ({ bytes: Buffer.from(texts.get(path) ?? ''), like: look }),
      batches: {
        read(id): Intent {
          const steps = changed[id]?.map(({ path, changes }): Step => ({
            kind: 'replace',
            path,
            before: '',
            after: '',
            changes,
            isCommutative: true,
          }));
          if (steps === undefined) throw new Error('pruned');
          return { format: 1, id, operation: '', agent: '', timestamp: AT, steps, events: [], folders: [] };
        },
        before({ id }, index) {
          const text = changed[id]?.[index]?.before;
          if (text === undefined) throw new Error('pruned');
          return { bytes: Buffer.from(text), like: { ...look, mtimeNs: 0n } };
        },
      },
      events,
      previousPaths: () => {
        lookups++;
        return Promise.resolve(new Map(Object.entries(previous)));
      },
      ...options,
    },
    entries,
  );
  return { ...plan, lookups, reads: events.reads };
}

const create = (path: string, text: string): FileChange => ({ kind: 'create', path, text, like: look });
const pathsOf = (files: readonly FileChange[]) => files.map((file) => (file.kind === 'move' ? file.to : file.path));

describe('X-15 what was removed comes back', () => {
  it('to its own path, byte for byte, with its mode and owner', async () => {
    expect(await restored({ notes: { 'x/a.md': '' }, removed: { 'a.md': 'A [[a]]\n', 'b.md': 'B\n' } })).toEqual({
      files: [create('a.md', 'A [[a]]\n'), create('b.md', 'B\n')],
      events: [
        { path: 'a.md', action: 'restored' },
        { path: 'b.md', action: 'restored' },
      ],
      lookups: 0,
      reads: [],
    });
  });

  it('to a free path where its own is taken, by a note or another file, in upper or lower case', async () => {
    const pathOf = async (vault: Vault) => pathsOf((await restored(vault)).files);
    expect(await pathOf({ notes: { 'A.md': '' }, removed: { 'a.md': '' } })).toEqual(['a 2.md']);
    expect(await pathOf({ notes: { 'a.md': '', 'a 2.md': '', 'A 3.md': '' }, removed: { 'a.md': '' } })).toEqual(['a 4.md']);
    expect(await pathOf({ attachments: ['p.png'], removed: { 'p.png': '' } })).toEqual(['p 2.png']);
    expect(await pathOf({ notes: { 'a.md': '' }, removed: { 'a.md': '' }, options: { filenames: 'slug' } })).toEqual(['a-2.md']);
    // Two that come back at once do not get one path.
    expect(await pathOf({ notes: { 'a.md': '' }, removed: { 'a.md': '', 'a 2.md': '' } })).toEqual(['a 2.md', 'a 2 2.md']);
    expect(await pathOf({ removed: { 'a.md': '', 'A.md': '' } })).toEqual(['a.md', 'A 2.md']);
  });

  it('says under which name, and its links to itself follow it', async () => {
    const text = 'See [[a#Part]], [[x/a|shown]], [[#Part]], [[b]] and [t](a.md).\n';
    const { files, warnings } = await restored({ notes: { 'x/a.md': '' }, removed: { 'x/a.md': text } });
    expect(files).toEqual([create('x/a 2.md', 'See [[x/a 2#Part]], [[x/a 2|shown]], [[#Part]], [[b]] and [t](x/a%202).\n')]);
    expect(warnings).toEqual(['Something else is called x/a.md by now, so what was removed came back as x/a 2.md.']);
    // No link in it is about itself.
    expect((await restored({ notes: { 'a.md': '' }, removed: { 'a.md': '[[b]]\n' } })).files).toEqual([create('a 2.md', '[[b]]\n')]);
    expect((await restored({ attachments: ['a.canvas'], removed: { 'a.canvas': '[[a]]' } })).files).toMatchObject([
      { kind: 'create-bytes', path: 'a 2.canvas', base64: Buffer.from('[[a]]').toString('base64') },
    ]);
  });
});

describe('X-15 links to what was removed, when its name is taken', () => {
  const removedEvent = (from: unknown, more: Partial<HistoryEvent> = {}): HistoryEvent =>
    historyEvent({
      seq: 9,
      action: 'deleted',
      batch: 'one',
      changes: [{ field: 'linked_from', before: from as never, after: null }],
      ...more,
    });
  const notes = {
    'a.md': '',
    'old.md': '---\nrev: 1\n---\n[[a#x]] [[a|A]] [[other]] [[nowhere]]\n',
    'plain.md': '[[a]]\n',
    'new.md': '[[a]]\n',
    'other.md': '',
    'none.md': '[[other]]\n',
  };
  const removed = { 'a.md': '' };

  it('follow it in the notes that linked to it, and stay in all others', async () => {
    const { files, warnings } = await restored({
      notes,
      removed,
      history: [[removedEvent(['old.md', 'plain.md', 'none.md', 'gone.md', 'p.png', 7])]],
    });
    const relink = [
      { form: 'wikilink', link: 'a#x', to: 'a 2#x' },
      { form: 'wikilink', link: 'a', to: 'a 2' },
    ];
    expect(files.slice(1)).toEqual([
      {
        kind: 'change',
        path: 'old.md',
        changes: [
          { op: 'relink', links: relink },
          { op: 'touch', at: AT },
        ],
      },
      { kind: 'change', path: 'plain.md', changes: [{ op: 'relink', links: relink.slice(1) }] },
    ]);
    expect(warnings).toEqual([
      'Something else is called a.md by now, so what was removed came back as a 2.md; links that old.md, plain.md had to it before it was removed lead there.',
    ]);
  });

  it('are found by the event of this removal, the newest segment first, and by an own line before a foreign one', async () => {
    const changedBy = async (...history: readonly (readonly HistoryEvent[])[]) => {
      const plan = await restored({ notes, removed, history });
      return { paths: pathsOf(plan.files.slice(1)), reads: plan.reads };
    };
    const [old, plain] = [removedEvent(['old.md']), removedEvent(['plain.md'])];
    expect(await changedBy([old], [plain])).toEqual({ paths: ['plain.md'], reads: ['1'] });
    expect(
      await changedBy(
        [old],
        [
          { ...plain, batch: 'two' },
          { ...plain, path: 'b.md' },
        ],
      ),
    ).toEqual({ paths: ['old.md'], reads: ['1', '0'] });
    expect((await changedBy([{ ...old, foreign: true }, plain])).paths).toEqual(['plain.md']);
    expect((await changedBy([{ ...old, foreign: true }])).paths).toEqual(['old.md']);
    expect((await changedBy([removedEvent(['old.md'], { changes: [] })])).paths).toEqual([]);
    expect((await changedBy([removedEvent('old.md')])).paths).toEqual([]);
    expect((await changedBy()).paths).toEqual([]);
  });

  it('follow it in a note that was moved since, whose former path the history knows', async () => {
    const history = [[removedEvent(['before.md', 'old.md'])]];
    const { files, lookups } = await restored({ notes, removed, history, previous: { 'before.md': 'plain.md', 'old.md': 'new.md' } });
    expect([pathsOf(files.slice(1)), lookups]).toEqual([['plain.md', 'old.md'], 1]);
    expect((await restored({ notes, removed, history: [[removedEvent(['old.md', 'plain.md'])]] })).lookups).toBe(0);
  });

  it('are written as the vault writes links', async () => {
    const style = { format: 'absolute', markdown: false } as const;
    const inFolder = { notes: { 'x/a.md': '', 'plain.md': '[[a]]\n' }, removed: { 'x/a.md': '' } };
    const linksOf = async (options: Partial<RestoreOptions>) => {
      const { files } = await restored({ ...inFolder, history: [[removedEvent(['plain.md'], { path: 'x/a.md' })]], options });
      return files[1];
    };
    expect(await linksOf({ style })).toMatchObject({ changes: [{ links: [{ to: 'x/a 2' }] }] });
    expect(await linksOf({})).toMatchObject({ changes: [{ links: [{ to: 'a 2' }] }] });
  });

  it('are named up to ten', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `n${index + 10}.md`);
    const warningOf = async (count: number) => {
      const linking = Object.fromEntries(many(count).map((path) => [path, '[[a]]\n']));
      return (await restored({ notes: { 'a.md': '', ...linking }, removed, history: [[removedEvent(many(count))]] })).warnings?.[0];
    };
    expect(await warningOf(10)).toContain('links that n10.md, n11.md, n12.md, n13.md, n14.md, n15.md, n16.md, n17.md, n18.md, n19.md had');
    expect(await warningOf(11)).toContain('n19.md and 1 more had');
  });
});

describe('X-04 what a removal took out of other notes', () => {
  const removed = { 'x/a.md': 'A\n' };
  const edges = async (change: NoteChange, more: Partial<Vault> & { readonly before?: string } = {}) => {
    const { before, ...vault } = more;
    const changed = { one: [{ path: 'n.md', changes: [change], ...(before === undefined ? {} : { before }) }] };
    return (await restored({ notes: { 'n.md': 'N\n' }, removed, changed, ...vault })).files.slice(1);
  };
  const change = (changes: readonly NoteChange[]): readonly FileChange[] => [{ kind: 'change', path: 'n.md' as never, changes }];

  it('are lines of relations, which are added once', async () => {
    const drop = (line: string, more: object = {}): NoteChange => ({ op: 'drop-line', section: 'Relations', line, ...more });
    const add = (line: string, more: object = {}) => change([{ op: 'add-line', section: 'Relations', line, unique: true, ...more }]);
    expect(await edges(drop('uses [[a]]: why'))).toEqual(add('uses [[a]]: why'));
    expect(await edges(drop('uses [[a#P|A]]', { apart: true }))).toEqual(add('uses [[a#P|A]]', { apart: true }));
    expect(await edges(drop('uses [[other]]'))).toEqual([]);
    expect(await edges(drop('no relation'))).toEqual([]);
    expect(await edges({ op: 'add-line', section: 'Relations', line: 'uses [[a]]' })).toEqual([]);
    // It came back under another name, which the line then has.
    const taken = { 'n.md': 'N\n', 'x/a.md': '' };
    expect(await edges(drop('uses [[x/a#P|A]]: [[x/a]]'), { notes: taken })).toEqual(add('uses [[x/a 2#P|A]]: [[x/a]]'));
    // The note counts revisions.
    expect(await edges(drop('uses [[a]]'), { notes: { 'n.md': '---\nrev: 2\n---\n' } })).toMatchObject([
      { changes: [{}, { op: 'touch', at: AT }] },
    ]);
  });

  it('are links in lists of properties, and whole properties that are not there by now', async () => {
    const take = (value: unknown): NoteChange => ({ op: 'take', key: ['up', 'in'], value: value as never });
    expect(await edges(take('[[a|A]]'))).toEqual(change([{ op: 'append', key: ['up', 'in'], value: '[[a|A]]', unique: true }]));
    for (const other of ['[[b]]', 'a', 7]) expect(await edges(take(other))).toEqual([]);
    const unset = (...key: readonly string[]): NoteChange => ({ op: 'unset', key });
    const before = '---\nup: " [[a]] "\nlist: ["[[a]]"]\n---\n';
    expect(await edges(unset('up'), { before })).toEqual(change([{ op: 'set', key: ['up'], value: ' [[a]] ' }]));
    expect(await edges(unset('list'), { before })).toEqual([]);
    expect(await edges(unset('none'), { before })).toEqual([]);
    expect(await edges(unset('up', 'in'), { before: '---\nup: "[[a]]"\n---\n' })).toEqual([]);
    expect(await edges(unset('up'))).toEqual([]);
    const set = { notes: { 'n.md': '---\nup: now\n---\n' }, before };
    expect(await edges(unset('up'), set)).toEqual([]);
    expect(await edges(unset('up'), { before, notes: { 'n.md': '---\nother: 1\n---\n', 'x/a.md': '' } })).toEqual(
      change([{ op: 'set', key: ['up'], value: ' [[x/a 2]] ' }]),
    );
  });

  it('stay away from notes that are gone, follow those that moved, and need what is kept of the removal', async () => {
    const drop: NoteChange = { op: 'drop-line', section: 'Relations', line: 'uses [[a]]' };
    const changed = {
      one: [
        { path: 'was.md', changes: [drop] },
        { path: 'p.canvas', changes: null },
        { path: 'n.md', changes: null },
      ],
    };
    const planned = async (more: Partial<Vault>) => await restored({ notes: { 'n.md': 'N\n' }, removed, changed, ...more });
    expect(pathsOf((await planned({})).files)).toEqual(['x/a.md']);
    expect(pathsOf((await planned({ previous: { 'was.md': 'n.md' } })).files)).toEqual(['x/a.md', 'n.md']);
    expect((await planned({ notes: { 'n.md': '', 'was.md': '' } })).lookups).toBe(0);
    expect(pathsOf((await planned({ changed: {} })).files)).toEqual(['x/a.md']);
    expect(pathsOf((await planned({ changed: { one: [{ path: 'p.canvas', changes: [drop] }] } })).files)).toEqual(['x/a.md']);
    // What another batch took out stays so.
    const two = {
      removed: { 'x/a.md': { text: '', batch: 'two' } },
      changed: { two: [{ path: 'n.md', changes: [] }], one: [{ path: 'n.md', changes: [drop] }] },
    };
    expect(pathsOf((await planned(two)).files)).toEqual(['x/a.md']);
    const both = {
      removed: { 'x/a.md': { text: '', batch: 'two' }, 'b.md': { text: '', batch: 'one' } },
      changed: { two: [{ path: 'n.md', changes: [] }], one: [{ path: 'n.md', changes: [drop] }] },
    };
    expect(pathsOf((await planned(both)).files)).toEqual(['x/a.md', 'b.md']);
    const once = await planned({
      removed: { 'x/a.md': '', 'b.md': '' },
      changed: { one: [{ path: 'n.md', changes: [drop, { op: 'drop-line', section: 'Relations', line: 'uses [[b]]' }] }] },
    });
    expect(once.files.slice(2)).toMatchObject([{ path: 'n.md', changes: [{ line: 'uses [[a]]' }, { line: 'uses [[b]]' }] }]);
  });
});
