import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenShares } from '../../../../src/faces/http/limits/token-shares.ts';

const step = fc.record({ token: fc.constantFrom('owner', 'a', 'b', 'c'), amount: fc.integer({ min: 1, max: 5 }), gives: fc.boolean() });

describe('shares of a resource', () => {
  it('H-04 the owner is refused only for what it has itself, one token has at most half, all of them at most the whole', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(step, { maxLength: 100 }), (max, steps) => {
        const shares = new TokenShares(max);
        const held: { readonly token: string; readonly amount: number; readonly release: () => void }[] = [];
        const sum = (isOf: (token: string) => boolean): number =>
          held.filter(({ token }) => isOf(token)).reduce((total, { amount }) => total + amount, 0);
        for (const { token, amount, gives } of steps) {
          if (gives) {
            const one = held.shift();
            one?.release();
            // Giving back twice counts once.
            one?.release();
            continue;
          }
          const others = sum((name) => name !== 'owner');
          const mine = sum((name) => name === token);
          const isRoom = token === 'owner' ? mine + amount <= max : mine + amount <= Math.ceil(max / 2) && others + amount <= max;
          const release = shares.take(token, amount);
          expect(release !== null).toBe(isRoom);
          if (release !== null) held.push({ token, amount, release });
        }
      }),
    );
  });

  it('H-04 nobody displaces the owner, and a token with its full share displaces itself alone', () => {
    const shares = new TokenShares(4);
    for (const token of ['owner', 'owner', 'a', 'a', 'b']) expect(shares.take(token)).not.toBeNull();
    expect(shares.mayDisplace('b', 'owner')).toBe(false);
    expect(shares.mayDisplace('owner', 'a')).toBe(false);
    expect(shares.mayDisplace('a', 'b')).toBe(false);
    expect(shares.mayDisplace('a', 'a')).toBe(true);
    expect(shares.mayDisplace('b', 'a')).toBe(true);
  });
});
