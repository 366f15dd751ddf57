import { mkdirSync, utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configSchema } from '../../../src/config.ts';
import { openNodeFileSystem } from '../../../src/store/folder/node-file-system.ts';
import { openTestWriter } from '../../support/open-test-writer.ts';
import { testPorts } from '../../support/test-ports.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { wrapFiles } from '../../support/wrap-files.ts';

const meta = { operation: 'test', agent: 'ada' };
const DAY_MS = 24 * 60 * 60 * 1000;

/** A writer to which it is so many days later. */
function writerAfter(vault: TestVault, days: number, trashDays: number) {
  const ports = { ...testPorts(), clock: { now: () => Date.now() + days * DAY_MS } };
  return openTestWriter({ root: vault.root, ports, config: { durability: 'full', readOnly: false, trashDays } });
}

/** Deletes a note, and writes once more so many days later. */
async function deleteAndWait(vault: TestVault, days: number, trashDays: number): Promise<void> {
  const first = writerAfter(vault, 0, trashDays);
  await first.write(meta, () => ({ files: [{ kind: 'remove', path: 'sub/a.md', to: 'trash' }] }));
  await first.close();
  const later = writerAfter(vault, days, trashDays);
  await later.write(meta, () => ({ files: [{ kind: 'create', path: 'next.md', text: 'Next\n' }] }));
  await later.close();
}

describe('what roux remembers of its writes', () => {
  it('keeps 30 days of deleted notes unless the configuration says otherwise', () => {
    expect(configSchema.parse({}).trashDays).toBe(30);
  });

  it('loses a deleted note and the texts for undo after the days of the configuration, and no trace of it stays', () =>
    withVault({ 'sub/a.md': 'A\n', 'b.md': 'B\n' }, async (vault) => {
      await deleteAndWait(vault, 31, 30);
      await waitFor(() => vault.list('.roux/trash').length === 0, { what: 'an empty trash' });
      // Batches are named after the real time, so that the last one counts as old too.
      await waitFor(() => vault.list('.roux/history/batches').length === 0, { what: 'the end of the texts' });
      // The history itself stays.
      expect(vault.read(`.roux/history/${vault.list('.roux/history').find((name) => name.endsWith('.jsonl'))}`)).toContain('sub/a.md');
    }));

  it('keeps a deleted note before that, and for ever where the configuration says 0', async () => {
    for (const [days, trashDays] of [
      [29, 30],
      [4_000, 0],
    ] as const) {
      await withVault({ 'sub/a.md': 'A\n' }, async (vault) => {
        mkdirSync(vault.path('.roux/history/keys'), { recursive: true });
        for (const month of ['2020-01', '2020-02', '2020-03']) vault.write(`.roux/history/keys/${month}.jsonl`, '');
        await deleteAndWait(vault, days, trashDays);
        await waitFor(() => vault.list('.roux/history/keys').length <= 2, { what: 'the end of the pruning' });
        const writer = writerAfter(vault, days, trashDays);
        expect(writer.store.records.trash.list().map(({ path }) => path)).toEqual(['sub/a.md']);
        await writer.restore(meta, 'sub/a.md');
        await writer.close();
        expect(vault.read('sub/a.md')).toBe('A\n');
      });
    }
  });

  it('throws nothing away while a clock that was set a year ahead is not trusted, and goes by it a day later', () =>
    withVault({ 'sub/a.md': 'A\n' }, async (vault) => {
      let days = 0;
      const ports = { ...testPorts(), clock: { now: () => Date.now() + days * DAY_MS } };
      const writer = openTestWriter({ root: vault.root, ports, config: { durability: 'full', readOnly: false, trashDays: 30 } });
      const create = (path: string) => writer.write(meta, () => ({ files: [{ kind: 'create', path, text: 'Next\n' }] }));
      await writer.write(meta, () => ({ files: [{ kind: 'remove', path: 'sub/a.md', to: 'trash' }] }));
      days = 365;
      await create('ahead.md');
      days = 0;
      await create('back.md');
      expect(writer.store.records.trash.list().map(({ path }) => path)).toEqual(['sub/a.md']);
      days = 365;
      await create('ahead again.md');
      expect(writer.store.records.trash.list().map(({ path }) => path)).toEqual(['sub/a.md']);
      await writer.close();
      const later = writerAfter(vault, 366, 30);
      await later.write(meta, () => ({ files: [{ kind: 'create', path: 'later.md', text: 'Next\n' }] }));
      await waitFor(() => later.store.records.trash.list().length === 0, { what: 'an empty trash' });
      await later.close();
    }));

  it('empties a trash of many files in one folder with one look at each folder', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      const old = '.roux/trash/01hzzzzzzzzzzzzzzzzzzzzzzz/many';
      for (let count = 0; count < 200; count++) vault.write(`${old}/${count}.md`, '');
      let looks = 0;
      const files = wrapFiles(openNodeFileSystem(vault.root), (real) => ({
        list(folder) {
          if (folder.startsWith('.roux/trash')) looks++;
          return real.list(folder);
        },
      }));
      const writer = openTestWriter({ root: vault.root, files, config: { durability: 'full', readOnly: false, trashDays: 30 } });
      await writer.write(meta, () => ({ files: [{ kind: 'create', path: 'next.md', text: 'Next\n' }] }));
      await waitFor(() => vault.list('.roux/trash').length === 0, { what: 'an empty trash' });
      await writer.close();
      expect(looks).toBeLessThan(10);
    }));

  it('drops intents that were put aside after a month, and leaves what is no work of roux alone', () =>
    withVault({ 'sub/a.md': 'A\n' }, async (vault) => {
      const old = new Date(Date.now() - 31 * DAY_MS);
      for (const name of ['rejected/01h00000000000000000000000.json', 'readme.txt']) {
        vault.write(`.roux/journal/${name}`, 'x');
        utimesSync(vault.path(`.roux/journal/${name}`), old, old);
      }
      vault.write('.roux/journal/rejected/01h00000000000000000000001.json', 'x');
      vault.write('.roux/trash/mine/old.md', 'Put here by hand.\n');
      await deleteAndWait(vault, 0, 30);
      await waitFor(() => !vault.exists('.roux/journal/rejected/01h00000000000000000000000.json'), { what: 'the end of the old one' });
      expect(vault.list('.roux/journal')).toEqual(['readme.txt', 'rejected']);
      expect(vault.read('.roux/trash/mine/old.md')).toBe('Put here by hand.\n');
    }));
});
