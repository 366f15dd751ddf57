import { describe, expect, it } from 'vitest';
import { hasGit, openGitVault } from '../../support/git.ts';
import { settled, withMachines } from '../../support/postgres/machine.ts';
import { hasPostgres, useStore } from '../../support/postgres/store.ts';
import { waitFor } from '../../support/wait-for.ts';

describe.skipIf(!hasPostgres)('the store is away, and comes back', () => {
  const store = useStore();

  it('P-11 reads go on with a warning, tools get an error, and what people edited meanwhile is pushed in order when the store is back', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      await anna!.ask('create_node', { title: 'Note', content: 'Before.\n' });
      await settled(machines);
      await store.cluster.stop('immediate');
      try {
        await waitFor(async () => (await ben!.answer('search', { query: 'before' })).warnings.join(' ').includes('cannot be reached'), {
          what: 'the warning',
        });
        expect((await ben!.ask('get_node', { id: 'Note' })).content).toContain('Before.');
        await expect(ben!.ask('create_node', { title: 'No', content: 'x\n' })).rejects.toMatchObject({
          code: 'STORE_UNAVAILABLE',
          retryable: true,
        });
        expect(ben!.folder.exists('No.md')).toBe(false);
        ben!.folder.write('Note.md', 'Before.\n\nAt first.\n');
        await ben!.vault.refresh('changed');
        ben!.folder.write('Note.md', 'Before.\n\nAt first, then more.\n');
        ben!.folder.write('New.md', 'While it was away.\n');
        anna!.folder.write('Other.md', 'Of anna.\n');
      } finally {
        await store.cluster.start();
      }
      await waitFor(
        () => anna!.folder.exists('New.md') && anna!.folder.read('Note.md').includes('then more') && ben!.folder.exists('Other.md'),
        {
          what: 'what was edited meanwhile',
        },
      );
      await settled(machines);
      await waitFor(async () => (await ben!.answer('search', { query: 'before' })).warnings.length === 0, {
        what: 'the end of the warning',
      });
      await ben!.ask('create_node', { title: 'Yes', content: 'x\n' });
      expect(Object.keys(await settled(machines))).toEqual(['New.md', 'Note.md', 'Other.md', 'Yes.md']);
    }));

  it.skipIf(!hasGit)('P-15 commits, branches and checkouts in a working copy are edits of a person, and no storm of conflicts', () =>
    withMachines(store, ['anna', 'ben'], async (machines) => {
      const [anna, ben] = machines;
      for (let index = 0; index < 30; index += 1) anna!.folder.write(`notes/${index}.md`, `Note ${index}.\n`);
      await waitFor(() => ben!.folder.files().length === 30, { what: 'all notes' });
      const git = openGitVault(anna!.folder, ['notes']);
      git.git('checkout', '--quiet', '-b', 'other');
      for (let index = 0; index < 20; index += 1) anna!.folder.write(`notes/${index}.md`, `Note ${index} on the other branch.\n`);
      for (let index = 20; index < 28; index += 1) anna!.folder.remove(`notes/${index}.md`);
      git.commit('other');
      await waitFor(() => ben!.folder.files().length === 22 && ben!.folder.read('notes/19.md').includes('other branch'), {
        what: 'the other branch',
      });
      git.git('checkout', '--quiet', 'main');
      await waitFor(() => ben!.folder.files().length === 30 && !ben!.folder.read('notes/19.md').includes('other branch'), {
        what: 'the first branch',
      });
      await settled(machines);
      expect(git.git('status', '--porcelain', '--', 'notes').trim()).toBe('');
      expect(anna!.folder.files().filter((path) => path.includes('sync-conflict'))).toEqual([]);
    }),
  );
});
