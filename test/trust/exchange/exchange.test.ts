import { expect, it } from 'vitest';
import { race } from './exchange-race.ts';

// The long run of it: `npx tsx test/trust/exchange/exchange-race.ts 10000`.
for (const how of ['descriptors', 'names'] as const) {
  it(`F47 nothing is written, moved or read outside while folders are exchanged with links (${how})`, async () => {
    const { done, exchanges, breaches } = await race({ how, calls: 120, seed: 20_261_122 });
    expect(breaches).toEqual([]);
    expect(done).toBeGreaterThan(0);
    expect(exchanges).toBeGreaterThan(0);
  });
}
