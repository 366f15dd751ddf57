import { describe, expect, it } from 'vitest';
import { isLong } from '../support/effort.ts';
import { describeCrash, endsOf, faultsOf, restart, runUntil } from './crash-run.ts';
import { renameScenario } from './scenarios.ts';

/** Every so many calls of a run, and those around its commit point. */
function sampled(calls: number, samples: number): readonly number[] {
  const step = calls / samples;
  return Array.from({ length: samples }, (_, index) => Math.floor((index + 0.5) * step));
}

describe('a crash in the middle of a large rename', () => {
  it('F02 rename with 500 backlinks, stopped at calls all along the way: all old or all new after a restart', async () => {
    const scenario = renameScenario(500);
    const ends = await endsOf(scenario);
    const faults: string[] = [];
    const outcomes = new Set<string>();
    for (const [index, at] of sampled(ends.calls, isLong ? 200 : 8).entries()) {
      const run = await runUntil(scenario, at);
      const how = index % 2 === 0 ? 'kill' : ({ seed: index } as const);
      const crashed = run.disk.crash(how);
      await restart(crashed, 2, null);
      outcomes.add(crashed.visible()['old.md'] === undefined ? 'new' : 'old');
      const label = `call ${at} of ${ends.calls}, ${describeCrash(how)}`;
      faults.push(...(await faultsOf(crashed, ends, { isAcknowledged: run.isAcknowledged, label, isWriting: false })));
    }
    expect(faults).toEqual([]);
    expect(outcomes).toEqual(new Set(['old', 'new']));
  });

  it('W43 a crash between two files of one rename: the restart finishes it, and meanwhile both names are there', async () => {
    const scenario = renameScenario(2);
    const { disk } = await runUntil(scenario, null);
    const swap = (path: string): number => disk.calls.find(({ method, path: to }) => method === 'rename' && to === path)?.index ?? -1;
    const [first, second] = [swap('from/n0.md'), swap('from/n1.md')];
    expect(first).toBeGreaterThan(0);
    expect(second).toBeGreaterThan(first);
    const ends = await endsOf(scenario);
    for (let at = first + 1; at <= second; at++) {
      const run = await runUntil(scenario, at);
      const crashed = run.disk.crash('kill');
      const between = crashed.visible();
      expect(between['from/n0.md']).toContain('[[sub/new]]');
      expect(between['from/n1.md']).toContain('[[old]]');
      expect(Object.keys(between)).toEqual(expect.arrayContaining(['old.md', 'sub/new.md']));
      await restart(crashed, 2, null);
      expect(crashed.visible()).toEqual(ends.after);
      expect(await faultsOf(crashed, ends, { isAcknowledged: false, label: `call ${at}` })).toEqual([]);
    }
  });
});
