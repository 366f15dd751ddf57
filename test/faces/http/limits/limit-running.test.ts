import { describe, expect, it } from 'vitest';
import { limitRunning } from '../../../../src/faces/http/limits/limit-running.ts';
import type { Host } from '../../../../src/faces/host.ts';
import type { Operation } from '../../../../src/ops/operation.ts';
import type { Answer, Session } from '../../../../src/ops/session.ts';

/** A host whose operations run until they are let go. */
function openTestHost() {
  const running = new Map<string, (() => void)[]>();
  const host = {
    openSession: ({ agent }: { readonly agent: () => string }): Partial<Session> => ({
      call: <Out>() =>
        new Promise<Answer<Out>>((resolve) => {
          const name = agent();
          running.set(name, [...(running.get(name) ?? []), () => resolve({ output: null as Out, warnings: [] })]);
        }),
    }),
  } as unknown as Host;
  const limited = limitRunning(host);
  const call = (token: string, signal?: AbortSignal): Promise<unknown> =>
    limited
      .openSession({ id: token, agent: () => token, access: { name: token, scope: 'read', folders: null } })
      .call({ operation: {} as Operation, args: {}, signal });
  return {
    call,
    count: (token: string) => running.get(token)?.length ?? 0,
    finish: (token: string) => running.get(token)?.splice(0, 1)[0]?.(),
  };
}
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('how many operations run at once', () => {
  it('H-04 one token runs 16, all but the owner 32, and the owner 32 of its own; the others wait for their turn', async () => {
    const { call, count, finish } = openTestHost();
    const calls = ['a', 'b', 'c', 'owner'].flatMap((token) => Array.from({ length: 50 }, () => call(token)));
    await settle();
    expect(['a', 'b', 'c', 'owner'].map(count)).toEqual([16, 16, 0, 32]);
    finish('a');
    await settle();
    expect(count('a') + count('b') + count('c')).toBe(32);
    for (let round = 0; round < 1000 && ['a', 'b', 'c', 'owner'].some((token) => count(token) > 0); round += 1) {
      for (const token of ['a', 'b', 'c', 'owner']) finish(token);
      await settle();
    }
    await Promise.all(calls);
  });

  it('H-04 a call that is cancelled while it waits never runs, and takes nobody’s turn', async () => {
    const { call, count, finish } = openTestHost();
    const first = Array.from({ length: 16 }, () => call('a'));
    const gone = new AbortController();
    const cancelled = call('a', gone.signal);
    const next = call('a');
    gone.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
    finish('a');
    await settle();
    expect(count('a')).toBe(16);
    while (count('a') > 0) {
      finish('a');
      await settle();
    }
    await Promise.all([...first, next]);
    expect(count('a')).toBe(0);
  });

  it('H-04 more than 2,000 that wait are refused, and may come again', async () => {
    const { call, count, finish } = openTestHost();
    const calls = Array.from({ length: 2016 }, () => call('a'));
    await expect(call('a')).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED', retryable: true });
    const owners = call('owner');
    await settle();
    expect(count('owner')).toBe(1);
    finish('owner');
    await owners;
    for (let round = 0; round < 10_000 && count('a') > 0; round += 1) {
      finish('a');
      await settle();
    }
    await Promise.all(calls);
  });
});
