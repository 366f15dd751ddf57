import { describe, expect, it } from 'vitest';
import { RouxError } from '../../../../src/errors.ts';
import { hashOf } from '../../../../src/store/folder/hash.ts';
import { writeNewFile } from '../../../../src/store/folder/write-file.ts';
import type { HistoryEvent } from '../../../../src/store/records/history-event.ts';
import type { Intent } from '../../../../src/store/transaction/intent.ts';
import { clearStaged, missingEvents, withdraw } from '../../../../src/store/transaction/rollback.ts';
import { failure, simulatedDisk } from '../../../support/simulated/simulated-disk.ts';
import { simulatedLock } from '../../../support/simulated/simulated-lock.ts';

const id = 'a'.repeat(26);
const own = (name: string): string => `.roux/journal/${id}.${name}`;
const event = (seq: number, batch = id): HistoryEvent => ({
  seq,
  timestamp: '2026-01-01T00:00:00.000Z',
  node: 'a',
  path: 'a.md',
  agent: 'ada',
  action: 'updated',
  changes: [],
  batch,
});
const intent: Intent = {
  format: 1,
  id,
  operation: 'test',
  agent: 'ada',
  timestamp: '2026-01-01T00:00:00.000Z',
  steps: [{ kind: 'replace', path: 'a.md', before: hashOf('old'), after: hashOf('new'), changes: null, isCommutative: false }],
  events: [event(1), event(2)],
  folders: [],
};
const refusal = new RouxError('CONFLICT', 'It was refused.', { path: 'a.md' });

/** A transaction that has replaced `a.md`, on a disk where it is in force, or only drafted. */
async function given({ isEnacted = true, text = 'new', appended = [] as readonly HistoryEvent[], of = intent } = {}) {
  const disk = simulatedDisk({ 'a.md': text, [own('0')]: 'new', [own('0.old')]: 'old' });
  let error: Error | null = null;
  const check = async (): Promise<void> => {
    if (error !== null) throw error;
  };
  const { under, log, changesOf } = simulatedLock(disk, { lock: { check } });
  await writeNewFile(disk.files, under.journal.draft(id, of, false));
  if (isEnacted) await under.journal.enact(id, false);
  if (appended.length > 0) await under.records.events.append(appended, false);
  return {
    disk,
    under,
    log,
    changesOf,
    /** Lets rolling back fail. */
    failWith: (next: Error) => {
      error = next;
    },
    left: () =>
      disk
        .residue()
        .map((path) => path.slice('.roux/journal/'.length + 27))
        .toSorted(),
  };
}

