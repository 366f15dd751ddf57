import { expect, it } from 'vitest';
import { PendingLinks } from '../../../src/vault/links/unsettled-links.ts';

it('H-14 links of notes that are being saved are pending for a minute after the last one', () => {
  let now = 1_000;
  const pending = new PendingLinks(() => now);
  pending.add({ from: 'a.md', to: 'old.md' });
  now += 30_000;
  pending.add({ from: 'a.md', to: 'other.md' });
  pending.add({ from: 'b.md', to: 'third.md' });
  expect(['a.md', 'b.md', 'c.md'].map((note) => pending.isFrom(note))).toEqual([true, true, false]);
  expect(['old.md', 'other.md', 'third.md', 'a.md'].map((path) => pending.isTo(path))).toEqual([true, true, true, false]);
  now += 60_000;
  pending.expire();
  expect([pending.isFrom('a.md'), pending.isTo('old.md')]).toEqual([true, true]);
  now += 1;
  pending.expire();
  expect([pending.isFrom('a.md'), pending.isTo('old.md')]).toEqual([false, false]);
});
