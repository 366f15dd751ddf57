import { expect, it } from 'vitest';
import { createOrigin } from '../../../src/store/origin.ts';
import { openRecords } from '../../../src/store/records/records.ts';
import { openJournal } from '../../../src/store/transaction/journal.ts';
import { readIntent } from '../../../src/store/transaction/intent.ts';
import type { Intent, Step } from '../../../src/store/transaction/intent.ts';
import { splitBatch } from '../../../src/store/transaction/parts.ts';
import { simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import { simulatedLock } from '../../support/simulated/simulated-lock.ts';
import { testPorts } from '../../support/test-ports.ts';

const hash = 'a'.repeat(64);
const step = (path: string): Step => ({ kind: 'replace', path, before: hash, after: hash, changes: null, isCommutative: false });

/** Takes a transaction of these files apart; `b.md` displaced nothing. */
async function partsOf(paths: readonly string[], ids: Readonly<Record<string, readonly string[]>>) {
  const disk = simulatedDisk({ '.roux/history/batches/whole.json': 'whole' });
  const origin = createOrigin(disk.files, testPorts());
  const records = openRecords(disk.files, { origin, isSynced: true });
  for (const [index, path] of paths.entries()) if (path !== 'b.md') disk.save(records.beforeFile('whole', index), path);
  const steps = paths.map((path) => ({ step: step(path), image: null, like: null, events: [], describe: () => [] }));
  const displaced = paths.map((path, index) => ({ file: records.beforeFile('whole', index), hash, path, before: null }));
  const parts = Object.entries(ids).map(([id, own]) => ({
    id,
    at: `at ${id}`,
    operation: `do ${id}`,
    agent: `agent ${id}`,
    has: (path: string) => own.includes(path),
  }));
  const kept = await splitBatch(
    { files: disk.files.hold(), journal: openJournal(disk.files, origin), records },
    { id: 'whole', steps },
    { parts, displaced },
  );
  const intentOf = (id: string): unknown => readIntent(disk.files, records.batchFile(id), origin)?.intent;
  return { disk, intentOf, kept: kept.map(({ file, path }) => `${path}: ${file.slice('.roux/history/batches/'.length)}`) };
}

it('several transactions that were carried out as one are kept each by itself, with the numbers that its own steps have', async () => {
  const { disk, intentOf, kept } = await partsOf(['a.md', 'b.md', 'c.md'], { one: ['c.md', 'a.md'], two: ['b.md'], three: ['d.md'] });
  expect(kept).toEqual(['a.md: one.0', 'b.md: whole.1', 'c.md: one.1']);
  const files = Object.fromEntries(Object.entries(disk.all()).map(([path, text]) => [path.slice('.roux/history/batches/'.length), text]));
  expect(files).toMatchObject({ 'one.0': 'a.md', 'one.1': 'c.md' });
  // All of it belongs to one of them, so that nothing is left to be undone as a whole.
  expect(Object.keys(files).toSorted()).toEqual(['one.0', 'one.1', 'one.json', 'two.json']);
  const one: Intent = {
    format: 1,
    id: 'one',
    operation: 'do one',
    agent: 'agent one',
    timestamp: 'at one',
    steps: [step('a.md'), step('c.md')],
    events: [],
    folders: [],
  };
  expect(intentOf('one')).toEqual(one);
  expect(intentOf('two')).toMatchObject({ id: 'two', steps: [step('b.md')] });
});

it('a part has each step of which it has one path, and what is kept of it waits for no disk', async () => {
  const disk = simulatedDisk({ 'a.md': '' });
  const { under, changesOf } = simulatedLock(disk);
  const moved: Step = {
    kind: 'move',
    from: 'a.md',
    to: 'b.md',
    before: hash,
    after: hash,
    over: null,
    keepsFrom: false,
    changes: null,
    isCommutative: false,
  };
  const steps = [moved, step('c.md')].map((each) => ({ step: each, image: null, like: null, events: [], describe: () => [] }));
  const part = { id: 'one', at: '', operation: '', agent: '', has: (path: string) => path === 'b.md' };
  const changes = await changesOf(() => splitBatch(under, { id: 'whole', steps }, { parts: [part], displaced: [] }));
  expect(changes).toEqual([`create ${under.records.batchFile('one')}`]);
  expect(readIntent(disk.files, under.records.batchFile('one'), { isOurs: () => true })?.intent).toMatchObject({ steps: [moved] });
});

it('what belongs to none of several transactions stays with the whole', async () => {
  const { disk, kept } = await partsOf(['a.md', 'c.md'], { one: ['c.md'] });
  expect(kept).toEqual(['a.md: whole.0', 'c.md: one.0']);
  expect(disk.all()['.roux/history/batches/whole.json']).toBe('whole');
});
