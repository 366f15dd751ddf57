import { afterEach, describe, expect, it, vi } from 'vitest';
import { RouxError } from '../../../src/errors.ts';
import type { NoteChange } from '../../../src/note/change.ts';
import { MAX_FILE_BYTES, hashOf } from '../../../src/store/folder/hash.ts';
import { createOrigin } from '../../../src/store/origin.ts';
import { encodeIntent } from '../../../src/store/transaction/intent.ts';
import type { Step } from '../../../src/store/transaction/intent.ts';
import type { FileChange, Plan } from '../../../src/vault/plan/plan.ts';
import type { WriterOptions } from '../../../src/vault/plan/writer.ts';
import { notePath } from '../../crash/scenarios.ts';
import { openTestWriter } from '../../support/open-test-writer.ts';
import type { TestWriter, TestWriterOptions } from '../../support/open-test-writer.ts';
import { simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import type { SimulatedDisk } from '../../support/simulated/simulated-disk.ts';
import { simulatedProcess } from '../../support/simulated/simulated-process.ts';
import { testPorts } from '../../support/test-ports.ts';

const meta = { operation: 'test', agent: 'ada' };
const change = (path: string, changes: readonly NoteChange[] = [{ op: 'set', key: ['x'], value: 1 }]): FileChange => ({
  kind: 'change',
  path: notePath(path),
  changes,
});
const remove = (path: string): FileChange => ({ kind: 'remove', path, to: 'trash' });
const plan =
  (...files: readonly FileChange[]) =>
  (): Plan => ({ files });

interface Vault {
  readonly disk: SimulatedDisk;
  readonly writer: TestWriter;
  /** How the graph was brought up to date, call by call, and which paths were read into it. */
  readonly calls: unknown[];
}

/** A vault in memory. `overrides`: what the writer gets, beside a record of what it calls. */
function openVault(
  notes: Readonly<Record<string, string>>,
  overrides: Partial<WriterOptions> = {},
  { config, shared }: { config?: TestWriterOptions['config']; shared?: SimulatedDisk } = {},
): Vault {
  const disk = shared ?? simulatedDisk(notes);
  const calls: unknown[] = [];
  const options = {
    root: disk.root,
    files: disk.files,
    reader: disk.reader,
    identity: simulatedProcess(shared === undefined ? 1 : 2, () => true),
    ...(config === undefined ? {} : { config }),
  };
  const writer: TestWriter = openTestWriter({
    ...options,
    overrides: {
      catchUp: (depth) => (calls.push(depth), Promise.resolve()),
      index: (paths, how) => {
        // What roux did not do, or may not have done, may be a loss.
        calls.push(how?.isWhole === true ? { others: [...paths] } : [...paths]);
        writer.index(paths);
      },
      ...overrides,
    },
  });
  return { disk, writer, calls };
}

const logged = (): { log: string[]; ports: ReturnType<typeof testPorts> } => {
  const log: string[] = [];
  return { log, ports: testPorts(log) };
};

afterEach(() => void vi.restoreAllMocks());

describe('F15 a dry run', () => {
  it('has the diffs and hashes of what would change, after bringing the graph up to date, and writes nothing', async () => {
    const { disk, writer, calls } = openVault({ 'a.md': 'A\n', 'b.md': '---\nx: 1\n---\nB\n' });
    const told: unknown[] = [];
    const done = await writer.write({ ...meta, dryRun: true, onDryRun: (one) => told.push(one) }, plan(change('a.md'), change('b.md')));
    expect(done).toMatchObject({ batch: null, events: [], files: [{ hash: hashOf('---\nx: 1\n---\nA\n') }, { changed: false }] });
    expect(done.diffs).toMatchObject([{ from: 'a.md', to: 'a.md' }]);
    expect(done.diff).toBe(done.diffs?.[0]?.diff);
    expect([told, calls, disk.all()]).toEqual([[done], ['changed'], { 'a.md': 'A\n', 'b.md': '---\nx: 1\n---\nB\n' }]);
    const refuse = () => {
      throw new Error('not shown');
    };
    await expect(writer.write({ ...meta, dryRun: true, onDryRun: refuse }, plan(change('a.md')))).rejects.toThrow('not shown');
    await expect(writer.write({ ...meta, dryRun: true, check: refuse }, plan(change('a.md')))).rejects.toThrow('not shown');
    await writer.close();
  });

  it('answers where nothing may be written: read-only, asked to end, another version', async () => {
    const { writer } = openVault({ 'a.md': 'A\n' }, {}, { config: { readOnly: true } });
    expect((await writer.write({ ...meta, dryRun: true }, plan(change('a.md')))).diff).toContain('+x: 1');
    const stopped = openVault({ 'a.md': 'A\n' }).writer;
    stopped.stop();
    expect((await stopped.write({ ...meta, dryRun: true }, plan(change('a.md')))).diff).toContain('+x: 1');
    const based = { version: '0-0000000000000000', isChecked: false };
    await expect(stopped.write({ ...meta, dryRun: true, basedOn: based }, plan())).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});

describe('a write', () => {
  it('E-33 is refused for a vault at another version, of which the edits are named that nobody recorded yet', async () => {
    const { disk, writer } = openVault({ 'a.md': 'A\n', 'b.md': 'B\n' });
    const based = () => ({ version: writer.version(), isChecked: false });
    const then = based();
    await writer.write({ ...meta, basedOn: based() }, plan(change('a.md')));
    writer.graph.onChange((changes) => writer.follow(changes));
    disk.save('b.md', 'By a person\n');
    writer.index(['b.md']);
    const refused = { code: 'CONFLICT', details: { changed: ['b.md', 'a.md'] } };
    await expect(writer.checkVersion({ ...then })).rejects.toMatchObject(refused);
    await expect(writer.checkVersion(undefined)).resolves.toBeUndefined();
    await expect(writer.write({ ...meta, basedOn: { ...then } }, plan(change('a.md')))).rejects.toMatchObject(refused);
    await expect(writer.write({ ...meta, basedOn: based() }, plan(change('a.md')))).resolves.toMatchObject({ batch: null });
    await writer.close();
  });

  it('reads what other processes wrote into the graph before it plans', async () => {
    const { disk, writer, calls } = openVault({ 'a.md': 'A\n', 'b.md': 'B\n' });
    const other = openVault({}, {}, { shared: disk });
    await writer.write(meta, plan(change('a.md')));
    expect(calls).toEqual(['changed', ['a.md']]);
    calls.length = 0;
    await other.writer.write(meta, plan(change('b.md')));
    await writer.write(meta, (graph) => {
      expect(graph.get('b.md')?.properties['x']).toBe(1);
      return { files: [] };
    });
    expect(calls).toEqual([{ others: ['b.md'] }, 'changed']);
    // Lines of the history are gone: what happened is unknown.
    const segment = disk.files.list('.roux/history')?.find(({ name }) => name.endsWith('.jsonl'))?.name ?? '';
    disk.save(`.roux/history/${segment}`, '');
    calls.length = 0;
    await writer.write(meta, plan());
    expect(calls).toEqual(['strict']);
    await other.writer.close();
    await writer.close();
  });

  it('tells its batch once it is done, and has what it wrote whatever comes later', async () => {
    const { disk, writer } = openVault({ 'a.md': 'A\n', 'p.png': 'P' });
    const batches: string[] = [];
    const told = { ...meta, onCommitted: (batch: string) => void batches.push(batch) };
    const done = await writer.write(told, plan(change('a.md'), { kind: 'move', from: 'p.png', to: 'q.png', changes: [] }));
    expect(batches).toEqual([done.batch]);
    expect(done.files.map(({ hash }) => hash)).toEqual([hashOf('---\nx: 1\n---\nA\n'), hashOf('P')]);
    disk.save('a.md', 'later\n');
    expect(done.written?.('a.md')?.note.text).toBe('---\nx: 1\n---\nA\n');
    expect([done.written?.('b.md'), done.written?.('q.png')]).toEqual([null, null]);
    expect(await writer.write(told, plan())).toMatchObject({ batch: null, warnings: [] });
    expect(batches).toHaveLength(1);
    await writer.close();
  });

  it('gives the graph the bytes that it wrote, by the path where they are', async () => {
    const given: Parameters<WriterOptions['index']>[] = [];
    const { disk, writer } = openVault(
      { 'a.md': 'A\n', 'b.md': 'B\n', 'c.md': 'C\n', 'd.md': 'D\n', 'same.md': '---\nx: 1\n---\n' },
      { index: (paths, how) => void given.push([[...paths].sort(), how]) },
    );
    await writer.write(
      meta,
      plan(
        change('same.md'),
        { kind: 'create', path: 'n.md', text: 'N\n' },
        change('a.md'),
        { kind: 'move', from: 'b.md', to: 'b2.md', changes: [{ op: 'set', key: ['x'], value: 1 }] },
        { kind: 'move', from: 'c.md', to: 'c2.md', changes: [] },
        remove('d.md'),
        { kind: 'bring-back', path: 'large.md', bytes: Buffer.alloc(MAX_FILE_BYTES + 1, 'x') },
      ),
    );
    const [[paths, how] = [[], undefined]] = given;
    expect(paths).toEqual(['a.md', 'b.md', 'b2.md', 'c.md', 'c2.md', 'd.md', 'large.md', 'n.md']);
    expect(how?.isOwn).toBe(true);
    const texts = [...(how?.own ?? [])].map(([path, { bytes, hash, state }]) => {
      expect(state.ino).toBe(disk.files.stat(path)?.ino);
      expect(hash).toBe(hashOf(bytes));
      return [path, bytes.toString()];
    });
    expect(texts).toEqual([
      ['n.md', 'N\n'],
      ['a.md', '---\nx: 1\n---\nA\n'],
      ['b2.md', '---\nx: 1\n---\nB\n'],
    ]);
    await writer.write(meta, plan(change('a.md')));
    expect(given).toHaveLength(1);
    await writer.close();
  });

  it('is done also where its files cannot be read again, which it tells', async () => {
    const index = () => {
      throw new Error('EIO');
    };
    const { disk, writer } = openVault({ 'a.md': 'A\n' }, { index });
    const done = await writer.write(meta, () => ({ files: [change('a.md')], warnings: ['of the plan'] }));
    expect(done.warnings).toEqual(['of the plan', expect.stringContaining('This is written')]);
    expect(disk.visible()).toEqual({ 'a.md': '---\nx: 1\n---\nA\n' });
  });

  it('H-14 tells of links that a note lost in a save that may not be finished, in a dry run as well', async () => {
    const left: unknown[] = [];
    const links = [{ from: 'b.md', to: 'a.md' }];
    let linksTo = links;
    const { writer } = openVault(
      { 'a.md': 'A\n' },
      { unsettled: { linksTo: () => linksTo }, onUnsettled: (found) => void left.push(found) },
    );
    const move = plan({ kind: 'move', from: 'a.md', to: 'z.md', changes: [] });
    expect((await writer.write({ ...meta, dryRun: true }, move)).warnings).toHaveLength(1);
    expect(left).toEqual([]);
    expect((await writer.write(meta, move)).warnings).toEqual([expect.stringMatching(/^b\.md .*a\.md/)]);
    expect(left).toEqual([links]);
    linksTo = [];
    await writer.write(meta, plan({ kind: 'move', from: 'z.md', to: 'a.md', changes: [] }));
    expect(left).toHaveLength(1);
    await writer.close();
  });

  it('removes the folders that its plan leaves empty', async () => {
    const { disk, writer } = openVault({ 'x/y/a.md': 'A\n', 'v/b.md': 'B\n', 'k/c.md': 'C\n' });
    await writer.write(meta, () => ({
      files: [
        { kind: 'move', from: 'x/y/a.md', to: 'a.md', changes: [] },
        { kind: 'move', from: 'v/b.md', to: 'b.md', changes: [] },
        { kind: 'move', from: 'k/c.md', to: 'c.md', changes: [] },
      ],
      emptied: ['x'],
      vacated: ['v'],
    }));
    expect(disk.files.list('')?.flatMap(({ name, kind }) => (kind === 'folder' ? [name] : []))).toEqual(['.roux', 'k']);
    await writer.close();
  });

  it('is refused where a name that differs by case only is taken', async () => {
    const { writer } = openVault({ 'x/a.md': 'A\n' });
    const create = (path: string) => writer.write(meta, plan({ kind: 'create', path, text: '' }));
    await expect(create('x/A.md')).rejects.toMatchObject({ code: 'NODE_EXISTS' });
    await expect(create('y/a.md')).resolves.toMatchObject({ files: [{ changed: true }] });
    await writer.close();
  });

  it('F18 of a key that was used is answered as the first, on any version; an answer that is none is refused', async () => {
    const { writer } = openVault({ 'a.md': 'A\n' });
    const keyed = { ...meta, idempotencyKey: 'k', payloadHash: 'p' };
    const first = await writer.write(keyed, plan(change('a.md')));
    const basedOn = { version: '0-0000000000000000', isChecked: false };
    expect(await writer.write({ ...keyed, basedOn }, plan(remove('a.md')))).toMatchObject({
      batch: first.batch,
      isReplay: true,
      files: [{}],
    });
    expect(basedOn.isChecked).toBe(true);
    expect((await writer.write(keyed, plan())).events).toEqual(first.events);
    await writer.store.transact({ ...keyed, idempotencyKey: 'other' }, () => Promise.resolve({ changes: [], answer: () => 'no answer' }));
    await expect(writer.write({ ...keyed, idempotencyKey: 'other' }, plan())).rejects.toMatchObject({ code: 'IO_ERROR' });
    await writer.close();
  });
});

describe('a vault that cannot be written', () => {
  it('F17 after it was asked to end no write begins, also not one that waited', async () => {
    const { disk, writer } = openVault({ 'a.md': 'A\n' });
    writer.stop();
    const refused = { code: 'CANCELLED', retryable: true };
    await expect(writer.write(meta, plan(change('a.md')))).rejects.toMatchObject(refused);
    let stop = (): void => undefined;
    const late = openVault({ 'a.md': 'A\n' }, { rootCheck: { look: () => 'back' }, catchUp: async () => stop() });
    stop = () => late.writer.stop();
    await expect(late.writer.write(meta, plan(change('a.md')))).rejects.toMatchObject(refused);
    const queued = openVault({ 'a.md': 'A\n' });
    const first = queued.writer.write(meta, () => {
      queued.writer.stop();
      return { files: [change('a.md')] };
    });
    const second = queued.writer.write(meta, plan(remove('a.md')));
    await expect(second).rejects.toMatchObject(refused);
    expect((await first).batch).not.toBeNull();
    expect([disk.visible(), queued.disk.visible()]).toEqual([{ 'a.md': 'A\n' }, { 'a.md': '---\nx: 1\n---\nA\n' }]);
  });

  it('F31 without its folder it is not written; when that is back the graph is made current first', async () => {
    let found: 'gone' | 'back' | 'there' = 'gone';
    const { disk, writer, calls } = openVault({ 'a.md': 'A\n' }, { rootCheck: { look: () => found } });
    await expect(writer.write(meta, plan(change('a.md')))).rejects.toBeInstanceOf(Error);
    expect([disk.all(), calls]).toEqual([{ 'a.md': 'A\n' }, []]);
    expect((await writer.history({ node: 'a.md', limit: 1 })).events).toEqual([]);
    found = 'back';
    await writer.write(meta, plan(change('a.md')));
    expect(calls).toEqual(['strict', 'changed', ['a.md']]);
    await writer.close();
  });
});

/** A vault whose writer hears of what is read into its graph. */
function openFollowed(
  notes: Readonly<Record<string, string>>,
  overrides: Partial<WriterOptions> = {},
  more: Parameters<typeof openVault>[2] = {},
) {
  const vault = openVault(notes, overrides, more);
  vault.writer.graph.onChange((changes) => vault.writer.follow(changes));
  const save = (path: string, text: string): void => {
    vault.disk.save(path, text);
    vault.writer.index([path]);
  };
  return { ...vault, save };
}

describe('S1-88 edits from outside', () => {
  const timersOf = () => {
    const timers: { run: () => void; afterMs: number }[] = [];
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, afterMs: number) => {
      timers.push({ run, afterMs });
      return { unref: () => undefined };
    }) as never);
    return timers;
  };

  it('are recorded three seconds after the last one, a rename sooner', async () => {
    const { writer, save, disk } = openFollowed({ 'a.md': 'A\n', 'b.md': 'B\n' });
    const cleared = vi.spyOn(globalThis, 'clearTimeout');
    const timers = timersOf();
    writer.follow([]);
    expect(timers).toEqual([]);
    save('a.md', 'A2\n');
    expect(timers.map(({ afterMs }) => afterMs)).toEqual([3000]);
    const before = cleared.mock.calls.length;
    save('a.md', 'A3\n');
    expect(cleared.mock.calls.length).toBeGreaterThan(before);
    const [was] = [writer.graph.get('b.md')];
    disk.move('b.md', 'c.md');
    writer.follow([{ before: was, after: { ...was!, hash: was!.hash, path: notePath('c.md') } as never }]);
    expect(timers.map(({ afterMs }) => afterMs)).toEqual([3000, 3000, 250]);
    vi.restoreAllMocks();
    timers[1]?.run();
    await writer.write(meta, plan());
    expect((await writer.store.records.events.read(writer.store.records.events.names()[0] ?? '')).map(({ path }) => path)).toEqual([
      'a.md',
      'c.md',
    ]);
    await writer.close();
  });

  it('X-26 are recorded when noticed or by the next write alone, and shown in either case', async () => {
    const late = openFollowed({ 'a.md': 'A\n' }, { isRecording: false });
    const timers = timersOf();
    late.save('a.md', 'A2\n');
    expect(timers).toEqual([]);
    vi.restoreAllMocks();
    expect(late.writer.hasUnrecordedEdits()).toBe(true);
    const external = { agent: 'external', path: 'a.md', seq: 1 };
    expect(await late.writer.unrecorded()).toMatchObject([external]);
    expect((await late.writer.history({ node: 'a.md', limit: 9 })).events).toMatchObject([external]);
    expect((await late.writer.histories({ nodes: ['a.md'], limit: 9 })).get('a.md')).toMatchObject([external]);
    expect(late.disk.files.list('.roux/history')?.filter(({ kind }) => kind === 'file') ?? []).toEqual([]);
    await late.writer.write(meta, plan(change('a.md')));
    expect(late.writer.hasUnrecordedEdits()).toBe(false);
    expect((await late.writer.history({ node: 'a.md', limit: 9 })).events).toMatchObject([{ agent: 'ada', seq: 2 }, external]);
    await late.writer.close();
  });

  it('are told with the history of a note, recorded before, but not for a call that is refused anyway', async () => {
    const { writer, save } = openFollowed({ 'a.md': 'A\n' });
    save('a.md', 'A2\n');
    expect(writer.hasUnrecordedEdits()).toBe(false);
    const events = () => writer.store.records.events;
    expect((await writer.history({ node: 'a.md', limit: 9, withoutRecording: true })).events).toHaveLength(1);
    expect(await writer.histories({ nodes: [], limit: 9 })).toEqual(new Map());
    expect(events().names()).toEqual([]);
    expect((await writer.histories({ nodes: ['a.md'], limit: 9 })).get('a.md')).toHaveLength(1);
    expect(events().names()).toHaveLength(1);
    save('a.md', 'A3\n');
    await writer.close();
    expect(await events().read(events().names()[0] ?? '')).toHaveLength(2);
  });

  it('are not recorded in a vault that is open for reading only, nor while its folder is gone', async () => {
    const readOnly = openFollowed({ 'a.md': 'A\n' }, {}, { config: { readOnly: true } });
    readOnly.save('a.md', 'A2\n');
    expect(readOnly.writer.hasUnrecordedEdits()).toBe(true);
    expect((await readOnly.writer.history({ node: 'a.md', limit: 9 })).events).toHaveLength(1);
    await readOnly.writer.close();
    expect(Object.keys(readOnly.disk.all())).toEqual(['a.md']);
    const gone = openFollowed({ 'a.md': 'A\n' }, { rootCheck: { look: () => 'gone' } });
    gone.save('a.md', 'A2\n');
    await gone.writer.close();
    expect(Object.keys(gone.disk.all())).toEqual(['a.md']);
  });

  it('that cannot be recorded are logged, and a write that was seen by halves is looked at once more', async () => {
    const { log, ports } = logged();
    const catchUp = () => Promise.reject(new Error('EIO'));
    const failing = openFollowed({ 'a.md': 'A\n' }, { catchUp, ports });
    failing.save('a.md', 'A2\n');
    await failing.writer.close();
    expect(log).toEqual(['Edits from outside could not be recorded: EIO']);
    const { writer, save, disk } = openFollowed({ 'a.md': 'A\n' });
    save('a.md', 'half\n');
    // Taken back, which nobody has seen.
    disk.save('a.md', 'A\n');
    await writer.write(meta, plan());
    expect(writer.store.records.events.names()).toEqual([]);
    await writer.close();
  });

  it('that a write of this process is are none', async () => {
    const { writer } = openFollowed({ 'a.md': 'A\n' });
    await writer.write(meta, plan(change('a.md')));
    expect((await writer.history({ node: 'a.md', limit: 9 })).events).toMatchObject([{ agent: 'ada' }]);
    await writer.close();
  });
});

