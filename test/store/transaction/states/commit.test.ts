import { describe, expect, it } from 'vitest';
import { hashOf } from '../../../../src/store/folder/hash.ts';
import { writeNewFile } from '../../../../src/store/folder/write-file.ts';
import type { EventDraft } from '../../../../src/store/records/history-event.ts';
import type { KeyRecord } from '../../../../src/store/records/keys.ts';
import { commit, finish } from '../../../../src/store/transaction/commit.ts';
import type { StagedStep, Work } from '../../../../src/store/transaction/commit.ts';
import { readIntent } from '../../../../src/store/transaction/intent.ts';
import type { Intent, Step } from '../../../../src/store/transaction/intent.ts';
import type { Outcome } from '../../../../src/store/transaction/outcome.ts';
import { failure, simulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import { simulatedLock } from '../../../support/simulated/simulated-lock.ts';

const id = 'a'.repeat(26);
const timestamp = '2026-01-01T00:00:00.000Z';
const own = (name: string): string => `.roux/journal/${id}.${name}`;
const batch = `.roux/history/batches/${id}`;
const [old, changed, other] = ['old', 'new', 'other'].map(hashOf) as [string, string, string];
const fixed = { changes: null, isCommutative: false };
type Move = Extract<Step, { kind: 'move' }>;
const create = (path: string): Step => ({ kind: 'create', path, after: changed });
const replace = (path: string): Step => ({ kind: 'replace', path, before: old, after: changed, ...fixed });
const remove = (path: string): Step => ({ kind: 'remove', path, before: old, trash: null });
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
const intentOf = (steps: readonly Step[], more: Partial<Intent> = {}): Intent => ({
  format: 1,
  id,
  operation: 'test',
  agent: 'ada',
  timestamp,
  steps,
  events: [],
  folders: [],
  ...more,
});

describe('a transaction that was carried out', () => {
  /** Ends one whose journal holds these files beside its intent. */
  async function end(intent: Intent, files: Readonly<Record<string, string>>, outcome: Outcome | null = null) {
    const disk = simulatedDisk(
      Object.fromEntries(Object.entries(files).map(([name, text]) => [name.includes('/') ? name : own(name), text])),
    );
    const { under } = simulatedLock(disk);
    await writeNewFile(disk.files, under.journal.draft(id, intent, false));
    await under.journal.enact(id, false);
    const kept = await finish(under, intent, outcome);
    const left = Object.keys(disk.all()).filter((path) => path.startsWith('.roux/journal/'));
    const origin = { isOurs: () => true };
    return {
      kept: kept.map(({ file, hash, path }) => [file.slice(batch.length), hash, path, disk.all()[file]]),
      left,
      keys: under.records.keys.tail(),
      recorded: readIntent(disk.files, `${batch}.json`, origin)?.intent,
      all: disk.all(),
    };
  }
  const outcomeOf = (more: Partial<Outcome>): Outcome => ({ warnings: [], copies: [], rewritten: new Map(), displaced: [], ...more });

  it('S2-50 keeps what it displaced of each file that lives on under its name with other bytes, and its intent', async () => {
    const steps = [
      create('n.md'),
      replace('a.md'),
      remove('r.md'),
      move('b.md', 'c.md'),
      move('d.md', 'e.md', { after: changed }),
      replace('f.md'),
    ];
    const files = Object.fromEntries(['0.old', '1.old', '2.old', '3.old', '4.old', '1', '4'].map((name) => [name, name]));
    const kept = [
      ['.1', old, 'a.md', '1.old'],
      ['.4', old, 'e.md', '4.old'],
    ];
    const intent = intentOf(steps);
    expect(await end(intent, files)).toMatchObject({ kept, left: [], keys: [], recorded: intent });
    // As far as the steps say what they displaced, by that.
    const displaced = [
      { step: 1, path: 'a.md', file: own('1.old'), hash: other, before: null },
      { step: 9, path: 'x.md', file: own('9.old'), hash: other, before: null },
      { step: 0, path: 'n.md', file: own('0.old'), hash: other, before: null },
    ];
    expect((await end(intent, files, outcomeOf({ displaced }))).kept).toEqual([['.1', other, 'a.md', '1.old']]);
  });

  it('S2-50 keeps what a file held whose name another one took, where it was rewritten on its way', async () => {
    const exchange = (after: string): readonly Step[] => [
      move('a.md', 'b.md', { after, over: other, keepsFrom: true }),
      move('b.md', 'a.md', { before: other, after: other, over: old, keepsFrom: true }),
    ];
    const files = { '0.over': 'of b', '1.over': 'of a' };
    expect((await end(intentOf(exchange(changed)), files)).kept).toEqual([['.0', old, 'b.md', 'of a']]);
    expect((await end(intentOf(exchange(old)), files)).kept).toEqual([]);
    expect((await end(intentOf(exchange(changed)), {})).kept).toEqual([]);
    const onto = [move('a.md', 'b.md', { after: changed, over: other }), move('x.md', 'a.md'), replace('c.md')];
    expect((await end(intentOf(onto), { '1.over': 'of a' })).kept).toEqual([]);
  });

  it('F14 records its key', async () => {
    const key: KeyRecord = { seq: 1, timestamp, key: 'k', payload: 'p', result: null };
    expect((await end(intentOf([create('n.md')], { key }), {})).keys).toEqual([key]);
    const { all } = await end(intentOf([create('n.md')]), {});
    expect(Object.keys(all).filter((path) => path.includes('/keys/'))).toEqual([]);
  });

  it('S2-50 is recorded with the bytes that its steps met and left, where a person saved meanwhile', async () => {
    const rewritten = new Map([0, 1, 2].map((index) => [index, { before: Buffer.from('mine'), after: Buffer.from('mine, changed') }]));
    const steps = [replace('a.md'), move('b.md', 'c.md', { after: changed }), create('n.md'), replace('d.md')];
    const met = { before: hashOf('mine'), after: hashOf('mine, changed') };
    const { recorded, left } = await end(intentOf(steps), {}, outcomeOf({ rewritten }));
    expect([recorded, left]).toEqual([
      intentOf([{ ...steps[0]!, ...met } as Step, { ...steps[1]!, ...met } as Step, steps[2]!, steps[3]!]),
      [],
    ]);
  });

  it('F09 is recorded once, also where a crash came after it had been recorded as it came', async () => {
    const files = { [`${batch}.json`]: 'as it came' };
    expect((await end(intentOf([replace('a.md')]), files)).all[`${batch}.json`]).toBe('as it came');
    const intent = intentOf([replace('a.md')]);
    expect((await end(intent, files, outcomeOf({}))).recorded).toEqual(intent);
  });
});

describe('a transaction', () => {
  const event = (path: string): EventDraft => ({ node: path, path, action: 'updated', changes: [] });
  const staged = (step: Step, text: string | null, like: StagedStep['like'] = null): StagedStep => {
    const events = [event('to' in step ? step.to : step.path)];
    return { step, image: text === null ? null : Buffer.from(text), like, events, describe: () => events };
  };
  const workOf = (steps: readonly StagedStep[], more: Partial<Work> = {}): Work => ({
    id,
    at: timestamp,
    operation: 'test',
    agent: 'ada',
    steps,
    makeKey: null,
    isKeySynced: true,
    ...more,
  });

  it('F01 says in its intent what it does, to which files, with which folders made for it, and what is told of it', async () => {
    const disk = simulatedDisk({ 'a.md': 'old', 'b.md': 'old', 'c.md': 'old', 'is/there.md': '' });
    const { under } = simulatedLock(disk);
    const steps = [
      create('x/y/n.md'),
      create('x/z/n.md'),
      create('is/n.md'),
      create('top.md'),
      move('a.md', 'w/a.md'),
      replace('b.md'),
      remove('c.md'),
    ];
    const work = workOf(
      steps.map((step) => staged(step, step.kind === 'move' || step.kind === 'remove' ? null : 'new')),
      { makeKey: (events) => ({ seq: 1, timestamp, key: 'k', payload: `${events.length} events`, result: null }) },
    );
    let drafted: unknown;
    disk.onCall(({ method, path }) => {
      if (method === 'rename' && path === own('json')) drafted = readIntent(disk.files, own('draft'), { isOurs: () => true })?.intent;
    });
    const { events, hashes } = await commit(under, work);
    const afters = steps.map((step) => (step.kind === 'remove' ? null : step.after));
    expect(hashes).toEqual(afters);
    expect(events.map(({ seq, path, hash }) => [seq, path, hash])).toEqual(
      ['x/y/n.md', 'x/z/n.md', 'is/n.md', 'top.md', 'w/a.md', 'b.md', 'c.md'].map((path, index) => [
        index + 1,
        path,
        afters[index]?.slice(0, 16),
      ]),
    );
    expect(drafted).toEqual(
      intentOf(steps, {
        events: [...events],
        folders: ['x', 'x/y', 'x/z', 'w'],
        key: { seq: 1, timestamp, key: 'k', payload: '7 events', result: null },
      }),
    );
    expect(under.records.keys.tail()).toMatchObject([{ payload: '7 events' }]);
  });

  it('H-09 leaves nothing where it cannot be staged, is called off, or has lost its lock before it is in force', async () => {
    const work = workOf([staged(create('n.md'), 'new')]);
    const calledOff = AbortSignal.abort(new Error('called off'));
    for (const [make, given, reason] of [
      [{}, { ...work, signal: calledOff }, 'called off'],
      [{ lock: { check: () => Promise.reject(new Error('no lock')) } }, work, 'no lock'],
    ] as const) {
      const disk = simulatedDisk({ 'a.md': 'A' });
      const { under, changesOf } = simulatedLock(disk, make);
      const changes = await changesOf(() => expect(commit(under, given)).rejects.toThrow(reason));
      expect([disk.all(), changes.filter((call) => call.startsWith('rename'))]).toEqual([{ 'a.md': 'A' }, []]);
    }
    const disk = simulatedDisk({ 'a.md': 'A' });
    const { under } = simulatedLock(disk);
    disk.onCall(({ method, path }) => {
      if (method === 'sync' && path === own('0')) throw failure('ENOSPC', path);
    });
    await expect(commit(under, work)).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(disk.all()).toEqual({ 'a.md': 'A' });
  });

  it('H-09 leaves nothing where it is called off when all of it is staged', async () => {
    const disk = simulatedDisk({ 'a.md': 'old' });
    const { under } = simulatedLock(disk);
    const callOff = new AbortController();
    const work = workOf([staged(remove('a.md'), null)], {
      signal: callOff.signal,
      onProgress: () => callOff.abort(new Error('called off')),
    });
    await expect(commit(under, work)).rejects.toThrow('called off');
    expect(disk.all()).toEqual({ 'a.md': 'old' });
  });

  it('F19 does not take a file of a person for its own, also where it has the same bytes', async () => {
    const { under } = simulatedLock(simulatedDisk({ 'n.md': 'new' }));
    await expect(commit(under, workOf([staged(create('n.md'), 'new')]))).rejects.toMatchObject({ code: 'NODE_EXISTS' });
  });

  it('H-09 records nothing where it has lost its lock after its files were written', async () => {
    const disk = simulatedDisk({ 'a.md': 'A' });
    let checks = 0;
    const check = async (): Promise<void> => {
      // Before it is in force, for the new name, for the old ones, and before it is recorded.
      if (++checks === 4) throw new Error('no lock');
    };
    const { under } = simulatedLock(disk, { lock: { check } });
    await expect(commit(under, workOf([staged(create('n.md'), 'new')]))).rejects.toThrow('no lock');
    expect(under.records.events.tail()).toEqual([]);
  });

  it('F01 that is done is done, also where clearing up after it fails, which is logged', async () => {
    const disk = simulatedDisk({ 'a.md': 'old' });
    const { under, log } = simulatedLock(disk);
    disk.onCall(({ method, path }) => {
      if (method === 'rename' && path.startsWith(batch)) throw failure('EIO', path);
    });
    const { displaced, events } = await commit(under, workOf([staged(replace('a.md'), 'new')]));
    expect([displaced, events.length, log.join()]).toEqual([[], 1, expect.stringContaining('clearing up after it failed')]);
  });

  it('F01 stages each file with the mode of the one that it is for', async () => {
    const disk = simulatedDisk({ 'a.md': 'old' });
    const { under } = simulatedLock(disk);
    await commit(under, workOf([staged(replace('a.md'), 'new', { mode: 0o640, uid: 1, gid: 1 }), staged(create('n.md'), 'new')]));
    expect(['a.md', 'n.md'].map((path) => disk.files.stat(path)?.mode)).toEqual([0o640, 0o644]);
  });
});