describe('a transaction that failed', () => {
  it('H-09 is undone, and answered with what went wrong', async () => {
    const { disk, under, log, left } = await given();
    expect(await withdraw(under, intent, refusal)).toBe(refusal);
    expect([disk.visible(), left(), log]).toEqual([{ 'a.md': 'old' }, [], []]);
  });

  it('H-09 is told with the conflict copies that undoing it made, and so is the log', async () => {
    const { disk, under, log } = await given({ text: 'mine' });
    const answer = await withdraw(under, intent, refusal);
    const copy = Object.keys(disk.visible()).find((path) => path.includes('sync-conflict')) ?? '';
    expect(answer).toMatchObject({ code: 'CONFLICT', details: { path: 'a.md' }, message: expect.stringContaining(`It was refused. a.md`) });
    expect([String(answer), log.join()].every((text) => text.includes(copy) && copy !== '')).toBe(true);
    const other = await given({ text: 'mine' });
    const cause = failure('EIO', 'a.md');
    expect(await withdraw(other.under, intent, cause)).toBe(cause);
    expect(other.log).toHaveLength(1);
  });

  it('H-09 before it was in force leaves the files alone, and nothing staged', async () => {
    const { disk, under, left, changesOf } = await given({ isEnacted: false });
    const changes = await changesOf(async () => expect(await withdraw(under, intent, refusal)).toBe(refusal));
    expect([disk.visible(), left()]).toEqual([{ 'a.md': 'new' }, []]);
    expect(changes.filter((call) => !call.startsWith('remove'))).toEqual([]);
  });

  it('H-09 of which another process has the lock by now is touched no more: nobody here knows what became of it', async () => {
    const { disk, under, left } = await given();
    const lost = new RouxError('LOCK_TIMEOUT', 'The lock is gone.');
    expect(await withdraw(under, intent, lost)).toMatchObject({ code: 'UNKNOWN_OUTCOME', details: { batch: id } });
    expect([disk.visible(), left()]).toEqual([{ 'a.md': 'new' }, ['0', '0.old', 'json']]);
  });

  it('H-09 is not undone where any of it is in the history: the next start goes by that', async () => {
    for (const appended of [[event(1)], [event(1), event(2)]]) {
      const { disk, under, left } = await given({ appended });
      expect(await withdraw(under, intent, refusal)).toMatchObject({ code: 'UNKNOWN_OUTCOME', details: { batch: id } });
      expect([disk.visible(), left()]).toEqual([{ 'a.md': 'new' }, ['0', '0.old', 'json']]);
    }
    // One that has no events is none of these.
    const quiet = { ...intent, events: [] };
    const { disk, under } = await given({ of: quiet });
    expect(await withdraw(under, quiet, refusal)).toBe(refusal);
    expect(disk.visible()).toEqual({ 'a.md': 'old' });
  });

  it('H-09 has an unknown outcome until its mark is there, and will not happen from then on', async () => {
    const unmarked = await given();
    unmarked.disk.onCall(({ method, path }) => {
      if (method === 'rename' && path === own('abort')) throw failure('EIO', path);
    });
    expect(await withdraw(unmarked.under, intent, refusal)).toMatchObject({ code: 'UNKNOWN_OUTCOME' });

    for (const error of [failure('EIO', 'a.md'), new RouxError('IO_ERROR', 'The disk failed.')]) {
      const marked = await given();
      marked.failWith(error);
      const answer = await withdraw(marked.under, intent, refusal);
      expect(answer).toMatchObject({
        code: 'CONFLICT',
        details: { path: 'a.md', batch: id },
        message: expect.stringContaining('will not happen'),
      });
      expect(marked.left()).toEqual(['0', '0.old', 'abort', 'json']);
      expect(marked.log.join()).toContain('is tried again before the next write');
    }
    const other = await given();
    other.failWith(failure('EIO', 'a.md'));
    const cause = new TypeError('a fault of the program');
    expect(await withdraw(other.under, intent, cause)).toBe(cause);
  });

  it('H-09 does not hide a fault of the program', async () => {
    const { under, failWith } = await given();
    failWith(new TypeError('a fault of the program'));
    await expect(withdraw(under, intent, refusal)).rejects.toThrow('a fault of the program');
  });
});

it('H-09 what was staged and cannot be removed is logged, and left to the next write', async () => {
  for (const error of [failure('EIO', ''), new RouxError('IO_ERROR', 'The disk failed.'), new TypeError('a fault of the program')]) {
    const { disk, under, log } = await given({ isEnacted: false });
    disk.onCall(({ method }) => {
      if (method === 'remove') throw error;
    });
    const thrown = await clearStaged(under, intent).catch((caught: unknown) => caught);
    const isFault = error instanceof TypeError;
    expect([thrown, log.join().includes(`Clearing up after transaction ${id}`)]).toEqual([isFault ? error : undefined, !isFault]);
  }
});

it('F09 the events that the history does not have are those of the transaction and of no other', async () => {
  const { under } = await given({ appended: [event(1, 'b'.repeat(26)), event(2)] });
  expect(missingEvents(under, intent)).toEqual([event(1)]);
  const many = Array.from({ length: 2_000 }, (_, index) => event(index + 3));
  await under.records.events.append(many, false);
  expect(missingEvents(under, { ...intent, events: many })).toEqual([]);
});
