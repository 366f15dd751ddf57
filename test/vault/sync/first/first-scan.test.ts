import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openInventory } from '../../../../src/vault/sync/inventory.ts';
import { FirstScan } from '../../../../src/vault/sync/first/first-scan.ts';

/** A search that ends when it is told to. */
function searchOf(scan: FirstScan): () => Promise<void> {
  let end = (): void => undefined;
  const search = scan.pauseDuring(() => new Promise<void>((resolve) => (end = resolve)));
  return async () => {
    end();
    await search;
  };
}

it.each([
  ['the older one first', [0, 1]],
  ['the newer one first', [1, 0]],
])('H-16 the first scan rests until all searches have ended, %s', async (_, order) => {
  const scan = new FirstScan(openInventory(), { filesRead: 0, notesParsed: 0 });
  const ends = [searchOf(scan), searchOf(scan)];
  let isResting = true;
  const rested = scan.rest().then(() => (isResting = false));
  await ends[order[0] ?? 0]?.();
  await setImmediate();
  // It goes on with the search that began meanwhile, and so does a rest that begins now.
  const later = searchOf(scan);
  let isRestingLater = true;
  const restedLater = scan.rest().then(() => (isRestingLater = false));
  await ends[order[1] ?? 0]?.();
  await setImmediate();
  await setImmediate();
  expect([isResting, isRestingLater]).toEqual([true, true]);
  await later();
  await Promise.all([rested, restedLater]);
});
