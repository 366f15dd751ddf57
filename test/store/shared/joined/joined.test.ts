import { describe, expect, it } from 'vitest';
import { DEEDS, join, WAYS } from './joined.ts';

describe('H-11 what two machines do to one note comes to one note', () => {
  for (const hasId of [true, false])
    for (const first of DEEDS)
      for (const second of DEEDS)
        for (const way of WAYS)
          for (const other of WAYS)
            it(`H-11 ${first} by ${way}, ${second} by ${other}${hasId ? '' : ', without an id'}`, async () => {
              const { faults } = await join({ deed: first, way }, { deed: second, way: other }, { hasId });
              expect(faults).toEqual([]);
            });
});
