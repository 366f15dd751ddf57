import { describe, expect, it } from 'vitest';
import { hashOf } from '../../../src/store/folder/hash.ts';
import type { FileSystem } from '../../../src/store/folder/file-system.ts';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { openFolderStore } from '../../../src/store/open-folder-store.ts';
import type { FolderStore } from '../../../src/store/folder-store.ts';
import { thisProcess } from '../../../src/store/folder/process-identity.ts';
import type { ProcessIdentity } from '../../../src/store/folder/process-identity.ts';
import { sample, turnAt, upTo } from '../../support/effort.ts';
import { Killed, simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import type { SimulatedDisk } from '../../support/simulated/simulated-disk.ts';
import { simulatedProcess } from '../../support/simulated/simulated-process.ts';
import { testPorts } from '../../support/test-ports.ts';
import { withVault } from '../../support/vault.ts';
import { wrapFiles } from '../../support/wrap-files.ts';
import { crashes, describeCrash } from '../../crash/crash-run.ts';
import { reapplyLine } from '../../crash/store-scenarios.ts';

const HOUR_MS = 60 * 60 * 1000;
const WRITES = 40;
const meta = { operation: 'test', agent: 'ada' };

/** A store to which it is so many hours later, on the disk too. */
function openLater(files: FileSystem, self: ProcessIdentity, hours: number, log: string[] = []): FolderStore {
  return openFolderStore({
    files: wrapFiles(files, (real) => ({ now: () => real.now() + hours * HOUR_MS })),
    ports: { ...testPorts(log), clock: { now: () => Date.now() + hours * HOUR_MS } },
    self,
    git: { waitUntilDone: () => Promise.resolve(false) },
    reapply: reapplyLine,
    isReadOnly: false,
    isSynced: true,
    trashDays: 0,
  });
}

async function append(store: FolderStore, line: string): Promise<string> {
  const done = await store.transact(meta, async () => {
    const of = await store.read('a.md');
    if (of === null) throw new Error('a.md is gone');
    const events = [{ node: 'a.md', path: 'a.md', action: 'updated' as const, changes: [] }];
    const bytes = Buffer.concat([of.bytes, Buffer.from(`${line}\n`)]);
    return { changes: [{ kind: 'replace', of, bytes, changes: [line], isCommutative: true, events, describe: () => events }] };
  });
  if (done.kind !== 'done' || done.batch === null) throw new Error('nothing was written');
  return done.batch;
}

/** A segment from earlier that is full, of lines without a chain. */
function oldSegment(): string {
  const line = (seq: number): string => {
    const changes = [{ field: 'body', before: null, after: `${seq} ${'text '.repeat(800)}` }];
    return JSON.stringify({
      seq,
      timestamp: '2020-01-05T10:00:00.000Z',
      node: 'o.md',
      path: 'o.md',
      agent: 'bob',
      action: 'updated',
      changes,
    });
  };
  return Array.from({ length: 600 }, (_, index) => `${line(index + 1)}\n`).join('');
}

const SEGMENT = '.roux/history/2020-01.jsonl';

/** What a store knows of its writes: the texts before each batch, and the numbers of all events. */
function recordsOf(store: FolderStore, batches: readonly string[]): { before: readonly string[]; seqs: readonly number[] } {
  return {
    before: batches.map((batch) => {
      const intent = store.records.batches.read(batch);
      return hashOf(store.records.batches.before(intent, 0).bytes);
    }),
    seqs: store.records.events.names().flatMap((name) => store.records.events.readAtOnce(name).map(({ seq }) => seq)),
  };
}

const looseOn = (disk: SimulatedDisk): readonly string[] =>
  Object.keys(disk.all()).filter((path) => /^\.roux\/history\/batches\/[0-9a-z]{26}\.(?:json|\d+)$/.test(path));

/** A disk with writes that can be compacted, nobody at work. */
async function startDisk(): Promise<{ disk: SimulatedDisk; batches: readonly string[]; expected: ReturnType<typeof recordsOf> }> {
  const disk = simulatedDisk({ 'a.md': 'A\n', [SEGMENT]: oldSegment() });
  const store = openLater(disk.files, simulatedProcess(1), 0);
  await store.recover();
  const batches: string[] = [];
  for (let count = 0; count < WRITES; count++) batches.push(await append(store, `line ${count}`));
  const expected = recordsOf(store, batches);
  await store.close();
  return { disk: disk.crash('kill'), batches, expected };
}

describe('compaction', () => {
  it('H-20 puts what undo needs into packs and full segments into less room, and everything reads as before', async () => {
    const { disk, batches, expected } = await startDisk();
    const store = openLater(disk.files, simulatedProcess(2), 2);
    await store.upkeep.compact();
    expect(looseOn(disk)).toEqual([]);
    expect(disk.all()[SEGMENT]!.length).toBeLessThan(oldSegment().length / 20);
    expect(recordsOf(store, batches)).toEqual(expected);
    expect(expected.seqs).toHaveLength(600 + WRITES);
    // Written on, from where the history stands.
    await append(store, 'after');
    expect(store.records.lastSeq()).toBe(600 + WRITES + 1);
    const again = openLater(disk.files, simulatedProcess(3), 2);
    expect(recordsOf(again, batches)).toEqual({ ...expected, seqs: [...expected.seqs, 600 + WRITES + 1] });
    await Promise.all([store.close(), again.close()]);
  });

  it('H-20 leaves alone what is younger than an hour, and too few files', async () => {
    const { disk } = await startDisk();
    const loose = looseOn(disk);
    const store = openLater(disk.files, simulatedProcess(2), 0);
    await store.upkeep.compact();
    expect(looseOn(disk)).toEqual(loose);
    await store.close();
  });

  it('H-20 F01 F04 a kill or a power loss at every call of it: every write can be undone, no event is lost, and the next run ends it', async () => {
    const start = await startDisk();
    const whole = start.disk.crash('kill');
    const counted = openLater(whole.files, simulatedProcess(2), 2);
    await counted.upkeep.compact();
    await counted.close();
    expect(whole.calls.length).toBeGreaterThan(100);
    for (const at of sample(upTo(whole.calls.length), 11)) {
      for (const how of turnAt(at, crashes)) {
        const disk = start.disk.crash('kill');
        disk.onCall((call) => {
          if (call.index >= at) throw new Killed(call.method);
        });
        await openLater(disk.files, simulatedProcess(2), 2)
          .upkeep.compact()
          .catch(() => undefined);
        const last = disk.calls.at(-1);
        const label = `${describeCrash(how)} at call ${at} (${last?.method} ${last?.path})`;
        const crashed = disk.crash(how);
        const store = openLater(crashed.files, simulatedProcess(3), 4);
        await store.recover();
        expect(recordsOf(store, start.batches), label).toEqual(start.expected);
        expect((await store.upkeep.check()).faults, label).toEqual([]);
        await store.upkeep.compact();
        expect(recordsOf(store, start.batches), label).toEqual(start.expected);
        expect([looseOn(crashed), Object.keys(crashed.all()).filter((path) => path.endsWith('.staged'))], label).toEqual([[], []]);
        expect(crashed.visible(), label).toEqual(start.disk.visible());
        await store.close();
      }
    }
  });

  it('H-20 a reader that knows a segment from before it was full goes on after it was packed, and misses nothing', async () => {
    const { disk } = await startDisk();
    const lines = oldSegment().split('\n').slice(0, -1);
    const reading = openLater(disk.files, simulatedProcess(4), 2);
    disk.save(SEGMENT, `${lines.slice(0, 5).join('\n')}\n`);
    for (const path of Object.keys(disk.all())) if (/history\/2\d{3}-\d\d\.jsonl$/.test(path) && path !== SEGMENT) disk.remove(path);
    reading.externalChanges();
    disk.save(SEGMENT, oldSegment());
    const writing = openLater(disk.files, simulatedProcess(5), 2);
    await append(writing, 'one more');
    await writing.upkeep.compact();
    expect(disk.all()[SEGMENT]).toMatch(/^\{"packed"/);
    expect(reading.externalChanges()).toEqual(['o.md', 'a.md']);
    await Promise.all([reading.close(), writing.close()]);
  });

  it('H-20 two processes compact at once while a third writes and a fourth reads', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const files = openNodeFileSystem(vault.root);
      const first = openLater(files, thisProcess(), 0);
      const batches: string[] = [];
      for (let count = 0; count < WRITES; count++) batches.push(await append(first, `line ${count}`));
      const expected = recordsOf(first, batches);
      const others = [1, 2].map(() => openLater(openNodeFileSystem(vault.root), thisProcess(), 2));
      let isDone = false;
      const compacting = Promise.all(others.map((store) => store.upkeep.compact())).finally(() => (isDone = true));
      const later: string[] = [];
      while (!isDone) {
        later.push(await append(first, `later ${later.length}`));
        expect(recordsOf(first, batches).before).toEqual(expected.before);
        // As a process of its own does, which does not take the lock back in the same moment.
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
      await compacting;
      expect(vault.list('.roux/history/batches').some((name) => name.endsWith('.pack'))).toBe(true);
      expect(recordsOf(first, [...batches, ...later]).seqs).toHaveLength(WRITES + later.length);
      expect((await first.upkeep.check()).faults).toEqual([]);
      await Promise.all([first, ...others].map((store) => store.close()));
    }));
});
