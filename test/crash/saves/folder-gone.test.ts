import { expect, it } from 'vitest';
import { sample, upTo } from '../../support/effort.ts';
import { openTestWriter } from '../../support/open-test-writer.ts';
import type { SimulatedDisk } from '../../support/simulated/simulated-disk.ts';
import { simulatedProcess } from '../../support/simulated/simulated-process.ts';
import { testPorts } from '../../support/test-ports.ts';
import { runUntil } from '../crash-run.ts';
import type { Scenario } from '../scenarios.ts';
import { notePath } from '../scenarios.ts';

const body = { op: 'body', text: 'By an agent\n' } as const;
const change = (path: string) => ({ kind: 'change', path: notePath(path), changes: [body] }) as const;

const trials: readonly Scenario[] = [
  { name: 'a change', notes: { 'sub/a.md': 'A\n' }, plan: () => ({ files: [change('sub/a.md')] }) },
  {
    name: 'a move out of the folder',
    notes: { 'sub/a.md': 'A\n' },
    plan: () => ({ files: [{ kind: 'move', from: 'sub/a.md', to: 'other/a.md', changes: [body] }] }),
  },
  {
    name: 'a move into the folder',
    notes: { 'a.md': 'A\n', 'sub/b.md': 'B\n' },
    plan: () => ({ files: [change('sub/b.md'), { kind: 'move', from: 'a.md', to: 'sub/a.md', changes: [body] }] }),
  },
  {
    name: 'a removal',
    notes: { 'sub/a.md': 'A\n', 'sub/b.md': 'B\n' },
    plan: () => ({ files: [change('sub/b.md'), { kind: 'remove', path: 'sub/a.md', to: 'trash' }] }),
  },
  {
    name: 'names that change places',
    notes: { 'sub/a.md': 'A\n', 'sub/b.md': 'B\n' },
    plan: () => ({
      files: [
        { kind: 'move', from: 'sub/a.md', to: 'sub/b.md', changes: [] },
        { kind: 'move', from: 'sub/b.md', to: 'sub/a.md', changes: [] },
      ],
    }),
  },
];

/** What a person does with the folder before the next start. */
const OUTCOMES: Readonly<Record<string, (disk: SimulatedDisk) => void>> = {
  'it has another name': (disk) => disk.move('sub', 'elsewhere'),
  'a file has its name': (disk) => {
    disk.move('sub', 'elsewhere');
    disk.save('sub', 'a file\n');
  },
};

/** Runs a trial in which a person saves a note of the folder before a call, and kills it before another one. */
async function runKilled(
  trial: Scenario,
  saveAt: number,
  killAt: number,
): Promise<{ readonly disk: SimulatedDisk; readonly isSaved: boolean }> {
  let isSaved = false;
  const { disk } = await runUntil(trial, killAt, {
    onCall(running, { index }) {
      const path = ['sub/a.md', 'sub/b.md'].find((each) => running.visible()[each] !== undefined);
      if (index !== saveAt || path === undefined) return;
      // As an editor that shows what is there now.
      running.save(path, `${running.visible()[path]}By a person\n`);
      isSaved = true;
    },
  });
  return { disk, isSaved };
}

/** What is wrong after the next start, in words. */
async function faultsAfterStart(disk: SimulatedDisk, isSaved: boolean): Promise<readonly string[]> {
  const { root, files, reader } = disk;
  const writer = openTestWriter({ root, files, reader, identity: simulatedProcess(2), ports: testPorts() });
  const faults: string[] = [];
  await writer.recover().catch((error: unknown) => faults.push(`the start fails: ${String(error)}`));
  await writer
    .write({ operation: 'test', agent: 'ada' }, () => ({ files: [{ kind: 'create', path: 'next.md', text: 'Next\n' }] }))
    .catch((error: unknown) => faults.push(`nothing can be written: ${String(error)}`));
  // What cannot be carried out any more is set aside for doctor, with the texts that it displaced.
  const isSetAside = (path: string): boolean => path.startsWith('.roux/journal/rejected/');
  const kept = Object.entries(disk.all()).filter(([path]) => !path.startsWith('.roux/') || isSetAside(path));
  if (isSaved && !kept.some(([, text]) => text.includes('By a person'))) faults.push(`the save is nowhere: ${JSON.stringify(kept)}`);
  const left = disk.residue().filter((path) => !isSetAside(path));
  return [...faults, ...left.map((path) => `left over: ${path}`)];
}

for (const trial of trials) {
  it(`F09 F19 ${trial.name}: a crash, and then a person takes the folder away: the next start goes on, and no save is lost`, async () => {
    const { calls, disk: whole } = await runUntil(trial, null);
    const first = whole.calls.findIndex(({ method, path }) => method === 'rename' && path.endsWith('.json'));
    const faults: string[] = [];
    for (const killAt of upTo(calls + 1).slice(first)) {
      for (const saveAt of sample(upTo(killAt).slice(first - 2), 17, killAt)) {
        const { disk, isSaved } = await runKilled(trial, saveAt, killAt);
        for (const [outcome, apply] of Object.entries(OUTCOMES)) {
          const crashed = disk.crash('kill');
          if (crashed.all()['sub/a.md'] === undefined && crashed.all()['sub/b.md'] === undefined) continue;
          apply(crashed);
          const label = `saved at ${saveAt}, killed at ${killAt}, ${outcome}`;
          faults.push(...(await faultsAfterStart(crashed, isSaved)).map((fault) => `${label}: ${fault}`));
        }
      }
    }
    expect(faults.slice(0, 6)).toEqual([]);
  });
}