describe('H-17 the history after a crash', () => {
  it('has what became of an unfinished write, whose files are read again', async () => {
    const { disk, writer } = openVault({ 'a.md': 'A\n', 'b.md': 'B\n' });
    let calls = 0;
    disk.onCall(({ method, path }) => {
      // The first file has its new text.
      if (method === 'rename' && path.endsWith('.md') && ++calls > 1) throw new Error('killed');
    });
    await writer.write(meta, plan(change('a.md'), change('b.md'))).catch(() => undefined);
    const later = openVault({}, {}, { shared: disk.afterKill() });
    expect((await later.writer.history({ node: 'a.md', limit: 9 })).events.length).toBeLessThanOrEqual(1);
    await later.writer.close();
  });

  it('is refused while it cannot be ended, and told while somebody else writes', async () => {
    const failing = (code: 'IO_ERROR' | 'LOCK_TIMEOUT') => {
      const vault = openVault({ 'a.md': 'A\n' });
      const store = {
        ...vault.writer.store,
        records: vault.writer.store.records,
        recover: () => Promise.reject(new RouxError(code, 'why')),
      };
      return openVault({ 'a.md': 'A\n' }, { store: store as never }).writer;
    };
    const query = { node: 'a.md', limit: 1 };
    const refused = { code: 'IO_ERROR', retryable: true, message: expect.stringMatching(/unfinished write .* why/) };
    await expect(failing('IO_ERROR').history(query)).rejects.toMatchObject(refused);
    await expect(failing('IO_ERROR').histories({ nodes: ['a.md'], limit: 1 })).rejects.toMatchObject(refused);
    await expect(failing('IO_ERROR').histories({ nodes: [], limit: 1 })).resolves.toEqual(new Map());
    await expect(failing('IO_ERROR').history({ ...query, withoutRecording: true })).resolves.toMatchObject({ events: [] });
    await expect(failing('LOCK_TIMEOUT').history(query)).resolves.toMatchObject({ events: [] });
    await expect(failing('LOCK_TIMEOUT').histories({ nodes: ['a.md'], limit: 1 })).resolves.toMatchObject(new Map([['a.md', []]]));
  });

  it('reads the files of a write that was ended, and none where there was none', async () => {
    const { writer } = openVault({ 'a.md': 'A\n' });
    for (const paths of [['a.md'], []]) {
      const store = { ...writer.store, recover: () => Promise.resolve(paths) };
      const { writer: other, calls } = openVault({ 'a.md': 'A\n' }, { store: store as never });
      await other.history({ node: 'a.md', limit: 1 });
      expect(calls).toEqual(paths.length === 0 ? [] : [paths]);
    }
  });
});

