import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import { createPrefetch } from '../../../../src/store/shared/prefetch.ts';
import { openSyncSchedule, DEFAULT_INTERVALS } from '../../../../src/store/shared/sync-schedule.ts';
import type { SyncSchedule } from '../../../../src/store/shared/sync-schedule.ts';
import { createPruning } from '../../../../src/store/shared/prune-when-due.ts';
import { inSimulatedTime } from '../../../support/simulated/simulated-time.ts';

interface Scene {
  readonly rhythm: SyncSchedule;
  readonly state: { isNews: boolean; cost: number; asked: number };
  readonly pause: (milliseconds: number) => Promise<void>;
  /** The meetings since the last question: when each began, and `push` where it gave what was edited. */
  readonly take: () => readonly string[];
}

const withRhythm = (run: (scene: Scene) => Promise<void>, isStarted = true): Promise<void> =>
  inSimulatedTime(async (time) => {
    const state = { isNews: false, cost: 0, asked: 0 };
    const met: string[] = [];
    const begun = performance.now();
    const rhythm = openSyncSchedule(DEFAULT_INTERVALS, {
      async sync({ isPushing }) {
        met.push(`${performance.now() - begun}${isPushing ? ' push' : ''}`);
        if (state.cost > 0) await time.pause(state.cost);
        state.isNews = false;
      },
      isBehind() {
        state.asked += 1;
        return state.isNews;
      },
    });
    if (isStarted) await rhythm.start();
    const take = (): readonly string[] => met.splice(0);
    take();
    const pause = async (milliseconds: number): Promise<void> => {
      await time.pause(milliseconds);
      for (let turn = 0; turn < 3; turn++) await time.pause(0);
    };
    await run({ rhythm, state, pause, take });
    await rhythm.stop();
  });

describe('when a folder and its store are brought together', () => {
  it('is at the start, and every five seconds', () =>
    withRhythm(async ({ rhythm, pause, take }) => {
      await rhythm.start();
      expect(take()).toEqual(['0 push']);
      await pause(4_999);
      expect(take()).toEqual([]);
      await pause(1);
      expect(take()).toEqual(['5000 push']);
      await pause(10_000);
      expect(take()).toEqual(['10000 push', '15000 push']);
    }, false));

  it('is at once where something is heard that is news', () =>
    withRhythm(async ({ rhythm, state, pause, take }) => {
      await pause(1_000);
      rhythm.onNotice();
      await pause(1);
      expect(take()).toEqual([]);
      state.isNews = true;
      expect(rhythm.isUpToDate).toBe(false);
      rhythm.onNotice();
      await pause(1);
      expect(take()).toEqual(['1001 push']);
      expect(rhythm.isUpToDate).toBe(true);
      // The pause until the next look begins anew.
      await pause(4_998);
      expect(take()).toEqual([]);
      await pause(1);
      expect(take()).toEqual(['6001 push']);
      // One that is no news takes nothing from it either.
      rhythm.onNotice();
      await pause(4_999);
      expect(take()).toEqual([]);
      await pause(1);
      expect(take()).toEqual(['11001 push']);
    }));

  it('is sooner where that is asked for, never later', () =>
    withRhythm(async ({ rhythm, pause, take }) => {
      rhythm.syncWithin(100);
      rhythm.syncWithin(3_000);
      await pause(99);
      expect(take()).toEqual([]);
      await pause(1);
      expect(take()).toEqual(['100 push']);
    }));

  it('is a moment after the last edit, and with edits all the time five moments after the first', () =>
    withRhythm(async ({ rhythm, pause, take }) => {
      rhythm.onEdit();
      await pause(300);
      rhythm.onEdit();
      await pause(399);
      expect(take()).toEqual([]);
      await pause(1);
      expect(take()).toEqual(['700 push']);
      for (let edit = 0; edit < 8; edit++) {
        rhythm.onEdit();
        await pause(300);
      }
      expect(take()).toEqual(['2700 push']);
      // The edits after that wait for themselves.
      await pause(400);
      expect(take().length).toBe(1);
    }));

  it('news is no reason to hurry an editor', () =>
    withRhythm(async ({ rhythm, state, pause, take }) => {
      await pause(1_000);
      rhythm.onEdit();
      await pause(100);
      state.isNews = true;
      rhythm.onNotice();
      await pause(1);
      expect(take()).toEqual(['1100']);
      await pause(299);
      expect(take()).toEqual(['1400 push']);
      // A look that is due while an edit waits pushes not either.
      rhythm.onEdit();
      rhythm.syncWithin(10);
      await pause(100);
      expect(take()).toEqual(['1410']);
      await pause(300);
      expect(take()).toEqual(['1800 push']);
    }));

  it('is once at a time: what is heard meanwhile comes after it', () =>
    withRhythm(async ({ rhythm, state, pause, take }) => {
      state.cost = 1_000;
      rhythm.syncWithin(0);
      await pause(500);
      expect(take()).toEqual(['0 push']);
      expect(rhythm.isUpToDate).toBe(false);
      rhythm.onEdit();
      rhythm.onNotice();
      rhythm.syncWithin(10);
      await pause(499);
      expect(take()).toEqual([]);
      await pause(10);
      expect(take()).toEqual(['1000 push']);
    }));

  it('is not before it is started, but where a look is asked for', () =>
    withRhythm(async ({ rhythm, state, pause, take }) => {
      expect(rhythm.isUpToDate).toBe(false);
      rhythm.onEdit();
      await pause(10_000);
      expect(take()).toEqual([]);
      rhythm.syncWithin(5);
      await pause(10_000);
      expect(take()).toEqual(['10005 push']);
      // One that is asked for during another comes after it.
      state.cost = 100;
      rhythm.syncWithin(0);
      await pause(50);
      rhythm.syncWithin(100);
      await pause(400);
      expect(take()).toEqual(['20000 push', '20150 push']);
      // Then nothing is due, and nothing wakes up.
      const before = state.asked;
      await pause(10_000);
      expect([take(), state.asked]).toEqual([[], before]);
    }, false));

  it('is quiet where nothing was heard that has not been looked at', () =>
    withRhythm(async ({ rhythm, state, pause }) => {
      expect(rhythm.isUpToDate).toBe(true);
      rhythm.syncWithin(0);
      expect(rhythm.isUpToDate).toBe(false);
      await pause(1);
      expect(rhythm.isUpToDate).toBe(true);
      state.isNews = true;
      expect(rhythm.isUpToDate).toBe(false);
      state.isNews = false;
      await rhythm.stop();
      expect(rhythm.isUpToDate).toBe(false);
    }));

  it('is not after the end, which waits for the last time', () =>
    withRhythm(async ({ rhythm, state, pause, take }) => {
      state.cost = 1_000;
      rhythm.syncWithin(0);
      await pause(1);
      let isStopped = false;
      const stopped = rhythm.stop().then(() => (isStopped = true));
      await pause(500);
      expect(isStopped).toBe(false);
      rhythm.syncWithin(0);
      rhythm.onNotice();
      rhythm.onEdit();
      await pause(500);
      await stopped;
      take();
      await pause(20_000);
      expect(take()).toEqual([]);
    }));

  it('is not after the end either where it was due soon', () =>
    withRhythm(async ({ rhythm, pause, take }) => {
      rhythm.syncWithin(100);
      await rhythm.stop();
      await pause(20_000);
      rhythm.syncWithin(0);
      await pause(20_000);
      expect(take()).toEqual([]);
    }));
});

