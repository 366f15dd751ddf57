import { describe, expect, it } from 'vitest';
import { RouxError } from '../../src/errors.ts';
import { isLong, sample, turnAt, upTo } from '../support/effort.ts';
import { openTestWriter } from '../support/open-test-writer.ts';
import type { TestWriter } from '../support/open-test-writer.ts';
import { failure, simulatedDisk } from '../support/simulated/simulated-disk.ts';
import type { SimulatedDisk } from '../support/simulated/simulated-disk.ts';
import type { Crash } from '../support/simulated/simulated-crash.ts';
import { simulatedProcess } from '../support/simulated/simulated-process.ts';
import { testPorts } from '../support/test-ports.ts';
import { endsOf, sameFiles } from './crash-run.ts';
import { notePath, scenarios } from './scenarios.ts';
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
  'cut',
  'setMode',
]);

/** An error that stays from one call on: for what changes the disk, or for reading too. */
interface Fault {
  readonly at: number;
  readonly code: string;
  readonly reach: 'changes' | 'everything';
}

type Answer = { readonly kind: 'done' } | { readonly kind: 'refused' | 'unknown'; readonly error: RouxError };

async function answerOf(writing: Promise<unknown>): Promise<Answer> {
  try {
    await writing;
    return { kind: 'done' };
  } catch (error) {
    if (!(error instanceof RouxError)) throw error;
    return { kind: error.code === 'UNKNOWN_OUTCOME' ? 'unknown' : 'refused', error };
  }
}

function openWriter(disk: SimulatedDisk, pid: number): TestWriter {
  return openTestWriter({ root: disk.root, files: disk.files, reader: disk.reader, identity: simulatedProcess(pid), ports: testPorts() });
}

/** The batches that the history tells of. */
function batchesOf(disk: SimulatedDisk): ReadonlySet<string> {
  const lines = Object.entries(disk.all()).flatMap(([path, text]) =>
    /^\.roux\/history\/\d{4}-\d{2}\.jsonl$/.test(path) ? text.split('\n').filter((line) => line !== '') : [],
  );
  return new Set(lines.map((line) => String((JSON.parse(line) as { batch?: string }).batch)));
}

/** Writes on a disk that fails from some call on. */
async function failingWrite(scenario: Scenario, fault: Fault, key?: string) {
  const disk = simulatedDisk(scenario.notes);
  const writer = openWriter(disk, 1);
  await writer.recover();
  const start = disk.calls.length;
  disk.onCall(({ index, method, path }) => {
    if (index - start >= fault.at && (fault.reach === 'everything' || changing.has(method))) throw failure(fault.code, path);
  });
  const write = (from: TestWriter) =>
    answerOf(from.write({ ...meta, ...(key === undefined ? {} : { idempotencyKey: key, payloadHash: 'p' }) }, scenario.plan));
  const answer = await write(writer);
  return { disk, writer, write, answer };
}

/** The disk works again, and somebody who only reads starts: on this machine, or after its power went. */
async function readerStarts(disk: SimulatedDisk, how: Crash | 'heal'): Promise<SimulatedDisk> {
  disk.onCall(null);
  const next = how === 'heal' ? disk.afterKill() : disk.crash(how);
  await openWriter(next, 2).recover();
  return next;
}

/** What is wrong with the answer to one write, judged by what a reader finds and by a retry without a key. */
async function judge(
  scenario: Scenario,
  fault: Fault,
  how: Crash | 'heal',
  after: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const { disk, write, answer } = await failingWrite(scenario, fault);
  const faults: string[] = [];
  const next = await readerStarts(disk, how);
  const [isOld, isNew] = [sameFiles(next.visible(), scenario.notes), sameFiles(next.visible(), after)];
  const batches = batchesOf(next);
  if (answer.kind === 'done' && !isNew) faults.push('acknowledged and not there');
  if (answer.kind === 'refused' && (!isOld || batches.size > 0))
    faults.push(`answered ${answer.error.code} (${answer.error.message}), and it happened later`);
  if (answer.kind === 'unknown') {
    const batch = String(answer.error.details?.['batch']);
    if (!isOld && !isNew) faults.push(`neither old nor new: ${JSON.stringify(next.visible())}`);
    if (!answer.error.message.includes(batch)) faults.push(`the answer does not name the batch: ${answer.error.message}`);
    if (batches.has(batch) !== isNew)
      faults.push(`the history ${batches.has(batch) ? 'has' : 'does not have'} the batch, the files are ${isNew ? 'new' : 'old'}`);
    const undone = await answerOf(openWriter(next, 3).undo(meta, { batch }));
    const said = undone.kind === 'done' ? '' : undone.error.message;
    // What the files held before may have gone with the power.
    const saysDone = undone.kind === 'done' || (how !== 'heal' && said.startsWith('The texts before batch'));
    if (saysDone !== isNew || (!saysDone && !said.startsWith('Nothing is kept of the batch')))
      faults.push(`undo answers ${said}, the files are ${isNew ? 'new' : 'old'}`);
  }
  if (answer.kind === 'refused') {
    const again = await write(openWriter(next, 3));
    if (again.kind !== 'done') faults.push(`a retry is refused: ${again.error.message}`);
    if (!sameFiles(next.visible(), after) || batchesOf(next).size !== 1)
      faults.push(`a retry has another effect: ${JSON.stringify(next.visible())}`);
  }
  return faults;
}

