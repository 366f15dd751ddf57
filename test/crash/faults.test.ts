import { describe, expect, it } from 'vitest';
import { RouxError } from '../../src/errors.ts';
import { sample, turnAt, upTo } from '../support/effort.ts';
import { openTestWriter } from '../support/open-test-writer.ts';
import { failure, simulatedDisk } from '../support/simulated/simulated-disk.ts';
import { simulatedProcess } from '../support/simulated/simulated-process.ts';
import type { CallHook } from '../support/simulated/simulated-disk.ts';
import { endsOf, sameFiles } from './crash-run.ts';
import { scenarios } from './scenarios.ts';
import type { Scenario } from './scenarios.ts';

const meta = { operation: 'test', agent: 'ada' };
const changing: ReadonlySet<string> = new Set([
  'create',
  'append',
  'makeFolder',
  'link',
  'rename',
  'remove',
  'write',
  'sync',
  'syncFolder',
  'removeFolder',
]);

/** Lets one call, or all changing calls from it on, fail; tells what is wrong afterwards. */
async function runWithFault(
  scenario: Scenario,
  fault: { at: number; code: string; isLasting: boolean },
  after: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const disk = simulatedDisk(scenario.notes);
  const writer = openTestWriter({ root: disk.root, files: disk.files, reader: disk.reader, identity: simulatedProcess(1) });
  await writer.recover();
  const start = disk.calls.length;
  const hook: CallHook = (call) => {
    const index = call.index - start;
    if (fault.code === 'short') return call.method === 'write' && index >= fault.at ? { short: 3 } : undefined;
    const isHit = fault.isLasting ? index >= fault.at && changing.has(call.method) : index === fault.at;
    if (isHit) throw failure(fault.code, call.path);
    return undefined;
  };
  disk.onCall(hook);
  const label = `${scenario.name}, ${fault.code} ${fault.isLasting ? 'from' : 'at'} call ${fault.at}`;
  const faults: string[] = [];
  let [isDone, isUnknown] = [false, false];
  try {
    await writer.write(meta, scenario.plan);
    isDone = true;
  } catch (error) {
    isUnknown = error instanceof RouxError && error.code === 'UNKNOWN_OUTCOME';
    if (!(error instanceof RouxError)) faults.push(`not in the words of the contract: ${String(error)}`);
    else if (fault.code === 'ENOSPC' && !['NO_SPACE', 'IO_ERROR', 'UNKNOWN_OUTCOME'].includes(error.code))
      faults.push(`code ${error.code}`);
  }
  const last = disk.calls[start + fault.at];
  disk.onCall(null);
  // The server lives, and its next call works; before that, what could not be undone for want of a working disk is.
  await writer
    .write(meta, () => ({ files: [{ kind: 'create', path: 'next.md', text: 'Next\n' }] }))
    .catch((error: unknown) => faults.push(`next: ${String(error)}`));
  const { ['next.md']: next, ...visible } = disk.visible();
  if (next !== 'Next\n') faults.push('the next write is not there');
  const expected = isDone ? [after] : isUnknown ? [scenario.notes, after] : [scenario.notes];
  if (!expected.some((state) => sameFiles(state, visible)))
    faults.push(`${isDone ? 'acknowledged' : 'failed'}, but the files are ${JSON.stringify(visible)}`);
  faults.push(...disk.residue().map((path) => `left over: ${path}`));
  return faults.map((text) => `${label} (${last?.method} ${last?.path}): ${text}`);
}

describe('a fault at every call', () => {
  for (const scenario of scenarios.filter(({ name }) => !name.includes(' 12 '))) {
    it(`F05 ${scenario.name}: a clear error and the old state, or done; the next call works`, async () => {
      const ends = await endsOf(scenario);
      const faults: string[] = [];
      for (const at of sample(upTo(ends.calls), 4)) {
        // Which error it is makes little difference: another one at each call.
        for (const code of turnAt(at, ['EIO', 'EACCES', 'ENOSPC', 'EMFILE'])) {
          for (const isLasting of turnAt(at >> 2, [false, true]))
            faults.push(...(await runWithFault(scenario, { at, code, isLasting }, ends.after)));
        }
      }
      faults.push(...(await runWithFault(scenario, { at: 0, code: 'short', isLasting: true }, ends.after)));
      expect(faults).toEqual([]);
    });
  }
});
