import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { every } from '../../src/at-rest/every.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('what is done at several intervals wakes the process at the times of the shortest one, however it began', () => {
  const times = new Map<number, number[]>();
  const ends = [5_000, 1_000, 2_000].map((intervalMs) => {
    vi.advanceTimersByTime(333);
    const at: number[] = [];
    times.set(intervalMs, at);
    return every(intervalMs, () => void at.push(Math.floor(performance.now() / 100)));
  });
  vi.advanceTimersByTime(60_000);
  const [fives, ones, twos] = [...times.values()];
  expect([fives?.length, ones?.length, twos?.length]).toEqual([12, 60, 30]);
  expect(new Set([...times.values()].flat()).size).toBe(60);
  for (const end of ends) end();
  vi.advanceTimersByTime(60_000);
  expect(ones?.length).toBe(60);
});

it('a timer that is early makes nothing run twice', () => {
  const task = vi.fn<() => void>();
  const clock = vi.spyOn(performance, 'now');
  clock.mockReturnValue(10_000);
  every(1_000, task);
  clock.mockReturnValue(10_999.5);
  vi.advanceTimersByTime(1_000);
  expect(task).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(900);
  expect(task).toHaveBeenCalledTimes(1);
});
