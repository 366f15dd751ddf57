import { utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Throttle } from '../../../src/vault/embeddings/throttle.ts';
import { choiceOf, hashingEmbedder } from '../../support/meaning/hashing-embedder.ts';
import { withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const notes = { 'a.md': 'Apples ripen.\n', 'b.md': 'Bees hum.\n', 'c.md': 'Crows gather.\n', 'd.md': 'Ducks swim.\n' };

describe('R-08 the pace of embedding', () => {
  it('is less than a quarter of a core, and of a busy machine a tenth, by the time of all threads and of other processes', async () => {
    const share = async (isBusy: boolean, own: number, elsewhere: number): Promise<number> => {
      let cpuMs = 1_000;
      const throttle = new Throttle({ isOnBattery: () => false, isBusy: () => isBusy }, () => cpuMs);
      await throttle.waitForTurn();
      cpuMs += own;
      return 80 / (80 + throttle.restMs(elsewhere));
    };
    expect(await share(false, 80, 0)).toBeCloseTo(0.22, 2);
    expect(await share(false, 0, 80)).toBeCloseTo(0.22, 2);
    expect(await share(true, 50, 30)).toBe(0.1);
  });

  it('is not waited for by a caller: a rest ends when one comes', () =>
    withVault(notes, async (files) => {
      const source = hashingEmbedder({ batch: 1, cpuMs: 1e9 });
      await withOpen(
        files.root,
        async ({ search: { embeddings } }) => {
          await waitFor(() => embeddings.status().notes.embedded === 1);
          const facts = embeddings.collection('facts');
          facts.set('one', 'The first fact.');
          expect(await facts.whenSettled('one')).toBe('embedded');
          // Whatever nobody waits for is still resting.
          expect(source.passages).toHaveLength(2);
        },
        { embedding: choiceOf(source) },
      );
    }));

  it('begins with the notes that were read last', () =>
    withVault(notes, async (files) => {
      for (const [at, path] of Object.keys(notes).entries()) utimesSync(files.path(path), 1e9 + at, 1e9 + at);
      let goOn = (): void => undefined;
      const isHeld = new Promise<void>((resolve) => (goOn = resolve));
      const begun: string[] = [];
      const before = (texts: readonly string[]): Promise<void> => {
        begun.push(...texts);
        return isHeld;
      };
      await withOpen(
        files.root,
        async (vault) => {
          await waitFor(() => begun.length === 1);
          await vault.notes.read('a.md');
          goOn();
          await waitFor(() => begun.length === 4);
          expect(begun.map((text) => text.split('\n')[0])).toEqual(['d', 'a', 'c', 'b']);
        },
        { embedding: choiceOf(hashingEmbedder({ batch: 1, before })) },
      );
    }));
});
