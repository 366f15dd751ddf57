import { describe, expect, it } from 'vitest';
import { Silence } from '../../src/watchdog/silence.ts';

/** A main thread and a check of it on one clock. `own`: the time that counts against the main thread. */
function watched() {
  let [at, own, heartbeats] = [0, 0, 0];
  let heard = { at, own };
  const silence = new Silence(heartbeats, { clockMs: () => at, now: () => ({ at, own }) });
  return {
    /** Time passes, in which the main thread waits for a CPU for `waited` milliseconds. */
    pass: (ms: number, waited = 0): void => {
      at += ms;
      own += ms - waited;
    },
    beat: (): void => {
      heartbeats += 1;
      heard = { at, own };
    },
    check: () => silence.check({ heartbeats, heard }),
  };
}

describe('H-02 how long the main thread is silent', () => {
  it('is nothing while it sends heartbeats', () => {
    const { pass, beat, check } = watched();
    for (let round = 0; round < 50; round += 1) {
      pass(1_000);
      beat();
      pass(50);
      expect(check()).toEqual({ heldMs: 0, nextMs: 1_050 });
    }
  });

  it('counts from the last heartbeat', () => {
    const { pass, beat, check } = watched();
    pass(900);
    beat();
    pass(150);
    expect(check()).toEqual({ heldMs: 0, nextMs: 1_050 });
    pass(1_050);
    expect(check()).toEqual({ heldMs: 0, nextMs: 250 });
    pass(250);
    expect(check()).toEqual({ heldMs: 1_450, nextMs: 250 });
    pass(600);
    expect(check()).toEqual({ heldMs: 2_050, nextMs: 250 });
    beat();
    pass(250);
    expect(check()).toEqual({ heldMs: 0, nextMs: 1_050 });
  });

  it('is nothing for a process that was stopped and sends its heartbeat after the first check', () => {
    const { pass, beat, check } = watched();
    pass(600);
    beat();
    pass(450);
    check();
    pass(10);
    // Stopped.
    pass(1_900);
    expect(check().heldMs).toBe(0);
    beat();
    pass(250);
    expect(check()).toEqual({ heldMs: 0, nextMs: 1_050 });
  });

  it('is nothing for a process that was stopped for long, or while it is silent', () => {
    const { pass, beat, check } = watched();
    pass(1_050);
    beat();
    check();
    pass(60_000);
    expect(check()).toEqual({ heldMs: 0, nextMs: 1_050 });
    pass(1_100);
    check();
    pass(250);
    expect(check().heldMs).toBe(1_350);
    pass(60_000);
    expect(check()).toEqual({ heldMs: 0, nextMs: 1_050 });
  });

  it('does not count the time that it waits for a CPU', () => {
    const { pass, check } = watched();
    pass(1_100, 1_000);
    check();
    pass(250, 200);
    expect(check().heldMs).toBe(150);
  });
});
