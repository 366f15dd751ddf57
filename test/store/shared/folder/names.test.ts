import { spawnSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { settled, withMachines } from '../../../support/postgres/machine.ts';
import { hasPostgres, useStore } from '../../../support/postgres/store.ts';
import { waitFor } from '../../../support/wait-for.ts';

describe.skipIf(!hasPostgres)('names that another machine has otherwise', () => {
  const store = useStore();

  it('P-08 folders whose names differ by case alone, made on two machines or renamed on one, hold no machine up', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      anna!.folder.write('Work/one.md', 'of anna\n');
      ben!.folder.write('work/two.md', 'of ben\n');
      await waitFor(() => ben!.folder.exists('Work/one.md') && anna!.folder.exists('work/two.md'), { what: 'both folders on both' });
      anna!.folder.write('plan/a.md', 'a\n');
      await settled(machines);
      await waitFor(() => ben!.folder.exists('plan/a.md'), { what: 'the folder' });
      ben!.folder.write('plan/.hidden/own', 'of this machine\n');
      renameSync(anna!.folder.path('plan'), anna!.folder.path('Plan'));
      await waitFor(() => ben!.folder.exists('Plan/a.md') && !ben!.folder.exists('plan/a.md'), { what: 'the new name' });
      await ben!.ask('create_node', { title: 'After', content: 'x\n' });
      await waitFor(() => anna!.folder.exists('After.md'), { what: 'what came after' });
      expect(Object.keys(await settled(machines)).filter((path) => path.includes('conflict'))).toEqual([]);
    }));

  it('P-08 a pipe in the place of a file removes nothing elsewhere', () =>
    withMachines(store, ['anna', 'ben'], async ([anna, ben]) => {
      anna!.folder.write('Note.md', 'before\n');
      await waitFor(() => ben!.folder.exists('Note.md'), { what: 'the note' });
      rmSync(anna!.folder.path('Note.md'));
      expect(spawnSync('mkfifo', [anna!.folder.path('Note.md')]).status).toBe(0);
      await waitFor(async () => anna!.vault.health.reports.some((report) => report.startsWith('Note.md is not shared')), {
        what: 'the report',
      });
      anna!.folder.write('Other.md', 'after\n');
      await waitFor(() => ben!.folder.exists('Other.md'), { what: 'what came after' });
      expect(ben!.folder.read('Note.md')).toBe('before\n');
    }));

  it('P-12 a machine that was away for many commits takes in a name that one file left and another got, without a copy', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      await anna!.ask('create_node', { title: 'First', content: 'the first\n' });
      await settled(machines);
      await ben!.vault.close();
      await anna!.ask('rename', { changes: [{ from: 'First', to: 'Former' }] });
      anna!.folder.write('First.md', 'another one\n');
      for (let turn = 0; turn < 25; turn += 1) await anna!.ask('create_node', { title: `Note ${turn}`, content: 'x\n' });
      await ben!.restart();
      await waitFor(() => ben!.folder.exists('Note 24.md'), { what: 'all of it' });
      const files = await settled(machines);
      expect(Object.keys(files).filter((path) => path.includes('conflict'))).toEqual([]);
      expect(ben!.folder.read('Former.md')).toContain('the first');
      expect(ben!.folder.read('First.md')).toBe('another one\n');
    }));
});