describe('X-08 undo', () => {
  it('takes back what an agent wrote, with a warning of links that lead nowhere then', async () => {
    const { disk, writer } = openVault({ 'b.md': '[[a]]\n', 'c.md': 'C\n' });
    await writer.write(meta, plan({ kind: 'create', path: 'x/a.md', text: 'A\n' }, change('c.md')));
    const undone = await writer.undo({ ...meta, agent: 'bob' }, { agent: 'ada' });
    expect(disk.visible()).toEqual({ 'b.md': '[[a]]\n', 'c.md': 'C\n' });
    expect(disk.files.list('x')).toBeNull();
    expect(undone.warnings).toEqual(['b.md: the link to a now leads nowhere.']);
    expect(undone.events.map(({ action }) => action)).toEqual(['restored', 'deleted']);
    await writer.close();
  });

  it('follows a note that was renamed since', async () => {
    const { disk, writer } = openVault({ 'a.md': 'A\n' });
    const { batch } = await writer.write(meta, plan(change('a.md')));
    await writer.write(meta, plan({ kind: 'move', from: 'a.md', to: 'b.md', changes: [] }));
    await writer.undo(meta, { batch: batch ?? '' });
    expect(disk.visible()).toEqual({ 'b.md': 'A\n' });
    await writer.close();
  });

  it('of a removal empties the trash of what is back, and leaves there what another removal put there', async () => {
    const { disk, writer } = openVault({ 'a.md': 'A\n', 'b.md': 'B\n' });
    const trash = () => writer.store.records.trash.list().map(({ path }) => path);
    const first = await writer.write(meta, plan(remove('a.md')));
    await writer.write(meta, plan(remove('b.md')));
    await writer.undo({ ...meta, dryRun: true }, { batch: first.batch ?? '' });
    expect([trash(), Object.keys(disk.visible())]).toEqual([['b.md', 'a.md'], []]);
    await writer.undo(meta, { batch: first.batch ?? '' });
    expect([trash(), Object.keys(disk.visible())]).toEqual([['b.md'], ['a.md']]);
    await writer.close();
  });

  it('of a creation, undone, empties the trash of the same bytes at the same place alone', async () => {
    const { writer } = openVault({ 'a.md': 'A\n' });
    const trash = () => writer.store.records.trash.list().map(({ path }) => path);
    const made = await writer.write(
      meta,
      plan({ kind: 'create', path: 'n.md', text: 'N\n' }, { kind: 'create', path: 'm.md', text: 'M\n' }),
    );
    const undone = await writer.undo(meta, { batch: made.batch ?? '' });
    expect(trash()).toEqual(['m.md', 'n.md']);
    await writer.write(meta, plan({ kind: 'create', path: 'm.md', text: 'Other\n' }));
    await writer.write(meta, plan(remove('m.md')));
    const again = await writer.undo(meta, { batch: undone.batch ?? '' });
    expect(again.files.map(({ path }) => path).toSorted()).toEqual(['m.md', 'n.md']);
    // Of the two named m.md only the one that came back is gone.
    expect(trash()).toEqual(['m.md']);
    await writer.close();
  });

  it('that cannot clean up is done all the same, and logged', async () => {
    const { log, ports } = logged();
    const { disk, writer } = openVault({ 'a.md': 'A\n' }, { ports });
    const { batch } = await writer.write(meta, plan(remove('a.md')));
    disk.onCall(({ method, path }) => {
      if (method === 'remove' && path.startsWith('.roux/trash')) throw new Error('EIO of the trash');
      if (method === 'rename' && path.startsWith('.roux/history/batches')) throw new Error('EIO of the trash');
    });
    await writer.undo(meta, { batch: batch ?? '' });
    expect([disk.visible(), log]).toEqual([{ 'a.md': 'A\n' }, ['EIO of the trash']]);
    disk.onCall(null);
    await writer.close();
  });
});

