import { expect, it } from 'vitest';
import { isLong, upTo } from '../../support/effort.ts';
import type { SimulatedDisk } from '../../support/simulated/simulated-disk.ts';
import { restart, runUntil } from '../crash-run.ts';
import type { Scenario } from '../scenarios.ts';
import { notePath } from '../scenarios.ts';

const line = { op: 'add-line', section: 'Observations', line: 'of an agent' } as const;
const body = { op: 'body', text: 'All of it by an agent\n' } as const;

interface Trial extends Scenario {
  /** A note that a person saves before roux comes to it, so that the transaction is refused and rolled back. */
  readonly refusedBy?: string;
}

const twoNotes = {
  notes: { 'a.md': 'A\n', 'b.md': 'B\n' },
  plan: () => ({
    files: [
      { kind: 'change' as const, path: notePath('a.md'), changes: [line] },
      { kind: 'change' as const, path: notePath('b.md'), changes: [body] },
    ],
  }),
};

const trials: readonly Trial[] = [
  { name: 'a line', notes: { 'a.md': 'A\n' }, plan: () => ({ files: [{ kind: 'change', path: notePath('a.md'), changes: [line] }] }) },
  { name: 'a text', notes: { 'a.md': 'A\n' }, plan: () => ({ files: [{ kind: 'change', path: notePath('a.md'), changes: [body] }] }) },
  { name: 'two notes', ...twoNotes },
  { name: 'two notes of which one refuses', ...twoNotes, refusedBy: 'b.md' },
  {
    name: 'a new name',
    notes: { 'a.md': 'A\n' },
    plan: () => ({ files: [{ kind: 'move', from: 'a.md', to: 'sub/a.md', changes: [line] }] }),
  },
];

const notesOf = (disk: SimulatedDisk): readonly (readonly [string, string])[] => Object.entries(disk.visible());
/** The note, wherever it is by now. */
const noteIn = (disk: SimulatedDisk): string | undefined => notesOf(disk).find(([path]) => /^(sub\/)?a\.md$/.test(path))?.[0];

/** Adds a line to the note as an editor does that shows what is there now. */
function addLine(disk: SimulatedDisk, mark: string, how: 'in-place' | 'rename'): boolean {
  const path = noteIn(disk);
  if (path === undefined) return false;
  disk.save(path, `${disk.visible()[path]}${mark}\n`, how);
  return true;
}

/** Whether the system gives a rename no chance to see what it replaces: the one instant in which a save by rename is lost (docs/testing.md). */
const isReplacing = (call: { method: string; path: string }): boolean => call.method === 'rename' && /^(sub\/)?a\.md$/.test(call.path);

type Save = 'in-place' | 'rename';
const saves: readonly Save[] = ['in-place', 'rename'];

/** Runs a trial in which a person saves at some of its calls, and kills it before one; returns the disk, and which saves took place. */
async function runWithSaves(trial: Trial, saved: readonly { at: number; mark: string; how: Save }[], killAt: number | null) {
  const marks: string[] = [];
  let disk: SimulatedDisk | null = null;
  const onCall = (running: SimulatedDisk, call: { index: number; method: string; path: string }): void => {
    disk = running;
    const isInForce = call.method === 'rename' && call.path.endsWith('.json') && !call.path.includes('/batches/');
    if (isInForce && trial.refusedBy !== undefined) running.save(trial.refusedBy, 'By a person\n');
    for (const { at, mark, how } of saved) {
      if (call.index === at && !(how === 'rename' && isReplacing(call)) && addLine(running, mark, how)) marks.push(mark);
    }
  };
  // It may be refused, where what it was to replace has been saved.
  await runUntil(trial, killAt, { onCall }).catch(() => null);
  if (disk === null) throw new Error('nothing was called');
  return { disk: disk as SimulatedDisk, marks };
}

/** What is lost or left over, in words. */
function faultsOf(disk: SimulatedDisk, marks: readonly string[], label: string): readonly string[] {
  const all = notesOf(disk).map(([, text]) => text);
  const lost = marks.filter((mark) => !all.some((text) => text.includes(mark)));
  const left = disk.residue().filter((path) => !path.startsWith('.roux/lock/'));
  return [
    ...lost.map((mark) => `${label}: the ${mark} save is nowhere: ${JSON.stringify(all)}`),
    ...left.map((path) => `${label}: left over: ${path}`),
  ];
}

/** The calls of a trial from just before its intent is in force. */
async function callsOf(trial: Scenario): Promise<readonly number[]> {
  const { calls, disk } = await runUntil(trial, null);
  return upTo(calls).slice(disk.calls.findIndex(({ method, path }) => method === 'rename' && path.endsWith('.json')) - 2);
}

/** A part of the calls after one, another part for each. */
function laterCalls(calls: readonly number[], first: number): readonly number[] {
  return calls.filter((call) => call > first && (call + first * 5) % (isLong ? 3 : 53) === 0);
}

for (const trial of trials) {
  it(`F09 F19 ${trial.name}: what a person saves while roux writes, and again after its crash, is in the note or in a conflict copy`, async () => {
    const calls = await callsOf(trial);
    const faults: string[] = [];
    let tried = 0;
    for (const at of calls) {
      for (const killAt of laterCalls(calls, at)) {
        for (const how of saves) {
          const { disk, marks } = await runWithSaves(trial, [{ at, mark: 'first', how }], killAt);
          for (const later of [...saves, null]) {
            const crashed = disk.crash('kill');
            const isSaved = later !== null && addLine(crashed, 'second', later);
            await restart(crashed, 2, null);
            tried++;
            const label = `saved ${how} at ${at}, killed at ${killAt}, then ${later ?? 'nothing'}`;
            faults.push(...faultsOf(crashed, isSaved ? [...marks, 'second'] : marks, label));
          }
        }
      }
    }
    expect(faults.slice(0, 10)).toEqual([]);
    expect(tried).toBeGreaterThan(50);
  });

  it(`F19 F53 ${trial.name}: what a person saves twice while roux writes, whether that ends or is refused, is in the note or in a conflict copy`, async () => {
    const calls = await callsOf(trial);
    const faults: string[] = [];
    for (const first of calls) {
      for (const second of laterCalls(calls, first)) {
        for (const how of saves) {
          for (const then of saves) {
            const saved = [
              { at: first, mark: 'first', how },
              { at: second, mark: 'second', how: then },
            ];
            const { disk, marks } = await runWithSaves(trial, saved, null);
            faults.push(...faultsOf(disk, marks, `saved ${how} at ${first} and ${then} at ${second}`));
          }
        }
      }
    }
    expect(faults.slice(0, 10)).toEqual([]);
  });
}
