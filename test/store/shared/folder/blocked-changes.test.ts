import { renameSync, rmSync, symlinkSync, unlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { settled, withMachines } from '../../../support/postgres/machine.ts';
import type { SharedMachine } from '../../../support/postgres/machine.ts';
import { hasPostgres, useStore } from '../../../support/postgres/store.ts';
import { waitFor } from '../../../support/wait-for.ts';

/** What each writes comes to the other, and a tool may write. */
async function bothGoOn([one, other]: readonly SharedMachine[], what: string): Promise<void> {
  one!.folder.write(`${what} of one.md`, 'one\n');
  other!.folder.write(`${what} of other.md`, 'other\n');
  await waitFor(() => other!.folder.exists(`${what} of one.md`) && one!.folder.exists(`${what} of other.md`), { what });
  await one!.ask('create_node', { title: `${what} by a tool`, content: 'x\n' });
}

/** The warnings that every answer of a machine has. */
const told = async (machine: SharedMachine): Promise<string> => (await machine.answer('vault_health')).warnings.join('\n');

/** A folder of the vault leads out of it, as long as this runs. */
async function withLinkOut(machine: SharedMachine, run: (mend: () => void) => Promise<void>): Promise<void> {
  const outside = `${machine.folder.root}-outside`;
  const area = machine.folder.path('area');
  renameSync(area, outside);
  // An unchanged file is not read again, so nothing would be reported.
  utimesSync(join(outside, 'one.md'), new Date(), new Date());
  symlinkSync(outside, area);
  try {
    await waitFor(() => machine.vault.health.reports.some((report) => report.startsWith('area/one.md is not shared')), {
      what: 'the report',
    });
    await run(() => {
      unlinkSync(area);
      renameSync(outside, area);
    });
  } finally {
    rmSync(outside, { recursive: true, force: true });
  }
}

describe.skipIf(!hasPostgres)('what cannot be put into a folder', () => {
  const store = useStore();

  it('P-08 a file and a folder that were made under one name hold neither machine up, and nothing of them is lost', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      anna!.folder.write('plan', 'a file\n');
      ben!.folder.write('plan/in.md', 'in\n');
      await bothGoOn(machines, 'First');
      const stuck = await whoTells(machines);
      expect(await told(stuck)).toMatch(/plan.*It is tried again, and nothing that is made here under them is shared until then/);
      // A person gives one of them another name.
      renameSync(stuck.folder.path('plan'), stuck.folder.path('plan of mine'));
      const files = Object.keys(await settled(machines));
      expect(files.filter((path) => path.startsWith('plan')).length).toBe(2);
      await waitFor(async () => !(await told(stuck)).includes('tried again'), { what: 'the end of the warning' });
    }));

  it('P-08 a folder that is a link out of the vault holds nothing up; mended, it has what was made meanwhile', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      anna!.folder.write('area/one.md', 'one\n');
      anna!.folder.write('area/two.md', 'two\n');
      await waitFor(() => ben!.folder.exists('area/one.md') && ben!.folder.exists('area/two.md'), { what: 'the files' });
      await withLinkOut(anna!, async (mend) => {
        ben!.folder.write('area/one.md', 'edited by ben\n');
        ben!.folder.write('area/three.md', 'three\n');
        await bothGoOn(machines, 'First');
        await waitFor(async () => /area\/one\.md.*leads out of the vault/.test(await told(anna!)), { what: 'the warning' });
        await anna!.restart(() => ben!.folder.write('area/one.md', 'edited by ben again\n'));
        await bothGoOn(machines, 'Second');
        expect(ben!.folder.read('area/one.md')).toBe('edited by ben again\n');
        expect(ben!.folder.read('area/two.md')).toBe('two\n');
        mend();
        await waitFor(() => anna!.folder.exists('area/three.md'), { what: 'what was made meanwhile' });
      });
      await settled(machines);
      expect(anna!.folder.read('area/one.md')).toBe('edited by ben again\n');
      expect(anna!.folder.files().filter((path) => path.includes('conflict'))).toEqual([]);
    }));

  it('P-08 what a person edits meanwhile is merged when it is mended', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      anna!.folder.write('area/one.md', 'first\n\nmiddle\n\nlast\n');
      await waitFor(() => ben!.folder.exists('area/one.md'), { what: 'the file' });
      await withLinkOut(anna!, async (mend) => {
        ben!.folder.write('area/one.md', 'first of ben\n\nmiddle\n\nlast\n');
        await bothGoOn(machines, 'First');
        mend();
        anna!.folder.write('area/one.md', 'first\n\nmiddle\n\nlast of anna\n');
        await waitFor(() => ben!.folder.read('area/one.md').includes('anna'), { what: 'the edit' });
      });
      await settled(machines);
      expect(ben!.folder.read('area/one.md')).toBe('first of ben\n\nmiddle\n\nlast of anna\n');
    }));
});

async function whoTells(machines: readonly SharedMachine[]): Promise<SharedMachine> {
  let found: SharedMachine | undefined;
  await waitFor(
    async () => {
      for (const machine of machines) if ((await told(machine)).includes('It is tried again')) found = machine;
      return found !== undefined;
    },
    { what: 'a machine that tells of it' },
  );
  return found!;
}
