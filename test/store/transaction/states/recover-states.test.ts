import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import { hashOf } from '../../../../src/store/folder/hash.ts';
import { writeNewFile } from '../../../../src/store/folder/write-file.ts';
import { createOrigin } from '../../../../src/store/origin.ts';
import type { HistoryEvent } from '../../../../src/store/records/history-event.ts';
import type { KeyRecord } from '../../../../src/store/records/keys.ts';
import { encodeIntent } from '../../../../src/store/transaction/intent.ts';
import type { Intent, Step } from '../../../../src/store/transaction/intent.ts';
import { recoverLeftovers } from '../../../../src/store/transaction/recover.ts';
import type { UnderLock } from '../../../../src/store/transaction/under-lock.ts';
import { failure, simulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import type { DiskTraits, SimulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import { simulatedLock } from '../../../support/simulated/simulated-lock.ts';
import { testPorts } from '../../../support/test-ports.ts';

const id = 'a'.repeat(26);
const timestamp = '2026-01-01T00:00:00.000Z';
const own = (name: string): string => `.roux/journal/${id}.${name}`;
const event = (seq: number): HistoryEvent => ({
  seq,
  timestamp,
  node: 'a',
  path: 'a.md',
  agent: 'ada',
  action: 'updated',
  changes: [],
  batch: id,
});
const key: KeyRecord = { seq: 1, timestamp, key: 'k', payload: 'p', result: null };
const intentOf = (steps: readonly Step[], more: Partial<Intent> = {}): Intent => ({
  format: 1,
  id,
  operation: 'test',
  agent: 'ada',
  timestamp,
  steps,
  events: [event(1)],
  folders: [],
  ...more,
});
const fixed = { changes: null, isCommutative: false };
const [old, changed, other] = ['old', 'new', 'other'].map(hashOf) as [string, string, string];
const create = (path: string): Step => ({ kind: 'create', path, after: changed });
const replace = (path: string): Step => ({ kind: 'replace', path, before: old, after: changed, ...fixed });
type Move = Extract<Step, { kind: 'move' }>;
const move = (from: string, to: string, more: Partial<Move> = {}): Move => ({
  kind: 'move',
  from,
  to,
  before: old,
  after: old,
  over: null,
  keepsFrom: false,
  ...fixed,
  ...more,
});
const remove = (path: string): Step => ({ kind: 'remove', path, before: old, trash: null });

type Files = Readonly<Record<string, string>>;

interface Given {
  readonly steps: readonly Step[];
  readonly files?: Files;
  readonly more?: Partial<Intent>;
  readonly traits?: DiskTraits;
  readonly lock?: UnderLock['lock'];
  readonly prepare?: (disk: SimulatedDisk, under: UnderLock) => Promise<void> | void;
}

/** A disk on which a process was killed with this intent in force. */
async function leftBy({ steps, files = {}, more, traits, lock, prepare }: Given) {
  const disk = simulatedDisk(files, traits);
  const { under, log } = simulatedLock(disk, lock === undefined ? {} : { lock });
  await writeNewFile(disk.files, under.journal.draft(id, intentOf(steps, more), false));
  await under.journal.enact(id, false);
  await prepare?.(disk, under);
  return { disk, under, log };
}

/** What recovery makes of it. */
async function recovered(given: Given) {
  const { disk, under, log } = await leftBy(given);
  const { notices, reports, paths } = await recoverLeftovers(under);
  expect(reports).toEqual([]);
  const [notice = 'nothing is told'] = notices;
  const fate = /was (completed|undone|dropped)/.exec(notice)?.[1] ?? notice;
  const written = Object.keys(disk.all()).filter((path) => path.startsWith('.roux/journal/'));
  expect(written, fate).toEqual([]);
  const history = under.records.events.tail().map(({ seq }) => seq);
  return { disk, under, log, fate, notice, paths, history, visible: disk.visible(), all: disk.all() };
}

const link = (from: string, to: string) => (disk: SimulatedDisk) => disk.files.link(from, to);

describe('an unfinished write', () => {
  it.each<[string, Given, Files]>([
    ['other bytes', { steps: [replace('a.md')], files: { 'a.md': 'old', [own('0')]: 'new' } }, { 'a.md': 'new' }],
    ['other bytes that are there', { steps: [replace('a.md')], files: { 'a.md': 'new', [own('0')]: 'new' } }, { 'a.md': 'new' }],
    ['a new file', { steps: [create('n.md')], files: { [own('0')]: 'new' } }, { 'n.md': 'new' }],
    ['a new file that is there', { steps: [create('n.md')], files: { 'n.md': 'new', [own('0')]: 'new' } }, { 'n.md': 'new' }],
    [
      'a move of which only the staged file is there, into which a person wrote',
      {
        steps: [move('a.md', 'b.md', { after: changed })],
        files: { [own('0')]: 'mine', [own('0.old')]: 'old' },
        prepare: link(own('0'), 'b.md'),
      },
      { 'b.md': 'mine' },
    ],
    ['a removal', { steps: [remove('a.md')], files: { 'a.md': 'old', 'b.md': 'B' } }, { 'b.md': 'B' }],
    ['a removal that is done', { steps: [remove('a.md')], files: { 'b.md': 'B' } }, { 'b.md': 'B' }],
    ['a move that needs no image', { steps: [move('a.md', 'b.md')], files: { 'a.md': 'old' } }, { 'b.md': 'old' }],
    [
      'two names that change places',
      {
        steps: [
          move('a.md', 'b.md', { over: other, keepsFrom: true }),
          move('b.md', 'a.md', { before: other, after: other, over: old, keepsFrom: true }),
        ],
        files: { 'a.md': 'old', 'b.md': 'other', [own('0')]: 'old', [own('1')]: 'other' },
      },
      { 'a.md': 'other', 'b.md': 'old' },
    ],
    [
      'other bytes into which a person wrote, under the new name of the staged file',
      { steps: [replace('a.md')], files: { [own('0')]: 'mine', [own('0.old')]: 'old' }, prepare: link(own('0'), 'a.md') },
      { 'a.md': 'mine' },
    ],
    [
      'a move into which a person wrote, likewise',
      {
        steps: [move('a.md', 'b.md', { after: changed })],
        files: { [own('0')]: 'mine', 'a.md': 'old' },
        prepare: link(own('0'), 'b.md'),
      },
      { 'b.md': 'mine' },
    ],
  ])('F09 is completed where all that it puts in place is there: %s', async (_, given, files) => {
    expect(await recovered(given)).toMatchObject({ fate: 'completed', visible: files, history: [1] });
  });

  it.each<[string, Given, Files]>([
    ['other bytes', { steps: [replace('a.md')], files: { 'a.md': 'old' } }, { 'a.md': 'old' }],
    ['other bytes, torn', { steps: [replace('a.md')], files: { 'a.md': 'old', [own('0')]: 'ne' } }, { 'a.md': 'old' }],
    [
      'other bytes in two files, of which one is staged',
      { steps: [replace('a.md'), replace('b.md')], files: { 'a.md': 'old', 'b.md': 'old', [own('0')]: 'new' } },
      { 'a.md': 'old', 'b.md': 'old' },
    ],
    [
      'a new file beside a change',
      { steps: [create('n.md'), replace('a.md')], files: { 'a.md': 'old', [own('1')]: 'new' } },
      { 'a.md': 'old' },
    ],
    ['a move with other bytes', { steps: [move('a.md', 'b.md', { after: changed })], files: { 'a.md': 'old' } }, { 'a.md': 'old' }],
    [
      'a move to a name that another file has',
      {
        steps: [move('a.md', 'b.md', { over: other }), move('b.md', 'c.md', { before: other, after: other, keepsFrom: true })],
        files: { 'a.md': 'old', 'b.md': 'other' },
      },
      { 'a.md': 'old', 'b.md': 'other' },
    ],
    [
      'a move whose old name another file gets',
      { steps: [move('a.md', 'b.md', { keepsFrom: true }), replace('c.md')], files: { 'a.md': 'old', 'c.md': 'old', [own('1')]: 'new' } },
      { 'a.md': 'old', 'c.md': 'old' },
    ],
    [
      'a change, while what goes with it is not removed',
      { steps: [replace('a.md'), remove('r.md')], files: { 'a.md': 'new', 'r.md': 'old', [own('0.old')]: 'old' } },
      { 'a.md': 'old', 'r.md': 'old' },
    ],
    [
      'a change, while what goes with it is not moved',
      { steps: [replace('a.md'), move('c.md', 'd.md')], files: { 'a.md': 'new', 'c.md': 'old', [own('0.old')]: 'old' } },
      { 'a.md': 'old', 'c.md': 'old' },
    ],
    [
      'two names that change places',
      {
        steps: [
          move('a.md', 'b.md', { over: other, keepsFrom: true }),
          move('b.md', 'a.md', { before: other, after: other, over: old, keepsFrom: true }),
        ],
        files: { 'a.md': 'old', 'b.md': 'other' },
      },
      { 'a.md': 'old', 'b.md': 'other' },
    ],
  ])('F09 is undone where not all of it was staged: %s', async (_, given, files) => {
    expect(await recovered(given)).toMatchObject({ fate: 'undone', visible: files, history: [] });
  });

  it.each<[string, Given, Files]>([
    ['other bytes', { steps: [replace('a.md')], files: { 'a.md': 'new' } }, { 'a.md': 'new' }],
    ['a new file', { steps: [create('n.md')], files: { 'n.md': 'new' } }, { 'n.md': 'new' }],
    ['a change and a removal', { steps: [replace('a.md'), remove('r.md')], files: { 'a.md': 'new' } }, { 'a.md': 'new' }],
    [
      'one of two changes, the other saved over',
      { steps: [replace('a.md'), replace('b.md')], files: { 'a.md': 'new', 'b.md': 'mine' } },
      { 'a.md': 'new', 'b.md': 'mine' },
    ],
    [
      'a change and a removal, a file of that name made again',
      { steps: [replace('a.md'), remove('r.md')], files: { 'a.md': 'new', 'r.md': 'mine' } },
      { 'a.md': 'new', 'r.md': 'mine' },
    ],
    [
      'a change and a move',
      { steps: [replace('a.md'), move('c.md', 'd.md')], files: { 'a.md': 'new', 'd.md': 'old' } },
      { 'a.md': 'new', 'd.md': 'old' },
    ],
    [
      'a change and a move, saved over',
      { steps: [replace('a.md'), move('c.md', 'd.md')], files: { 'a.md': 'new', 'd.md': 'mine' } },
      { 'a.md': 'new', 'd.md': 'mine' },
    ],
    ['a move with other bytes', { steps: [move('a.md', 'b.md', { after: changed })], files: { 'b.md': 'new' } }, { 'b.md': 'new' }],
    [
      'two names that change places',
      {
        steps: [
          move('a.md', 'b.md', { over: other, keepsFrom: true }),
          move('b.md', 'a.md', { before: other, after: other, over: old, keepsFrom: true }),
        ],
        files: { 'a.md': 'other', 'b.md': 'old' },
      },
      { 'a.md': 'other', 'b.md': 'old' },
    ],
    [
      'two names that change places, with equal texts',
      {
        steps: [move('a.md', 'b.md', { over: old, keepsFrom: true }), move('b.md', 'a.md', { over: old, keepsFrom: true })],
        files: { 'a.md': 'old', 'b.md': 'old' },
      },
      { 'a.md': 'old', 'b.md': 'old' },
    ],
  ])('F09 is completed where its files say that it was done, and clearing up had begun: %s', async (_, given, files) => {
    expect(await recovered(given)).toMatchObject({ fate: 'completed', visible: files, history: [1] });
  });

  it.each<[string, Given]>([
    ['other bytes', { steps: [replace('a.md')], files: { 'a.md': 'mine', [own('0')]: 'new' } }],
    ['a file that is gone', { steps: [replace('a.md')], files: { [own('0')]: 'new' } }],
    ['a new file', { steps: [create('n.md')], files: { 'n.md': 'mine', [own('0')]: 'new' } }],
    ['a new file, torn', { steps: [create('n.md')], files: { [own('0')]: 'ne' } }],
    ['a new file, not staged', { steps: [create('n.md')] }],
    ['a move', { steps: [move('a.md', 'b.md')], files: { 'a.md': 'mine' } }],
    ['a move of what is gone', { steps: [move('a.md', 'b.md')], files: { [own('0.new')]: 'old' } }],
    ['a removal', { steps: [remove('a.md')], files: { 'a.md': 'mine' } }],
  ])('F09 is dropped where no file is one of its own any more: %s', async (_, given) => {
    const { fate, visible, history, paths, notice } = await recovered(given);
    expect([fate, history, notice]).toEqual(['dropped', [], expect.stringContaining('"test" of 2026-01-01')]);
    const { [own('0')]: _image, [own('0.new')]: _new, ...files } = given.files ?? {};
    expect(visible).toEqual(files);
    expect(paths).toEqual(given.steps.flatMap((step) => (step.kind === 'move' ? [step.from, step.to] : [step.path])));
  });

  it('F09 that is dropped leaves the text that it had displaced, and tells of it', async () => {
    const { fate, notice, visible } = await recovered({ steps: [replace('a.md')], files: { 'a.md': 'mine', [own('0.old')]: 'earlier' } });
    expect([fate, Object.values(visible).toSorted()]).toEqual(['dropped', ['earlier', 'mine']]);
    expect(notice).toContain('sync-conflict');
  });

  it('F32 is about a file that is between two cases of its name', async () => {
    const files = { [own('0.old')]: 'old', 'z.md': 'Z' };
    const traits = { ignoresCase: true };
    const done = await recovered({ steps: [move('a.md', 'A.md')], files, traits });
    expect([done.fate, done.visible]).toEqual(['completed', { 'A.md': 'old', 'z.md': 'Z' }]);
    expect((await recovered({ steps: [move('a.md', 'b.md')], files, traits })).fate).toBe('dropped');
    expect((await recovered({ steps: [move('a.md', 'A.md')], files: { ...files, [own('0.old')]: 'mine' }, traits })).fate).toBe('dropped');
  });

  it('F09 is about a file that holds a change which was made again on a newer text, and was saved over', async () => {
    const staged = `0.again.0.${hashOf('newer').slice(0, 16)}`;
    const steps = [{ ...replace('a.md'), changes: ['more'], isCommutative: true } as Step];
    const files = { [own('0')]: 'new', [own(staged)]: 'mine\n', 'b.md': 'B' };
    const done = await recovered({ steps, files, prepare: link(own(staged), 'a.md') });
    expect([done.fate, done.visible['a.md']]).toEqual(['completed', 'mine\nmore\n']);
  });

  it('F09 one of whose files is its own is not dropped', async () => {
    const steps = [replace('a.md'), replace('b.md')];
    expect((await recovered({ steps, files: { 'a.md': 'mine', 'b.md': 'old' } })).fate).toBe('undone');
  });
});

describe('a write that the history says was done', () => {
  const steps = [replace('a.md')];
  const files = { 'a.md': 'new', [own('0')]: 'new', [own('0.old')]: 'old' };
  const append = (_: SimulatedDisk, under: UnderLock) => under.records.events.append([event(1)], false);

  it('F09 is cleared away without a word, and can be undone', async () => {
    const { fate, history, all, paths } = await recovered({ steps, files, prepare: append });
    expect([fate, history, paths]).toEqual(['nothing is told', [1], ['a.md']]);
    expect(all[`.roux/history/batches/${id}.0`]).toBe('old');
    expect(all[`.roux/history/batches/${id}.json`]).toContain('"operation":"test"');
  });

  it('F09 is cleared away whatever its files hold by now, with its spare names', async () => {
    const { fate, visible, all } = await recovered({ steps, files: { 'a.md': 'mine', [`.roux-${id}.0`]: 'half' }, prepare: append });
    expect([fate, visible, all[`.roux-${id}.0`]]).toEqual(['nothing is told', { 'a.md': 'mine' }, undefined]);
  });

  it('F09 is not where it has no events: then its files tell', async () => {
    const quiet = { events: [] };
    expect(await recovered({ steps, files: { 'a.md': 'old' }, more: quiet })).toMatchObject({ fate: 'undone', visible: { 'a.md': 'old' } });
    expect(await recovered({ steps, files: { 'a.md': 'new' }, more: quiet })).toMatchObject({ fate: 'nothing is told', history: [] });
  });

  it('F09 and is to be undone all the same, is undone', async () => {
    const abort = async (disk: SimulatedDisk, under: UnderLock): Promise<void> => {
      await append(disk, under);
      await under.journal.abort(id, false);
    };
    expect(await recovered({ steps, files, prepare: abort })).toMatchObject({ fate: 'undone', visible: { 'a.md': 'old' } });
  });

  it('F09 of which some events are there gets the others', async () => {
    const more = { events: [event(1), event(2)] };
    expect(await recovered({ steps, files, more, prepare: append })).toMatchObject({ fate: 'completed', history: [1, 2] });
  });
});

it('F09 a write that is to be undone is undone, also where all of it was staged or no file is its own', async () => {
  const prepare = (_: SimulatedDisk, under: UnderLock): Promise<void> => under.journal.abort(id, false);
  const steps = [replace('a.md')];
  const staged = { [own('0')]: 'new', [own('0.old')]: 'old' };
  expect(await recovered({ steps, files: { 'a.md': 'new', ...staged }, prepare })).toMatchObject({
    fate: 'undone',
    visible: { 'a.md': 'old' },
  });
  const saved = await recovered({ steps, files: { 'a.md': 'mine', ...staged }, prepare });
  expect([saved.fate, Object.values(saved.visible).toSorted()]).toEqual(['undone', ['mine', 'old']]);
  expect(saved.notice).toContain('sync-conflict');
});

it('F07 a write is marked as one to be undone before any of it is, so that the next start goes on where a crash ends this one', async () => {
  for (const [steps, files] of [
    [[replace('a.md'), remove('r.md')], { 'a.md': 'new', 'r.md': 'old', [own('0.old')]: 'old' }],
    [[replace('a.md'), replace('b.md')], { 'a.md': 'new', 'b.md': 'mine', [own('0')]: 'new', [own('1')]: 'new', [own('0.old')]: 'old' }],
  ] as const) {
    const { disk, under } = await leftBy({ steps, files });
    let isMarked: boolean | null = null;
    disk.onCall(({ method, path }) => {
      if (method === 'link' && path === own('0.undone')) isMarked = Object.hasOwn(disk.all(), own('abort'));
    });
    await recoverLeftovers(under);
    expect([isMarked, disk.visible()['a.md']]).toEqual([true, 'old']);
  }
});

it('F14 the key of a write is recorded with it, once', async () => {
  const steps = [replace('a.md')];
  const others = Array.from({ length: 3 }, (_, index) => ({ ...key, key: `other ${index}` }));
  for (const known of [[], others, [...others, key]])
    for (const appended of [[], [event(1)]])
      for (const files of [{ 'a.md': 'new' }, { 'a.md': 'old', [own('0')]: 'new' }]) {
        const { under } = await recovered({
          steps,
          files,
          more: { key },
          async prepare(_, held) {
            if (known.length > 0) await held.records.keys.append(known, false);
            if (appended.length > 0) await held.records.events.append(appended, false);
          },
        });
        expect(under.records.keys.tail().filter(({ key: name }) => name === 'k')).toHaveLength(1);
      }
  const none = await recovered({ steps, files: { 'a.md': 'new' } });
  expect(none.under.records.keys.tail()).toEqual([]);
});

it('F14 the key of a write with a very long answer is found again', async () => {
  const long = { ...key, result: 'x'.repeat(60_000) };
  const { under } = await recovered({
    steps: [replace('a.md')],
    files: { 'a.md': 'new' },
    more: { key: long },
    prepare: (_, held) => held.records.keys.append([long, { ...key, key: 'later', result: 'y'.repeat(60_000) }], false),
  });
  expect(under.records.keys.tail(1_000_000).map(({ key: name }) => name)).toEqual(['k', 'later']);
});

describe('a write that cannot be carried out', () => {
  const steps = [replace('a.md'), replace('b.md')];
  const files = { 'a.md': 'old', 'b.md': 'mine', [own('0')]: 'new', [own('1')]: 'new' };

  it('F09 is undone where a person has saved one of its files', async () => {
    const { fate, visible, log } = await recovered({ steps, files });
    expect([fate, visible, log]).toEqual(['undone', { 'a.md': 'old', 'b.md': 'mine' }, []]);
  });

  it('F09 is undone where a fault of the program ends it, which is logged', async () => {
    let checks = 0;
    const check = async (): Promise<void> => {
      if (++checks === 2) throw new TypeError('a fault of the program');
    };
    const { fate, visible, log } = await recovered({
      steps: [replace('a.md')],
      files: { 'a.md': 'old', [own('0')]: 'new' },
      lock: { check },
    });
    expect([fate, visible]).toEqual(['undone', { 'a.md': 'old' }]);
    expect(log.join()).toContain('a fault of the program');
  });

  it('F09 stays as it is where the disk or the lock fails at the moment', async () => {
    for (const error of [
      failure('EIO', ''),
      new RouxError('IO_ERROR', 'The disk failed.'),
      new RouxError('LOCK_TIMEOUT', 'The lock is gone.'),
    ]) {
      let checks = 0;
      const check = async (): Promise<void> => {
        if (++checks === 2) throw error;
      };
      const { disk, under } = await leftBy({ steps: [replace('a.md')], files: { 'a.md': 'old', [own('0')]: 'new' }, lock: { check } });
      await expect(recoverLeftovers(under)).rejects.toBe(error);
      expect(Object.keys(disk.all()).filter((path) => path.startsWith('.roux/journal/'))).toEqual([own('0'), own('json')]);
    }
  });
});

describe('what is in the journal and must not be acted upon', () => {
  /** What recovery says of an intent that is written as such. */
  async function reportOf(write: (disk: SimulatedDisk, under: UnderLock) => Promise<void> | void) {
    const disk = simulatedDisk({ 'a.md': 'old' });
    const { under } = simulatedLock(disk);
    await write(disk, under);
    const { notices, reports, paths } = await recoverLeftovers(under);
    expect([notices, paths, disk.visible()]).toEqual([[], [], { 'a.md': 'old' }]);
    expect(Object.keys(disk.all()).filter((path) => path.startsWith('.roux/journal/') && !path.includes('/rejected/'))).toEqual([]);
    return reports;
  }
  const write =
    (intent: unknown, name = id) =>
    async (disk: SimulatedDisk, under: UnderLock): Promise<void> => {
      await writeNewFile(disk.files, under.journal.draft(name, intent, false));
      await under.journal.enact(name, false);
    };

  it('F08 is put aside with the reason', async () => {
    const steps = [replace('a.md')];
    const foreign = (disk: SimulatedDisk): void => {
      const origin = createOrigin(disk.files, { secret: () => testPorts().secret() });
      const elsewhere = { sign: () => ({ ...origin.sign('another text') }) };
      disk.save(own('json'), encodeIntent(intentOf(steps), elsewhere).toString());
    };
    for (const [given, reason] of [
      [write(intentOf(steps, { id: 'b'.repeat(26) })), 'it is damaged'],
      [write({ ...intentOf(steps), format: 2 }), 'it is damaged'],
      [write(intentOf([replace('../a.md')])), 'is not a file that roux may write'],
      [foreign, 'it was not written in this folder'],
      [(disk: SimulatedDisk) => disk.save(own('json'), 'torn'), 'it is damaged, or not a file'],
    ] as const) {
      const [report = '', ...more] = await reportOf(given);
      expect([report, more]).toEqual([expect.stringContaining(`(${id}) in .roux/journal was not carried out: `), []]);
      expect(report).toContain(reason);
    }
  });
});

it('F55 what was never in force goes, with what steps use for an instant, and nothing else', async () => {
  const tmp = '.roux/tmp';
  const files = { [own('0')]: 'new', [`${tmp}/${id}.0`]: '', [`${tmp}/other`]: '', [`${tmp}/${id}.1/x`]: '', 'a.md': 'A' };
  const disk = simulatedDisk(files);
  const { under } = simulatedLock(disk);
  expect(await recoverLeftovers(under)).toEqual({ notices: [], reports: [], paths: [] });
  expect(Object.keys(disk.all()).toSorted()).toEqual([`${tmp}/${id}.1/x`, `${tmp}/other`, 'a.md']);
  const empty = simulatedDisk({});
  const { under: bare } = simulatedLock(empty);
  empty.files.removeFolder(tmp);
  expect(await recoverLeftovers(bare)).toEqual({ notices: [], reports: [], paths: [] });
});

it('F07 a last line of the records that a crash cut short is repaired before it is looked for, where a write is unfinished', async () => {
  const torn = async (disk: SimulatedDisk, under: UnderLock): Promise<void> => {
    await under.records.events.append([event(1)], false);
    const [segment = ''] = under.records.events.names();
    disk.save(`.roux/history/${segment}`, `${disk.all()[`.roux/history/${segment}`]}{"seq":2`);
  };
  const { under } = await leftBy({ steps: [replace('a.md')], files: { 'a.md': 'new' }, prepare: torn });
  expect((await recoverLeftovers(under)).reports).toEqual([expect.stringContaining('was incomplete')]);
  const disk = simulatedDisk({});
  const { under: idle } = simulatedLock(disk);
  await torn(disk, idle);
  expect((await recoverLeftovers(idle)).reports).toEqual([]);
});