describe('X-15 restore', () => {
  it('brings back what was removed and takes it from the trash, but not in a dry run', async () => {
    const { disk, writer } = openVault({ 'a.md': 'A\n' });
    await writer.write(meta, plan(remove('a.md')));
    await writer.restore({ ...meta, dryRun: true }, 'a.md');
    expect([Object.keys(disk.visible()), writer.store.records.trash.list().length]).toEqual([[], 1]);
    const done = await writer.restore(meta, 'a.md');
    expect(done.events).toMatchObject([{ action: 'restored', path: 'a.md' }]);
    expect([disk.visible(), writer.store.records.trash.list()]).toEqual([{ 'a.md': 'A\n' }, []]);
    await writer.close();
  });

  it('puts links back in a note that was moved since, as this vault names and links', async () => {
    const { disk, writer } = openVault(
      { 'x/a.md': 'A\n', 'b.md': 'See [[x/a]].\n' },
      {
        config: { readOnly: false, filenames: 'slug' },
        settings: { linkStyle: () => ({ format: 'absolute', markdown: false }), config: { writes: { blind: 'warn', stamp: false } } },
      },
    );
    await writer.write(meta, plan(remove('x/a.md')));
    await writer.write(meta, plan({ kind: 'move', from: 'b.md', to: 'c.md', changes: [] }));
    await writer.write(meta, plan({ kind: 'create', path: 'x/a.md', text: 'New\n' }));
    const done = await writer.restore(meta, 'x/a.md');
    expect(disk.visible()).toEqual({ 'x/a.md': 'New\n', 'x/a-2.md': 'A\n', 'c.md': 'See [[x/a-2]].\n' });
    expect(done.warnings).toHaveLength(1);
    await writer.close();
  });
});