/** The same for a write with an idempotency key, repeated while the disk still fails and when it works. */
async function judgeKeyed(
  scenario: Scenario,
  fault: Fault,
  isSameProcess: boolean,
  after: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const { disk, writer, write, answer } = await failingWrite(scenario, fault, 'k');
  const faults: string[] = [];
  const repeated = await write(writer);
  let [next, again] = [disk, writer];
  disk.onCall(null);
  if (!isSameProcess) {
    next = await readerStarts(disk, 'heal');
    again = openWriter(next, 3);
    const isOld = sameFiles(next.visible(), scenario.notes);
    for (const [which, one] of [
      ['the call', answer],
      ['the repeat', repeated],
    ] as const)
      if (one.kind === 'refused' && answer.kind !== 'done' && !isOld)
        faults.push(`${which} was answered ${one.error.code} (${one.error.message}), and it happened later`);
  }
  const last = await write(again);
  if (last.kind !== 'done') faults.push(`the repeat on a disk that works: ${last.error.message}`);
  if (!sameFiles(next.visible(), after)) faults.push(`more or less than one effect: ${JSON.stringify(next.visible())}`);
  if (batchesOf(next).size !== 1) faults.push(`${batchesOf(next).size} batches in the history`);
  faults.push(...next.residue().map((path) => `left over: ${path}`));
  return faults;
}

/** `ESTALE`: a share of another machine that is gone, or was mounted anew. */
const codes = ['EIO', 'ENOSPC', 'EROFS', 'EACCES', 'ESTALE'];
const reaches = ['changes', 'everything'] as const;

/** A folder that is renamed, and a note that leaves another: the emptied ones go after the commit. */
const folderRename: Scenario = {
  name: 'rename of a folder',
  notes: { 'old/a.md': 'A\n', 'old/b.md': 'B [[a]]\n', 'c.md': '[[old/a]]\n', 'far/deep/d.md': 'D\n' },
  plan: () => ({
    files: [
      { kind: 'move', from: 'old/a.md', to: 'new/a.md', changes: [] },
      { kind: 'move', from: 'old/b.md', to: 'new/b.md', changes: [] },
      { kind: 'move', from: 'far/deep/d.md', to: 'new/d.md', changes: [] },
      { kind: 'change', path: notePath('c.md'), changes: [{ op: 'relink', links: [{ link: 'old/a', form: 'wikilink', to: 'new/a' }] }] },
    ],
    emptied: ['old'],
    vacated: ['far/deep', 'far'],
  }),
};

describe('a write that was refused never happens later', () => {
  for (const scenario of [...scenarios.filter(({ name }) => !name.includes(' 12 ')), folderRename]) {
    it(`H-09 ${scenario.name}: an error that stays from any call on is "nothing was changed" for ever, or an unknown outcome`, async () => {
      const ends = await endsOf(scenario);
      const faults: string[] = [];
      for (const at of sample(upTo(ends.calls), 3)) {
        for (const code of isLong ? codes.slice(at % 3, (at % 3) + 3) : turnAt(at, codes)) {
          for (const reach of turnAt(at >> 2, reaches)) {
            const fault = { at, code, reach };
            const label = `${code} for ${reach} from call ${at} on`;
            const how = (['heal', 'power', { seed: at }] as const)[(at >> 1) % 3] ?? 'heal';
            faults.push(...(await judge(scenario, fault, how, ends.after)).map((text) => `${label}, ${JSON.stringify(how)}: ${text}`));
            for (const isSame of turnAt(at, [true, false]))
              faults.push(...(await judgeKeyed(scenario, fault, isSame, ends.after)).map((text) => `${label}, with a key: ${text}`));
          }
        }
      }
      expect(faults).toEqual([]);
    });
  }
});
