import { utimesSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generateNotes } from '../../scripts/make-vault.ts';
import { isLong } from '../support/effort.ts';
import { withOpen } from '../support/open.ts';
import { withVault } from '../support/vault.ts';

const NOTES = isLong ? 10_001 : 801;

it(`S20 a vault of ${NOTES} files opens whole, each file read once cold and none warm`, async () => {
  const notes = Object.fromEntries([...generateNotes(NOTES)].map(({ path, text }) => [path, text]));
  await withVault(notes, async (vault) => {
    // A file that was written a moment before it was read is read again at the next start, since its time may not tell of a change.
    const earlier = new Date(Date.now() - 60_000);
    for (const path of Object.keys(notes)) utimesSync(vault.path(path), earlier, earlier);
    const cold = await withOpen(
      vault.root,
      ({ graph, counters }) => ({
        size: graph.size,
        read: counters.filesRead,
        hubs: graph.walk.hubs({ metric: 'in_degree', limit: 5 }).map(({ entry, score }) => [entry.path, score]),
      }),
      { program: 'test' },
    );
    expect(cold).toMatchObject({ size: NOTES, read: NOTES });
    await withOpen(
      vault.root,
      ({ graph, counters }) => {
        expect({ size: graph.size, read: counters.filesRead }).toEqual({ size: NOTES, read: 0 });
        expect(graph.walk.hubs({ metric: 'in_degree', limit: 5 }).map(({ entry, score }) => [entry.path, score])).toEqual(cold.hubs);
      },
      { program: 'test' },
    );
  });
});
