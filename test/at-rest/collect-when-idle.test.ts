import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { collectWhenIdle } from '../../src/at-rest/collect-when-idle.ts';
import { repositoryRoot } from '../support/vault.ts';

const LOOK = 5_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process whose CPU time the test says, and of whose collections each pass costs so much of it. */
function started(cost: number): { work: (milliseconds: number) => void; passes: () => number; isMarking: () => boolean } {
  let [cpu, passes, isMarking] = [0, 0, true];
  collectWhenIdle(() => cpu, {
    collect() {
      passes++;
      cpu += cost;
    },
    setMarking: (isAllowed) => (isMarking = isAllowed),
  });
  return {
    isMarking: () => isMarking,
    work(milliseconds) {
      cpu += milliseconds;
      vi.advanceTimersByTime(LOOK);
    },
    passes: () => passes,
  };
}

/** What a script says in a process of its own: flags are those of all threads. */
function outputOf(script: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
    cwd: repositoryRoot,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

describe('what work has left behind', () => {
  it('is collected once, in two passes, when the process has come to rest', () => {
    const { work, passes } = started(10);
    for (let second = 0; second < 5; second++) work(800);
    expect(passes()).toBe(0);
    work(1);
    expect(passes()).toBe(1);
    for (let look = 0; look < 20; look++) work(1);
    expect(passes()).toBe(2);
  });

  it('is not looked for by V8 itself from then on, until there is work again', () => {
    const { work, passes, isMarking } = started(10);
    work(1);
    expect(isMarking()).toBe(true);
    work(3_000);
    expect(isMarking()).toBe(true);
    work(1);
    expect([passes(), isMarking()]).toEqual([1, false]);
    work(500);
    expect(isMarking()).toBe(true);
    work(1);
    expect([passes(), isMarking()]).toEqual([2, false]);
  });

  it('is left alone where it is little, or little beside what collecting costs', () => {
    const { work, passes } = started(50);
    const rest = (): void => [0, 0, 0].forEach(work);
    work(400);
    // What it does at rest does not add up.
    for (let look = 0; look < 100; look++) work(9);
    expect(passes()).toBe(0);
    work(500);
    rest();
    expect(passes()).toBe(2);
    work(1_900);
    rest();
    expect(passes()).toBe(2);
    work(200);
    rest();
    expect(passes()).toBe(4);
  });

  it('is collected without a lasting flag, with which V8 would refuse the code that is cached on disk', () => {
    const script = `
      import { Script } from 'node:vm';
      import { collectWhenIdle } from './src/at-rest/collect-when-idle.ts';
      const looks = [];
      globalThis.setTimeout = (look) => (looks.push(look), { unref() { return this; } });
      const cachedData = new Script('1;').createCachedData();
      let cpu = 0;
      collectWhenIdle(() => cpu);
      const work = (milliseconds) => ((cpu += milliseconds), looks.pop()());
      [2_000, 0, 0, 2_000].forEach(work);
      console.log(new Script('1;', { cachedData, filename: 'other' }).cachedDataRejected);`;
    expect(outputOf(script)).toBe('false\n');
  });

  it('is collected at the next pass when another thread takes the flag back in between', () => {
    const script = `
      import v8 from 'node:v8';
      import { syncBuiltinESMExports } from 'node:module';
      const { setFlagsFromString } = v8;
      const flags = [];
      v8.setFlagsFromString = (flag) => {
        setFlagsFromString(flag);
        flags.push(flag);
        if (flags.length === 1) setFlagsFromString('--no-expose-gc');
      };
      syncBuiltinESMExports();
      const { collectWhenIdle } = await import('./src/at-rest/collect-when-idle.ts');
      const looks = [];
      globalThis.setTimeout = (look) => (looks.push(look), { unref() { return this; } });
      let cpu = 0;
      collectWhenIdle(() => cpu);
      const work = (milliseconds) => ((cpu += milliseconds), looks.pop()());
      [2_000, 0, 0].forEach(work);
      console.log(flags.filter((flag) => !flag.includes('marking')).join(' '));`;
    const [expose, compact] = ['--expose-gc --no-expose-gc', '--compact-on-every-full-gc --no-compact-on-every-full-gc'];
    expect(outputOf(script)).toBe(`${expose} ${expose} ${compact}\n`);
  });

  it('is collected by V8 itself', () => {
    vi.useRealTimers();
    const collected = vi.fn<(held: string) => void>();
    const registry = new FinalizationRegistry(collected);
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    let cpu = 0;
    collectWhenIdle(() => cpu);
    registry.register({ some: 'thing' }, 'it');
    cpu = 2_000;
    vi.advanceTimersByTime(2 * LOOK);
    vi.useRealTimers();
    return vi.waitFor(() => expect(collected).toHaveBeenCalledWith('it'), { timeout: 120_000 });
  });
});
