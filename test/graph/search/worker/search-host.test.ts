import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { openInvertedIndex } from '../../../../src/graph/search/inverted/inverted-index.ts';
import { openSearchSlices } from '../../../../src/graph/search/worker/search-slices.ts';
import { openSearchThread } from '../../../../src/graph/search/worker/search-thread.ts';
import { repositoryRoot } from '../../../support/vault.ts';
import { searchHostContract } from './search-host-contract.ts';

searchHostContract('a text index in slices', () => openSearchSlices(openInvertedIndex()));
searchHostContract('a text index in a thread', openSearchThread);

/** Sends texts, the next one before the last one is answered, and prints how much outlives short collections: of 30 MB. */
const SENDING = `
  import { openSearchThread } from './src/graph/search/worker/search-thread.ts';
  const host = openSearchThread();
  setInterval(() => undefined, 1000);
  const used = () => {
    for (let left = 3; left > 0; left -= 1) gc({ type: 'minor' });
    return process.memoryUsage().heapUsed;
  };
  const empty = { title: '', aliases: '', headings: '', tags: '', properties: '', lengths: { title: 0, aliases: 0, body: 100_000 } };
  const send = (key) => host.put([{ key, ...empty, body: Buffer.alloc(100_000, 'w' + key + ' ').toString('latin1') }]);
  async function sendSome(first) {
    let before = send(first);
    for (let key = first + 1; key < first + 10; key += 1) {
      const next = send(key);
      await before;
      before = next;
    }
    await before;
  }
  await sendSome(0);
  gc();
  const before = used();
  for (let key = 0; key < 300; key += 10) {
    await sendSome(key);
    used();
  }
  console.log(used() - before);
  process.exit(0);
`;

it('nothing that was sent to the thread is held on to once it is answered', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '--import', 'tsx', '--input-type=module', '--eval', SENDING], {
    cwd: repositoryRoot,
    encoding: 'utf8',
  });
  expect([stderr, Number.isInteger(Number.parseInt(stdout, 10))]).toEqual(['', true]);
  expect(Number.parseInt(stdout, 10)).toBeLessThan(1_000_000);
});