describe('what a store keeps for a time', () => {
  it('is looked after every ten minutes, once at a time, and not by who may only read', () =>
    inSimulatedTime(async (time) => {
      const pause = (milliseconds: number): Promise<void> => time.pause(milliseconds);
      const log: string[] = [];
      const upkeep = createPruning({ everyMs: 600, log: { info: (message: string) => void log.push(message) } as never });
      let [asked, failure] = [0, null as Error | null];
      const shared = {
        isReadOnly: false,
        async prune(how: unknown) {
          expect(how).toEqual({ ifDue: true });
          asked += 1;
          await pause(100);
          if (failure !== null) throw failure;
        },
      };
      const look = (more: object = {}): void => upkeep.runIfDue({ ...shared, ...more } as never);
      look();
      await pause(599);
      look();
      expect(asked).toBe(0);
      await pause(1);
      look({ isReadOnly: true });
      expect(asked).toBe(0);
      look();
      look();
      expect(asked).toBe(1);
      await pause(700);
      look();
      expect(asked).toBe(2);
      failure = new RouxError('CANCELLED', 'The end.');
      await pause(1_000);
      expect(log).toEqual([]);
      failure = new RouxError('IO_ERROR', 'No room.');
      look();
      expect(asked).toBe(3);
      await pause(600);
      look();
      expect(asked).toBe(3);
      expect(log.length).toBe(1);
      await pause(200);
      look();
      expect(asked).toBe(4);
    }));
});

describe('while a machine waits for the lock', () => {
  it('what others commit is brought in, three commits at once, and what fails is left for later', async () => {
    let pulls = 0;
    const session = {
      async pull(...given: unknown[]) {
        expect(given).toEqual([]);
        pulls += 1;
        if (pulls === 2) throw new Error('broken');
        return [];
      },
    };
    const prefetch = createPrefetch();
    expect(prefetch.onNotice(9)).toBe(false);
    const end = prefetch.start(session);
    expect(prefetch.onNotice(2)).toBe(true);
    for (let times = 0; times < 3; times++) expect(prefetch.onNotice(3)).toBe(true);
    await new Promise((resolve) => void setImmediate(resolve));
    expect(pulls).toBe(3);
    await end();
    expect(prefetch.onNotice(9)).toBe(false);
    await end();
    const endAgain = prefetch.start(session);
    prefetch.onNotice(3);
    // It ends before it has begun.
    await endAgain();
    expect(pulls).toBe(3);
  });

  it('what is being brought in is waited for', async () => {
    let bring = (): void => undefined;
    const prefetch = createPrefetch();
    const end = prefetch.start({ pull: () => new Promise((resolve) => (bring = () => resolve([]))) });
    prefetch.onNotice(3);
    await new Promise((resolve) => void setImmediate(resolve));
    let isEnded = false;
    const ending = end().then(() => (isEnded = true));
    await new Promise((resolve) => void setImmediate(resolve));
    expect(isEnded).toBe(false);
    bring();
    await ending;
    expect(isEnded).toBe(true);
  });
});
