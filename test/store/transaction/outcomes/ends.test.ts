import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { longer, lineMoved, moved, newFile, removed, replaced } from '../../../crash/store-scenarios.ts';
import { endOf, endsOf } from './outcomes.ts';
import type { Event, Save, Trial } from './outcomes.ts';

/** What came of each trial: a file, so that every change of behaviour shows in its diff. `ROUX_UPDATE_ENDS=1` writes it again. */
const GOLDEN = new URL('ends.json', import.meta.url);
const isUpdating = process.env['ROUX_UPDATE_ENDS'] === '1';
const golden = JSON.parse(readFileSync(GOLDEN, 'utf8')) as Record<string, unknown>;

/** Returns what is recorded under a name; when updating, records these ends first. */
function recorded(name: string, ends: readonly string[]): unknown {
  if (isUpdating) {
    golden[name] = ends;
    writeFileSync(GOLDEN, `${JSON.stringify(golden, null, 2)}\n`);
  }
  return golden[name];
}

const trials: Readonly<Record<string, Trial>> = {
  'a new file in new folders': { files: {}, changes: async () => [newFile('x/y/n.bin', 'n')] },
  'other bytes': { files: { 'a.bin': 'a' }, changes: async (store) => [await replaced(store, 'a.bin', 'A')] },
  'a line more': { files: { 'a.bin': 'a\n' }, changes: async (store) => [await longer(store, 'a.bin', 'more')] },
  'a move': { files: { 'a.bin': 'a' }, changes: async (store) => [await moved(store, 'a.bin', 'sub/b.bin')] },
  'a move with other bytes': { files: { 'a.bin': 'a' }, changes: async (store) => [await moved(store, 'a.bin', 'sub/b.bin', 'A')] },
  'a move with a line more': {
    files: { 'a.bin': 'a\n' },
    changes: async (store) => [await lineMoved(store, 'a.bin', 'sub/b.bin', 'more')],
  },
  'a move into the trash': { files: { 'a.bin': 'a' }, changes: async (store) => [await removed(store, 'a.bin', 'trash')] },
  'a removal for good': { files: { 'a.bin': 'a' }, changes: async (store) => [await removed(store, 'a.bin', 'gone')] },
  'names that change places': {
    files: { 'a.bin': 'a', 'b.bin': 'b' },
    changes: async (store) => [await moved(store, 'a.bin', 'b.bin', 'A'), await moved(store, 'b.bin', 'a.bin')],
  },
};

/** What a person does to the file that is written. */
const saves: Readonly<Record<string, Save>> = {
  'saved in place': (disk) => disk.save('a.bin', 'mine\n'),
  'saved by a new file': (disk) => disk.save('a.bin', 'mine\n', 'rename'),
  removed: (disk) => disk.all()['a.bin'] !== undefined && disk.remove('a.bin'),
};

const events: Readonly<Record<string, Event>> = {
  killed: { kind: 'crash', how: 'kill' },
  'without power': { kind: 'crash', how: 'power' },
  'one error of the disk': { kind: 'failure', code: 'EIO' },
  'a full disk': {
    kind: 'failure',
    code: 'ENOSPC',
    isLasting: true,
    isHit: ({ method }) => ['create', 'write', 'append', 'makeFolder', 'link'].includes(method),
  },
  ...Object.fromEntries(
    Object.entries(saves).flatMap(([what, save]): [string, Event][] => [
      [`${what} meanwhile`, { kind: 'save', save }],
      [`killed, and ${what} before the next start`, { kind: 'crash', how: 'kill', save }],
      [`${what} and killed soon after`, { kind: 'save', save, killedAfter: 6 }],
    ]),
  ),
};

const texts = ['A', 'a\nmore\n', 'mine\nmore\n'];
for (const [what, found] of Object.entries(trials)) {
  const trial: Trial = { ...found, texts };
  it(`F01 F09 F10 ${what}: what comes of it, whatever happens at any call of the disk`, async () => {
    const without = await endOf(trial);
    expect(without).toEqual(recorded(what, without));
    const possible = Object.entries(events).filter(
      ([, event]) => trial.files['a.bin'] !== undefined || event.kind === 'failure' || !('save' in event),
    );
    for (const [happens, event] of possible) {
      const ends = await endsOf(trial, event);
      expect(ends, happens).toEqual(recorded(`${what}, ${happens}`, ends));
    }
  });
}

it('F07 names that change places: what comes of it when recovery is killed as well', async () => {
  const ends = await endsOf(trials['names that change places']!, { kind: 'crash', how: 'kill', again: true });
  expect(ends).toEqual(recorded('recovery killed', ends));
});
