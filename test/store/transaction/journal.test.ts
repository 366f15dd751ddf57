import { expect, it } from 'vitest';
import { createOrigin } from '../../../src/store/origin.ts';
import { readIntent } from '../../../src/store/transaction/intent.ts';
import { JOURNAL, REJECTED, isIntentName, openJournal } from '../../../src/store/transaction/journal.ts';
import { writeNewFile } from '../../../src/store/folder/write-file.ts';
import { simulatedDisk } from '../../support/simulated/simulated-disk.ts';
import { testPorts } from '../../support/test-ports.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

const [one, two, three] = ['a', 'b', 'c'].map((letter) => letter.repeat(26)) as [string, string, string];

/** A journal with these files, and the calls of the disk since. */
function journalWith(files: Readonly<Record<string, string>> = {}) {
  const disk = simulatedDisk({
    [`${JOURNAL}/readme.txt`]: 'of a person',
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`${JOURNAL}/${name}`, text])),
  });
  const origin = createOrigin(disk.files, testPorts());
  return {
    disk,
    origin,
    journal: openJournal(disk.files, origin),
    names: (folder = JOURNAL) => (disk.files.list(folder) ?? []).map(({ name }) => name),
    /** What changed the disk or was made durable while something ran. */
    changesOf: async (work: () => unknown): Promise<readonly string[]> => {
      const start = disk.calls.length;
      await work();
      const seen = disk.calls
        .slice(start)
        .filter(({ method }) => ['link', 'rename', 'remove', 'syncFolder', 'sync', 'create'].includes(method));
      return seen.map(({ method, path }) => `${method} ${path.slice(JOURNAL.length + 1)}`);
    },
  };
}

