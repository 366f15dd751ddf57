import { expect, it } from 'vitest';
import { PathHistory } from '../../../src/vault/links/path-history.ts';

it('X-18 a file that moved there and back again is where it was: its own name is no former path of it', () => {
  const former = new PathHistory();
  former.move('a.md', 'b.md');
  former.move('b.md', 'a.md');
  expect([...former.entries()]).toEqual([['b.md', 'a.md']]);
  expect([former.resolve('a'), former.resolve('b')]).toEqual([null, 'a.md']);
  former.move('a.md', 'c.md');
  expect(new Map(former.entries())).toEqual(
    new Map([
      ['b.md', 'c.md'],
      ['a.md', 'c.md'],
    ]),
  );
});

it('X-18 files that exchanged their names have no former paths, and what takes a name ends what it meant', () => {
  const former = new PathHistory();
  former.moveAll([
    { from: 'a.md', to: 'b.md' },
    { from: 'b.md', to: 'a.md' },
  ]);
  expect(former.entries().size).toBe(0);
  former.move('a.md', 'c.md');
  former.claim('a.md');
  expect(former.entries().size).toBe(0);
});
