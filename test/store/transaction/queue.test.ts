import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openWriteQueue } from '../../../src/store/transaction/lock/queue.ts';
import { inSimulatedTime } from '../../support/simulated/simulated-time.ts';

it('F17 that nobody can look whether another process waits holds up none of the writes that do', () =>
  inSimulatedTime(async () => {
    let holds = 0;
    const acquire = async () => {
      holds += 1;
      return {
        token: holds,
        check: async () => undefined,
        isWanted() {
          throw Object.assign(new Error('EIO'), { code: 'EIO' });
        },
        release: async () => undefined,
      };
    };
    const queue = openWriteQueue({ acquire }, () => undefined);
    const write = (): Promise<number> => queue.run(async ({ token }) => setTimeout(100, token));
    expect(await Promise.all([write(), write(), write()])).toEqual([1, 2, 3]);
    await queue.close();
  }));
