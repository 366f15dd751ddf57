import { describe, expect, it } from 'vitest';
import { encodeIntent } from '../../src/store/transaction/intent.ts';
import { sample, upTo } from '../support/effort.ts';
import { openTestWriter } from '../support/open-test-writer.ts';
import { Killed, simulatedDisk } from '../support/simulated/simulated-disk.ts';
import { simulatedProcess } from '../support/simulated/simulated-process.ts';
import type { SimulatedDisk } from '../support/simulated/simulated-disk.ts';
import { endsOf, faultsOf, restart, runUntil, sameFiles } from './crash-run.ts';
import type { Trial } from './crash-run.ts';
import { notePath, renameScenario, scenarios } from './scenarios.ts';
import { storeScenarios } from './store-scenarios.ts';

const meta = { operation: 'test', agent: 'ada' };

/** The calls of a run at which a crash leaves an intent in force. */
async function callsInForce(trial: Trial): Promise<readonly number[]> {
  const inForce: number[] = [];
  const { disk } = await runUntil(trial, null);
  const from = disk.calls.findIndex((call) => call.method === 'rename' && call.path.endsWith('.json'));
  for (const call of disk.calls) if (call.index > from && !call.path.includes('/lock/')) inForce.push(call.index);
  return inForce;
}

describe('recovery', () => {
  const ofVault = scenarios.filter(({ name }) =>
    ['everything at once', 'rename with 1 backlinks', 'names that change places'].includes(name),
  );
  const ofStore = storeScenarios.filter(({ name }) => name === 'everything at once');
  for (const trial of [...ofVault, ...ofStore]) {
    it(`F07 ${trial.name}${'changes' in trial ? ' on the store alone' : ''}: killed at every call of recovery, and again in the next, a later start ends it`, async () => {
      const ends = await endsOf(trial);
      const points = sample(await callsInForce(trial), 5);
      const faults: string[] = [];
      for (const at of points) {
        const run = await runUntil(trial, at);
        const length = (await restart(run.disk.crash('kill'), 2, null, trial)).calls;
        for (const again of sample(upTo(length), 11)) {
          const how = again % 8 < 4 ? 'kill' : 'power';
          const second = (await restart(run.disk.crash('kill'), 2, again, trial)).disk.crash(how);
          const third = (await restart(second, 3, Math.floor(again / 2), trial)).disk.crash('kill');
          await restart(third, 4, null, trial);
          faults.push(
            ...(await faultsOf(third, ends, {
              isAcknowledged: run.isAcknowledged,
              label: `${at}, ${again}, ${how}`,
              isWriting: false,
              trial,
            })),
          );
        }
      }
      expect(faults).toEqual([]);
      expect(points.length).toBeGreaterThan(5);
    });
  }

  it('F04 what a process that was killed in its first write has made of .roux is on the medium when another one has written', async () => {
    const write = async (disk: SimulatedDisk, pid: number, name: string): Promise<unknown> => {
      const writer = openTestWriter({ root: disk.root, files: disk.files, reader: disk.reader, identity: simulatedProcess(pid) });
      return await writer.write(meta, () => ({ files: [{ kind: 'create', path: notePath(name), text: 'Text\n' }] }));
    };
    const lost: number[] = [];
    let isKilled = true;
    let at = 0;
    for (; isKilled; at += 1) {
      isKilled = false;
      const disk = simulatedDisk({});
      disk.onCall(({ index }) => {
        if (index < at) return;
        isKilled = true;
        throw new Killed();
      });
      await write(disk, 1, 'one.md').catch(() => undefined);
      const next = disk.afterKill();
      await write(next, 2, 'two.md');
      const told = Object.entries(next.crash('power').all()).filter(([path]) => /^\.roux\/history\/[^/]+\.jsonl$/.test(path));
      if (!told.some(([, lines]) => lines.includes('two.md'))) lost.push(at);
    }
    expect(lost).toEqual([]);
    expect(at).toBeGreaterThan(20);
  });

  it('F04 what was done is not undone where its history went with the power, and clearing up had begun', async () => {
    const disk = simulatedDisk({ 'a.md': 'A\n' });
    const open = (on: SimulatedDisk, pid: number) =>
      openTestWriter({ root: on.root, files: on.files, reader: on.reader, identity: simulatedProcess(pid) });
    disk.onCall(({ method, path }) => {
      if (method === 'rename' && /^\.roux\/history\/batches\/.*\.json$/.test(path)) throw new Killed();
    });
    const files = [
      { kind: 'create', path: notePath('n.md'), text: 'New\n' },
      { kind: 'change', path: notePath('a.md'), changes: [{ op: 'body', text: 'Of an agent\n' }] },
    ] as const;
    await open(disk, 1)
      .write(meta, () => ({ files }))
      .catch(() => undefined);
    const next = disk.afterKill();
    const written = next.visible();
    expect(Object.keys(written).toSorted()).toEqual(['a.md', 'n.md']);
    const segment = Object.keys(next.all()).find((path) => /^\.roux\/history\/[^/]+\.jsonl$/.test(path))!;
    const told = next.all()[segment];
    next.remove(segment);
    await open(next, 2).recover();
    expect(next.visible()).toEqual(written);
    expect(next.all()[segment]).toBe(told);
    expect(next.residue()).toEqual([]);
  });

  it('F02 a rename leaves no link dangling at any instant, whether it ends, fails or is recovered', async () => {
    const scenario = renameScenario(12);
    const faults: string[] = [];
    const look = (disk: SimulatedDisk): void => {
      const files = disk.visible();
      for (const [path, text] of Object.entries(files)) {
        for (const [, target] of text.matchAll(/\[\[([^\]|#]+)/g))
          if (files[`${target}.md`] === undefined) faults.push(`${path} -> ${target}`);
      }
    };
    const { calls } = await runUntil(scenario, null, { onCall: look });
    for (const at of sample(upTo(calls).slice(60), 11)) {
      const crashed = (await runUntil(scenario, at)).disk.crash('kill');
      const writer = openTestWriter({ root: crashed.root, files: crashed.files, reader: crashed.reader, identity: simulatedProcess(2) });
      crashed.onCall(() => look(crashed));
      await writer.recover();
    }
    expect(faults).toEqual([]);
  });

  it('F08 a leftover journal that is torn, empty, foreign or of another vault is put aside, reported, and changes nothing', async () => {
    const id = '01hzzzzzzzzzzzzzzzzzzzzzzz';
    const foreign = {
      format: 1,
      id,
      operation: 'rename',
      agent: 'eve',
      timestamp: '2026-01-01T00:00:00.000Z',
      steps: [{ kind: 'create', path: 'planted.md', after: 'c0ffee'.repeat(11).slice(0, 64) }],
      events: [
        {
          seq: 1,
          timestamp: '2026-01-01T00:00:00.000Z',
          node: 'planted.md',
          path: 'planted.md',
          agent: 'eve',
          action: 'created',
          changes: [],
          batch: id,
        },
      ],
      folders: [],
    };
    // Signed, but elsewhere.
    const elsewhere = { sign: () => ({ by: 'folder', code: 'a'.repeat(64) }) as const };
    const whole = encodeIntent(foreign, elsewhere).toString('utf8');
    const other = encodeIntent({ other: 'shape' }, elsewhere).toString('utf8');
    for (const text of ['', whole.slice(0, 80), 'not ours', '{"json":true}', whole, other]) {
      const disk = simulatedDisk({
        'a.md': 'A\n',
        [`.roux/journal/${id}.json`]: text,
        [`.roux/journal/${id}.0`]: 'planted',
        '.roux/journal/readme.txt': 'keep',
      });
      const writer = openTestWriter({ root: disk.root, files: disk.files, reader: disk.reader, identity: simulatedProcess(1) });
      const reports = await writer.recover();
      expect(reports).toHaveLength(1);
      expect(reports[0]).toContain('was not carried out');
      expect(disk.visible()).toEqual({ 'a.md': 'A\n' });
      expect(await writer.recover()).toEqual([]);
      await writer.write(meta, () => ({ files: [{ kind: 'create', path: 'b.md', text: 'B\n' }] }));
      expect(disk.visible()).toEqual({ 'a.md': 'A\n', 'b.md': 'B\n' });
      expect(disk.all()['.roux/journal/readme.txt']).toBe('keep');
    }
  });

  it('F09 a person edits files of an unfinished rename before the restart: the text stays, its links are rewritten', async () => {
    const scenario = renameScenario(12);
    for (const at of sample(await callsInForce(scenario), 9)) {
      for (const how of ['in-place', 'rename'] as const) {
        const run = await runUntil(scenario, at);
        const crashed = run.disk.crash('kill');
        for (const path of ['from/n3.md', 'from/n9.md']) crashed.save(path, `${crashed.visible()[path]}Mine, with [[old]] or not.\n`, how);
        await restart(crashed, 2, null);
        const texts = crashed.visible();
        const isNew = texts['sub/new.md'] !== undefined;
        for (const path of ['from/n3.md', 'from/n9.md']) {
          expect(texts[path]).toContain('Mine, with');
          expect(texts[path]).toMatch(isNew ? /^Line\n\[\[sub\/new\]\] and \[\[sub\/new\|shown\]\]\n/ : /^Line\n\[\[old\]\] and/);
        }
        expect(Object.keys(texts).filter((path) => path.includes('conflict'))).toEqual([]);
        expect(crashed.residue().filter((path) => !path.includes('/lock/'))).toEqual([]);
        expect(texts['old.md'] === undefined).toBe(isNew);
      }
    }
  });

  it('F09 a person replaces a note that an unfinished write would replace: nothing of the write stays, the text does', async () => {
    const scenario = {
      name: 'two bodies',
      notes: { 'a.md': 'A\n', 'b.md': 'B\n' },
      plan: () => ({
        files: [
          { kind: 'change' as const, path: notePath('a.md'), changes: [{ op: 'body' as const, text: 'A2\n' }] },
          { kind: 'change' as const, path: notePath('b.md'), changes: [{ op: 'body' as const, text: 'B2\n' }] },
        ],
      }),
    };
    const { disk } = await runUntil(scenario, null);
    const between = disk.calls.find((call) => call.method === 'rename' && call.path === 'b.md')?.index ?? 0;
    const crashed = (await runUntil(scenario, between)).disk.crash('kill');
    expect(crashed.visible()).toEqual({ 'a.md': 'A2\n', 'b.md': 'B\n' });
    crashed.save('b.md', 'Mine\n');
    await restart(crashed, 2, null);
    expect(crashed.visible()).toEqual({ 'a.md': 'A\n', 'b.md': 'Mine\n' });
  });

  it('F10 without .roux, or with one from an old backup, a start changes nothing', async () => {
    const scenario = renameScenario(1);
    const half = (await callsInForce(scenario))[4] ?? 0;
    const old = (await runUntil(scenario, half)).disk.all();
    const roux = Object.fromEntries(Object.entries(old).filter(([path]) => path.startsWith('.roux/journal/')));
    for (const notes of [{ 'x.md': 'X\n' }, { 'old.md': 'Another\n', 'from/n0.md': 'Text [[old]]\n' }]) {
      const disk = simulatedDisk({ ...notes, ...roux });
      await restart(disk, 2, null);
      expect(disk.visible()).toEqual(notes);
    }
    const bare = simulatedDisk({ 'x.md': 'X\n' });
    const writer = openTestWriter({ root: bare.root, files: bare.files, reader: bare.reader, identity: simulatedProcess(1) });
    expect(await writer.recover()).toEqual([]);
    expect(sameFiles(bare.all(), { 'x.md': 'X\n' })).toBe(true);
  });
});
