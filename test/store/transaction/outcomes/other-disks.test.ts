import { describe, expect, it } from 'vitest';
import { lineMoved, moved, newFile, removed, replaced } from '../../../crash/store-scenarios.ts';
import { isLong } from '../../../support/effort.ts';
import type { DiskTraits } from '../../../support/simulated/simulated-disk.ts';
import { endOf, endsOf } from './outcomes.ts';
import type { Event, Trial } from './outcomes.ts';

/** In a folder of their own, which may be another device than `.roux`. */
const trials: readonly Trial[] = [
  {
    files: { 'sub/a.bin': 'a', 'sub/b.bin': 'b\n' },
    changes: async (store) => [
      newFile('sub/new/n.bin', 'n'),
      await replaced(store, 'sub/a.bin', 'A'),
      await lineMoved(store, 'sub/b.bin', 'sub/c.bin', 'more'),
    ],
  },
  {
    files: { 'sub/a.bin': 'a', 'sub/b.bin': 'b', 'sub/c.bin': 'c' },
    changes: async (store) => [
      await moved(store, 'sub/a.bin', 'sub/b.bin', 'A'),
      await moved(store, 'sub/b.bin', 'sub/a.bin'),
      await removed(store, 'sub/c.bin', 'trash'),
    ],
  },
];
const disks: Readonly<Record<string, DiskTraits>> = {
  'without hard links': { hasHardLinks: false },
  'with the files on another device than .roux': { devices: ['sub'] },
};
/** A power loss may take what is kept for undo. */
const ALL_OR_NOTHING = /^as (?:before|planned(?:; - undo \.\d="[^"]*")*)(?: \| The unfinished write "test" of TIME was completed\.)?$/;
const REFUSED_OR_DONE =
  /^(?:as before \| IO_ERROR: The disk failed: EIO\. Nothing was changed\.|as planned \| (?:UNKNOWN_OUTCOME|done .*))$/;
const events: readonly [string, Event, RegExp][] = [
  ['killed', { kind: 'crash', how: 'kill' }, ALL_OR_NOTHING],
  ['without power', { kind: 'crash', how: 'power' }, ALL_OR_NOTHING],
  ['with one error', { kind: 'failure', code: 'EIO' }, REFUSED_OR_DONE],
];

describe.each(Object.entries(disks))('a disk %s', (_, traits) => {
  it('F01 F07 holds all of a transaction or nothing, and nothing that is left over, whatever happens at a call', async () => {
    for (const [which, trial] of trials.entries()) {
      expect(await endOf({ ...trial, traits })).toEqual(await endOf(trial));
      for (const [what, event, possible] of events) {
        const ends = await endsOf({ ...trial, traits }, event, isLong ? 1 : 5);
        expect(
          ends.filter((end) => !possible.test(end)),
          `${what}, ${which}`,
        ).toEqual([]);
      }
    }
  });
});
