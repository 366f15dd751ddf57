import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { settled, withMachines } from '../../../support/postgres/machine.ts';
import type { SharedMachine } from '../../../support/postgres/machine.ts';
import { hasPostgres, useStore } from '../../../support/postgres/store.ts';
import { waitFor } from '../../../support/wait-for.ts';

/** A tool was asked something: an exchange that no event told of is noticed then. */
const looked = (machine: SharedMachine): Promise<boolean> =>
  machine.ask('list_nodes').then(
    () => true,
    () => true,
  );

/** The warnings that an answer has; none while the folder is not there. */
const told = (machine: SharedMachine): Promise<string> =>
  machine.answer('list_nodes').then(
    ({ warnings }) => warnings.join('\n'),
    () => '',
  );

describe.skipIf(!hasPostgres)('another folder that takes the place of a working copy while a server follows it', () => {
  const store = useStore();

  it('P-14 one that was made anew is sent nowhere, and what is not in it was removed by nobody', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      anna!.folder.write('One.md', 'one\n');
      anna!.folder.write('Two.md', 'two\n');
      await settled(machines);
      const { root } = ben!.folder;
      const former = `${root}.former`;
      try {
        renameSync(root, former);
        mkdirSync(root);
        writeFileSync(join(root, 'One.md'), 'another one\n');
        writeFileSync(join(root, 'Diary.md'), 'for nobody\n');
        await waitFor(async () => (await told(ben!)).includes('does not follow its vault'), {
          what: 'the word that it does not follow',
        });
        anna!.folder.write('Three.md', 'three\n');
        await expect(ben!.ask('create_node', { title: 'Made there' })).rejects.toThrow('does not follow its vault');
        expect(Object.keys(anna!.files())).toEqual(['One.md', 'Three.md', 'Two.md']);
        expect(anna!.folder.read('One.md')).toBe('one\n');
        rmSync(root, { recursive: true });
        renameSync(former, root);
        await waitFor(async () => (await looked(ben!)) && ben!.folder.exists('Three.md'), {
          what: 'the former folder to follow again',
        });
        await settled(machines);
      } finally {
        rmSync(former, { recursive: true, force: true });
      }
    }));

  it('P-11 one that follows nothing any more is sent nowhere, though a server runs on', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      anna!.folder.write('One.md', 'one\n');
      await settled(machines);
      rmSync(ben!.folder.path('.roux/shared.jsonl'));
      ben!.folder.write('Mine.md', 'for nobody\n');
      await waitFor(async () => (await told(ben!)).includes('does not follow its vault'), {
        what: 'the word that it does not follow',
      });
      anna!.folder.write('Two.md', 'two\n');
      await expect(ben!.ask('create_node', { title: 'Made there' })).rejects.toThrow('does not follow its vault');
      expect(Object.keys(anna!.files())).toEqual(['One.md', 'Two.md']);
      expect(ben!.folder.exists('.roux/shared.jsonl')).toBe(false);
    }));

  it('P-14 an older copy of the folder itself takes back nothing of what others made since, and what was edited in it is shared', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      anna!.folder.write('One.md', 'one\n');
      anna!.folder.write('Two.md', 'two\n');
      await settled(machines);
      const { root } = ben!.folder;
      const [backup, former] = [`${root}.backup`, `${root}.former`];
      try {
        // Without the lock, which may be held at this moment, by a process that lives on.
        cpSync(root, backup, { recursive: true, preserveTimestamps: true, filter: (path) => !path.includes('/.roux/lock') });
        anna!.folder.write('One.md', 'one and more\n');
        anna!.folder.write('Three.md', 'three\n');
        await settled(machines);
        writeFileSync(join(backup, 'Two.md'), 'two of ben\n');
        renameSync(root, former);
        renameSync(backup, root);
        await waitFor(async () => (await looked(ben!)) && anna!.folder.read('Two.md') === 'two of ben\n', {
          what: 'what was edited in the copy',
        });
        await settled(machines);
        expect(anna!.folder.read('One.md')).toBe('one and more\n');
        expect(anna!.folder.read('Three.md')).toBe('three\n');
      } finally {
        for (const folder of [backup, former]) rmSync(folder, { recursive: true, force: true });
      }
    }));
});
