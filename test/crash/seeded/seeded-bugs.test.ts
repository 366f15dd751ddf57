import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FileSystem, OpenFile } from '../../../src/store/folder/file-system.ts';
import { crashes, endsOf, faultsOf, restart, runUntil } from '../crash-run.ts';
import type { Seeding } from '../crash-run.ts';
import { isLong, longSeconds, sample } from '../../support/effort.ts';
import { repositoryRoot } from '../../support/vault.ts';
import { renameScenario, scenarios } from '../scenarios.ts';
import { copySource, isBuilt } from './seeded-source.ts';
import type { SourceCopy } from './seeded-source.ts';
import { seeds } from './seeds.ts';

const withFile = (files: FileSystem, change: (file: OpenFile) => Partial<OpenFile>): Partial<FileSystem> => ({
  create: (path, mode) => {
    const file = files.create(path, mode);
    return { ...file, ...change(file) };
  },
});

const bugs: readonly { readonly name: string; readonly seeding: Seeding; readonly among?: readonly string[] }[] = [
  { name: 'files are not synced', seeding: (files) => withFile(files, () => ({ sync: async () => undefined })) },
  { name: 'folders are not synced', seeding: () => ({ syncFolder: async () => undefined }) },
  {
    name: 'old names go before new ones are safe',
    seeding: (files) => ({ syncFolder: (path) => (path.includes('.roux') ? files.syncFolder(path) : Promise.resolve()) }),
  },
  {
    name: 'the trash is not synced before the name goes',
    seeding: (files) => ({ syncFolder: (path) => (path.startsWith('.roux/trash') ? Promise.resolve() : files.syncFolder(path)) }),
    among: ['delete into the trash'],
  },
  {
    name: 'the history is not synced',
    seeding: (files) => ({ append: (path) => ({ ...files.append(path), sync: async () => undefined }) }),
  },
];

describe('the battery notices bugs that are let in', () => {
  for (const { name, seeding, among } of bugs) {
    it(`F45 ${name}`, async () => {
      const found: string[] = [];
      for (const scenario of among === undefined
        ? [renameScenario(1), ...scenarios.slice(0, 3)]
        : scenarios.filter((one) => among.includes(one.name))) {
        const ends = await endsOf(scenario);
        // From the end: what was not made safe is missed after the last call, at the latest.
        for (let at = ends.calls; at >= 20 && found.length === 0; at--) {
          for (const how of crashes) {
            const run = await runUntil(scenario, at, { seeding });
            const crashed = run.disk.crash(how);
            await restart(crashed, 2, null);
            found.push(
              ...(await faultsOf(crashed, ends, { isAcknowledged: run.isAcknowledged, label: name, isWriting: false, trial: scenario })),
            );
          }
        }
      }
      expect(found).not.toEqual([]);
    });
  }

  it('F45 one write() whose short count is ignored', async () => {
    const [, scenario] = scenarios;
    if (scenario === undefined) throw new Error('no scenario');
    const ends = await endsOf(scenario);
    // The bug claims that all went in; the disk takes three bytes.
    const seeding: Seeding = (files) =>
      withFile(files, (file) => ({
        write: (bytes: Uint8Array) => {
          file.write(bytes.subarray(0, 3));
          return bytes.length;
        },
      }));
    await expect(runUntil(scenario, null, { seeding })).rejects.toMatchObject({ code: 'IO_ERROR' });
    expect(ends.calls).toBeGreaterThan(0);
  });
});

describe('the tests notice bugs that are let into the source', () => {
  let copy: SourceCopy;
  beforeAll(() => {
    copy = copySource();
  });
  afterAll(() => copy.dispose());

  it.each(seeds)('F45 there is a place to let in: $name', ({ file, from }) => {
    expect(readFileSync(join(repositoryRoot, file), 'utf8').split(from)).toHaveLength(2);
  });

  // A bug that the built program has to show takes a build.
  for (const seed of isLong
    ? seeds
    : sample(
        seeds.filter(({ test }) => !isBuilt(test)),
        12,
      )) {
    it(`F45 ${seed.name}`, () => {
      expect(copy.run(seed, { isSeeded: true }).failed).toBeGreaterThan(0);
      // That a test passes without the bug is what every other run shows, but not for the cases that a sample leaves out: there is time for it in a run of minutes.
      expect(longSeconds > 60 ? copy.run(seed, { isSeeded: false }).failed : 0).toBe(0);
    });
  }
});