describe('F28 an unfinished write that was put aside', () => {
  const id = 'a'.repeat(26);
  const putAside = (disk: SimulatedDisk, steps: readonly Step[], images: Readonly<Record<number, string>>): void => {
    const intent = {
      format: 1,
      id,
      operation: 'test',
      agent: 'ada',
      timestamp: '2026-01-01T00:00:00.000Z',
      steps,
      events: [],
      folders: [],
    };
    disk.save(`.roux/journal/rejected/${id}.json`, encodeIntent(intent, createOrigin(disk.files, testPorts())).toString('utf8'));
    for (const [index, text] of Object.entries(images)) disk.save(`.roux/journal/rejected/${id}.${index}`, text);
  };

  it('is completed as a new write, and forgotten then', async () => {
    const { disk, writer } = openVault({ 'a.md': 'old', 'c.canvas': 'old' });
    const rewrite = { before: hashOf('old'), after: hashOf('new'), changes: null, isCommutative: false };
    putAside(
      disk,
      [
        { kind: 'replace', path: 'a.md', ...rewrite },
        { kind: 'replace', path: 'c.canvas', ...rewrite },
      ],
      { 0: 'new', 1: 'new' },
    );
    expect((await writer.completeWrite({ ...meta, dryRun: true }, id)).diffs).toHaveLength(2);
    expect(writer.store.upkeep.setAsides.list()).toHaveLength(1);
    expect(await writer.completeWrite(meta, id)).toMatchObject({ files: [{ path: 'a.md' }, { path: 'c.canvas' }] });
    expect([disk.visible(), writer.store.upkeep.setAsides.list()]).toEqual([{ 'a.md': 'new', 'c.canvas': 'new' }, []]);
    await expect(writer.completeWrite(meta, id)).rejects.toMatchObject({ code: 'CONFLICT', details: { id } });
    await writer.close();
  });

  it('that cannot be carried out any more is refused', async () => {
    const { disk, writer } = openVault({ 'a.md': 'mine' });
    putAside(disk, [{ kind: 'create', path: 'a.md', after: hashOf('new') }], { 0: 'new' });
    await expect(writer.completeWrite(meta, id)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(writer.store.upkeep.setAsides.list()).toHaveLength(1);
    await writer.close();
  });
});
