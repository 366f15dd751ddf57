import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { collectWhenIdle } from '../src/collect-when-idle.ts';

const LOOK = 5_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process whose CPU time the test says, and whose collections cost so much of it. */
function started(cost: number): { work: (milliseconds: number) => void; collections: () => number } {
  let [cpu, collections] = [0, 0];
  collectWhenIdle(
    () => cpu,
    () => {
      collections++;
      cpu += cost;
    },
  );
  return {
    work(milliseconds) {
      cpu += milliseconds;
      vi.advanceTimersByTime(LOOK);
    },
    collections: () => collections,
  };
}

describe('what work has left behind', () => {
  it('is collected once, when the process has come to rest', () => {
    const { work, collections } = started(10);
    for (let second = 0; second < 5; second++) work(800);
    expect(collections()).toBe(0);
    for (let look = 0; look < 20; look++) work(1);
    expect(collections()).toBe(1);
  });

  it('is left alone where it is little, or little beside what collecting costs', () => {
    const { work, collections } = started(100);
    work(900);
    work(0);
    expect(collections()).toBe(0);
    work(1_000);
    work(0);
    expect(collections()).toBe(1);
    work(1_900);
    work(0);
    expect(collections()).toBe(1);
    work(200);
    work(0);
    expect(collections()).toBe(2);
  });

  it('is collected by V8 itself', () => {
    vi.useRealTimers();
    const collected = vi.fn<(held: string) => void>();
    const registry = new FinalizationRegistry(collected);
    vi.useFakeTimers({ toFake: ['setInterval'] });
    let cpu = 0;
    collectWhenIdle(() => cpu);
    registry.register({ some: 'thing' }, 'it');
    cpu = 2_000;
    vi.advanceTimersByTime(2 * LOOK);
    vi.useRealTimers();
    return vi.waitFor(() => expect(collected).toHaveBeenCalledWith('it'));
  });
});