it('F01 each name of a transaction is one that the journal knows again', () => {
  const { journal } = journalWith();
  const names = [
    journal.image(one, 0),
    journal.newerImage(one, 12, { attempt: 3, hash: '0123456789abcdef0123' }),
    journal.displaced(one, 1),
    journal.displaced(one, 1, 'over'),
    journal.draft(one, {}, true).path,
  ].map((path) => path.slice(JOURNAL.length + 1));
  expect(names).toEqual([`${one}.0`, `${one}.12.again.3.0123456789abcdef`, `${one}.1.old`, `${one}.1.over`, `${one}.draft`]);
  for (const name of names) expect(journalWith({ [name]: 'x' }).journal.read(), name).toEqual({ intents: [], torn: [], abandoned: [one] });
  expect([`${one}.json`, `${one}.abort`, `${one}.draft`, `x${one}.json`, `${one}.json2`].map(isIntentName)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

it('F01 an intent is in force once it has its name, and to be undone once it has its mark, each of them on the medium', async () => {
  for (const isSynced of [true, false]) {
    const { disk, journal, names, changesOf } = journalWith();
    const sync = isSynced ? ['syncFolder '] : [];
    const draft = journal.draft(one, { of: 'a test' }, isSynced);
    expect(draft).toMatchObject({ like: null, isSynced });
    await writeNewFile(disk.files, draft);
    expect(journal.isEnacted(one)).toBe(false);
    expect(await changesOf(() => journal.enact(one, isSynced))).toEqual([`rename ${one}.json`, ...sync]);
    expect([journal.isEnacted(one), journal.read().intents]).toEqual([
      true,
      [{ id: one, isAborted: false, intent: { of: 'a test' }, isOurs: true }],
    ]);
    disk.save(`${JOURNAL}/${one}.draft`, 'of an earlier attempt');
    expect(await changesOf(() => journal.abort(one, isSynced))).toEqual([
      `remove ${one}.draft`,
      `link ${one}.draft`,
      `rename ${one}.abort`,
      ...sync,
    ]);
    expect([journal.isEnacted(one), journal.read().intents[0]?.isAborted, names()]).toEqual([
      true,
      true,
      [`${one}.abort`, `${one}.json`, 'readme.txt'],
    ]);
  }
});

it('F01 what was staged for a step is told with what it was made of, and nothing of another step', () => {
  const again = (step: number, hash: string): string => `${one}.${step}.again.0.${hash}`;
  const { journal } = journalWith({
    [`${one}.1`]: '',
    [again(1, 'abc')]: '',
    [again(1, 'def')]: '',
    [`${one}.1.old`]: '',
    [`${one}.1.again`]: '',
    [again(11, 'abc')]: '',
    [`${one}.11`]: '',
    [`${two}.1`]: '',
  });
  expect(journal.stagedImages(one, 1)).toEqual([
    { path: `${JOURNAL}/${one}.1`, hash: null },
    { path: `${JOURNAL}/${again(1, 'abc')}`, hash: 'abc' },
    { path: `${JOURNAL}/${again(1, 'def')}`, hash: 'def' },
  ]);
  expect(journal.stagedImages(two, 2)).toEqual([]);
  expect(openJournal(simulatedDisk({}).files, journalWith().origin).stagedImages(one, 1)).toEqual([]);
});

it('F08 a look tells whole intents, torn ones and what was never committed apart', async () => {
  const { disk, origin, journal } = journalWith({ [`${two}.json`]: 'torn', [`${two}.0`]: '', [`${three}.0`]: '', [`${three}.draft`]: '' });
  const whole = async (id: string): Promise<void> => {
    await writeNewFile(disk.files, journal.draft(id, { id }, false));
    await journal.enact(id, false);
  };
  await whole(one);
  disk.save(`${JOURNAL}/${one}.0`, '');
  const folder = 'd'.repeat(26);
  disk.save(`${JOURNAL}/${folder}.json/x`, '');
  disk.save(`${JOURNAL}/${folder}.0`, '');
  const intents = [{ id: one, isAborted: false, intent: { id: one }, isOurs: true }];
  expect(journal.read()).toEqual({ intents, torn: [folder, two], abandoned: [three] });
  expect(journal.read(one)).toEqual({ intents, torn: [], abandoned: [] });
  expect(journal.read(three)).toEqual({ intents: [], torn: [], abandoned: [three] });
  expect(openJournal(simulatedDisk({}).files, origin).read()).toEqual({ intents: [], torn: [], abandoned: [] });
});

it('F08 what is put aside is kept whole, its intent last, and never over what lies there', async () => {
  const { journal, names, changesOf } = journalWith({
    [`${one}.json`]: '1',
    [`${one}.0`]: '2',
    [`${one}.abort`]: '3',
    [`${two}.json`]: '4',
    [`${one}x`]: '5',
  });
  expect(await changesOf(() => journal.setAside(new Set()))).toEqual([]);
  expect(names()).not.toContain('rejected');
  const moves = [`rename rejected/${one}.0`, `rename rejected/${one}.abort`, `rename rejected/${one}.json`];
  expect(await changesOf(() => journal.setAside(new Set([one])))).toEqual(moves);
  expect(names()).toEqual([`${one}x`, `${two}.json`, 'readme.txt', 'rejected']);
  for (const count of [2, 3]) {
    const again = journalWith({
      [`${one}.0`]: 'new',
      [`rejected/${one}.0`]: 'old',
      ...(count === 3 ? { [`rejected/2-${one}.0`]: 'older' } : {}),
    });
    again.journal.setAside(new Set([one]));
    expect(again.disk.all()[`${REJECTED}/${count}-${one}.0`]).toBe('new');
    expect(again.disk.all()[`${REJECTED}/${one}.0`]).toBe('old');
  }
});

it('F08 what is put aside is in a private folder', () => {
  const { disk, origin } = journalWith({ [`${one}.json`]: '1' });
  const made: unknown[] = [];
  const files = wrapFiles(disk.files, (real) => ({
    makeFolder(path, isPrivate) {
      made.push([path, isPrivate]);
      real.makeFolder(path, isPrivate);
    },
  }));
  openJournal(files, origin).setAside(new Set([one]));
  expect(made).toEqual([[REJECTED, true]]);
});

it('F55 what was never committed goes, and nothing else', async () => {
  const { journal, names, changesOf } = journalWith({ [`${one}.0`]: '', [`${one}.draft`]: '', [`${two}.0`]: '' });
  expect(await changesOf(() => journal.clearAbandoned(new Set()))).toEqual([]);
  journal.clearAbandoned(new Set([one, three]));
  expect(names()).toEqual([`${two}.0`, 'readme.txt']);
});

it('F01 what a transaction used is cleared: its intent after its files, and a mark after that is on the medium', async () => {
  const files = { [`${one}.0`]: '', [`${one}.1.old`]: '', [`${one}.json`]: 'intent', [`${two}.0`]: '' };
  for (const isSynced of [true, false]) {
    const done = journalWith(files);
    expect(await done.changesOf(() => done.journal.clear(one, { isSynced }))).toEqual([
      `remove ${one}.0`,
      `remove ${one}.1.old`,
      `remove ${one}.json`,
    ]);
    expect(done.names()).toEqual([`${two}.0`, 'readme.txt']);

    const kept = journalWith(files);
    expect(await kept.changesOf(() => kept.journal.clear(one, { isSynced, moveIntentTo: `${JOURNAL}/kept` }))).toEqual([
      `remove ${one}.0`,
      `remove ${one}.1.old`,
      'rename kept',
    ]);
    expect([kept.names(), kept.disk.all()[`${JOURNAL}/kept`]]).toEqual([[`${two}.0`, 'kept', 'readme.txt'], 'intent']);

    const undone = journalWith({ ...files, [`${one}.abort`]: '' });
    const sync = isSynced ? ['syncFolder '] : [];
    expect(await undone.changesOf(() => undone.journal.clear(one, { isSynced }))).toEqual([
      `remove ${one}.0`,
      `remove ${one}.1.old`,
      `remove ${one}.json`,
      ...sync,
      `remove ${one}.abort`,
      ...sync,
    ]);
  }
  // Kept already, under a second name of the same file.
  const twice = journalWith(files);
  twice.disk.files.link(`${JOURNAL}/${one}.json`, `${JOURNAL}/kept`);
  await twice.journal.clear(one, { isSynced: true, moveIntentTo: `${JOURNAL}/kept` });
  expect(twice.names()).toEqual([`${two}.0`, 'kept', 'readme.txt']);
  const none = journalWith({ [`${one}.0`]: '' });
  expect(await none.changesOf(() => none.journal.clear(one, { isSynced: true, moveIntentTo: `${JOURNAL}/kept` }))).toEqual([
    `remove ${one}.0`,
  ]);
});

it('F09 what came of an intent is kept under another name, in place of what lies there', async () => {
  for (const isSynced of [true, false]) {
    const { disk, origin, journal, changesOf } = journalWith({ kept: 'earlier' });
    const path = `${JOURNAL}/kept`;
    expect(await changesOf(() => journal.writeIntent(path, { of: 'a test' }, isSynced))).toEqual([
      'remove kept',
      'create kept',
      ...(isSynced ? ['sync kept'] : []),
    ]);
    expect(readIntent(disk.files, path, origin)).toEqual({ intent: { of: 'a test' }, isOurs: true });
    expect(await changesOf(() => journal.writeIntent(`${JOURNAL}/new`, {}, false))).toEqual(['create new']);
  }
});
