import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { openInvertedIndex } from '../../../../src/graph/search/inverted/inverted-index.ts';
import { openSearchSlices } from '../../../../src/graph/search/worker/search-slices.ts';
import { openSearchThread } from '../../../../src/graph/search/worker/search-thread.ts';
import { document } from '../inverted/text-index-contract.ts';
import { searchHostContract } from './search-host-contract.ts';

searchHostContract('a text index in slices', () => openSearchSlices(openInvertedIndex()));
searchHostContract('a text index in a thread', openSearchThread);

describe('what is sent to the thread', () => {
  it('is held on to by nothing that outlives short collections once it is answered', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void;
    const used = (): number => {
      for (let left = 3; left > 0; left -= 1) collect({ type: 'minor' });
      return process.memoryUsage().heapUsed;
    };
    const host = openSearchThread();
    const send = (key: number): Promise<void> => host.put([document(key, { body: Buffer.alloc(100_000, `w${key} `).toString('latin1') })]);
    /** Sends texts of a million characters, the next one before the last one is answered. */
    const sendSome = async (first: number): Promise<void> => {
      let before = send(first);
      for (let key = first + 1; key < first + 10; key += 1) {
        const next = send(key);
        await before;
        before = next;
      }
      await before;
    };
    await sendSome(0);
    const before = used();
    for (let key = 0; key < 100; key += 10) {
      await sendSome(key);
      used();
    }
    // The texts are 10 MB.
    expect(used() - before).toBeLessThan(500_000);
    await host.close();
  });
});
