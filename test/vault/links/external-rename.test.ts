import { renameSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { configSchema } from '../../../src/config.ts';
import type { Config } from '../../../src/config.ts';
import { hasGit, openGitVault } from '../../support/git.ts';
import { openReady, withOpen } from '../../support/open.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const configOf = (mode: Config['repairExternalRenames']): Config => configSchema.parse({ repairExternalRenames: mode });
const quick = { repair: 150 };
const files = { 'Old.md': 'The body of the note.', 'a.md': 'to [[Old|it]] and [t](Old.md)\n', 'b.md': '---\nup: "[[Old]]"\n---\n' };

/** Long enough ago that nobody is still at it. */
const age = async (vault: TestVault, names: readonly string[]): Promise<void> => {
  const { utimesSync } = await import('node:fs');
  const before = new Date(Date.now() - 60_000);
  for (const name of names) utimesSync(vault.path(name), before, before);
};

describe('a rename made outside of roux', () => {
  it('is reported with the notes that still name the old place, until somebody heals them', () =>
    withVault(files, (vault) =>
      withOpen(
        vault.root,
        async (open) => {
          renameSync(vault.path('Old.md'), vault.path('New.md'));
          const warned = () => open.health.warnings().find((warning) => warning.includes('Old.md was moved to New.md outside of roux'));
          expect(await waitFor(warned)).toContain('links in a.md, b.md');
          expect(vault.read('a.md')).toBe(files['a.md']);
          vault.write('a.md', 'to [[New]]');
          vault.write('b.md', '[[New]]');
          await waitFor(() => warned() === undefined);
        },
        { pace: quick, config: configOf('report') },
      ),
    ));

  it('is followed by its links where the configuration says so, each changed note once and only in its links', () =>
    withVault(files, async (vault) => {
      await age(vault, ['a.md', 'b.md']);
      await withOpen(
        vault.root,
        async (open) => {
          renameSync(vault.path('Old.md'), vault.path('New.md'));
          await waitFor(() => open.graph.unresolved().length === 0 && open.graph.backlinks('New.md').length === 3);
          expect(vault.read('a.md')).toBe('to [[New|it]] and [t](New.md)\n');
          expect(vault.read('b.md')).toBe('---\nup: "[[New]]"\n---\n');
          expect(vault.read('New.md')).toBe(files['Old.md']);
          await waitFor(() => open.health.warnings().length === 0);
        },
        { pace: quick, config: configOf('fix') },
      );
    }));

  it('of a folder, and a second one, are followed in one go', () =>
    withVault({ 'a/n.md': 'one', 'a/m.md': '[[a/n]] two', 'l.md': '[[a/n]] [[n]] [m](a/m.md)' }, async (vault) => {
      await age(vault, ['l.md', 'a/m.md', 'a/n.md']);
      await withOpen(
        vault.root,
        async (open) => {
          renameSync(vault.path('a'), vault.path('b'));
          await waitFor(() => open.graph.get('b/n.md') !== null && open.graph.get('a/n.md') === null);
          renameSync(vault.path('b/n.md'), vault.path('b/o.md'));
          await waitFor(() => open.graph.get('b/o.md') !== null && open.graph.unresolved().length === 0);
          expect(vault.read('l.md')).toBe('[[b/o]] [[o]] [m](b/m.md)');
          expect(vault.read('b/m.md')).toBe('[[b/o]] two');
        },
        { pace: { repair: 400 }, config: configOf('fix') },
      );
    }));

  it('waits for a note that somebody just saved', () =>
    withVault(files, async (vault) => {
      await age(vault, ['b.md']);
      await withOpen(
        vault.root,
        async (open) => {
          vault.write('a.md', files['a.md']);
          renameSync(vault.path('Old.md'), vault.path('New.md'));
          await waitFor(() => vault.read('a.md').includes('[[New|it]]') && vault.read('b.md').includes('[[New]]'));
          // Rewritten later than the other one, in a write of its own, which is in the history when it is done.
          const last = async (node: string) => (await open.history.ofNote({ node, limit: 1 })).events[0];
          const [a, b] = [await waitFor(() => last('a.md')), await waitFor(() => last('b.md'))];
          expect(a.agent).toBe('roux');
          expect(a.seq).toBeGreaterThan(b.seq);
          expect(a.batch).not.toBe(b.batch);
          await waitFor(() => open.graph.unresolved().length === 0);
        },
        { pace: quick, config: configOf('fix') },
      );
    }));

  it('that was made while no roux ran is found at the next start', () =>
    withVault(files, async (vault) => {
      await age(vault, ['a.md', 'b.md', 'Old.md']);
      const first = await openReady(vault.root, { isFollowing: false, program: 'test' });
      await first.close();
      renameSync(vault.path('Old.md'), vault.path('New.md'));
      await withOpen(
        vault.root,
        async (open) => {
          await waitFor(() => vault.read('a.md') === 'to [[New|it]] and [t](New.md)\n' && vault.read('b.md').includes('[[New]]'));
          expect((await open.history.movedNotes()).own).toEqual(new Map([['Old.md', 'New.md']]));
        },
        { pace: quick, config: configOf('fix'), program: 'test' },
      );
    }));

  it('is only remembered when the configuration says off', () =>
    withVault(files, (vault) =>
      withOpen(
        vault.root,
        async (open) => {
          renameSync(vault.path('Old.md'), vault.path('New.md'));
          await waitFor(() => open.graph.get('New.md') !== null);
          expect((await open.history.movedNotes()).own).toEqual(new Map([['Old.md', 'New.md']]));
          expect(open.health.warnings()).toEqual([]);
        },
        { pace: { repair: 1 }, config: configOf('off') },
      ),
    ));

  it.skipIf(!hasGit)('F26 by a branch switch changes no note, whatever the configuration says', () =>
    withVault(files, async (vault) => {
      const repository = openGitVault(vault);
      vault.write('.gitignore', '.roux\n');
      repository.commit('ignore');
      repository.git('checkout', '--quiet', '-b', 'renamed');
      repository.git('mv', 'Old.md', 'New.md');
      repository.commit('renamed, links left');
      repository.git('checkout', '--quiet', 'main');
      await age(
        vault,
        vault.files().filter((name) => name.endsWith('.md')),
      );
      await withOpen(
        vault.root,
        async (open) => {
          repository.git('checkout', '--quiet', 'renamed');
          await waitFor(() => open.graph.get('New.md') !== null && open.graph.get('Old.md') === null);
          expect(open.graph.unresolved()).toHaveLength(1);
          // Ten times as long as a repair would take to begin.
          await setTimeout(10 * quick.repair);
          expect(repository.git('status', '--porcelain')).toBe('');
          expect(open.health.warnings()).toEqual([]);
        },
        { pace: quick, config: configOf('fix') },
      );
    }),
  );
});

describe('former paths', () => {
  it('follow chains of moves, from the history too, and end where a file takes the name', () =>
    withVault({ 'a.md': 'one', 'b.md': '[[a]]' }, async (vault) => {
      const move = async (from: string, to: string): Promise<void> =>
        withOpen(
          vault.root,
          async (open) => {
            const known = open.graph.get(from)?.path;
            if (known === undefined) throw new Error(from);
            await open.writes.write({ operation: 'test', agent: 'ada' }, () => ({ files: [{ kind: 'move', from, to, changes: [] }] }));
          },
          { isFollowing: false },
        );
      await move('a.md', 'x/c.md');
      await move('x/c.md', 'd.md');
      await withOpen(
        vault.root,
        async (open) => {
          expect((await open.history.movedNotes()).own).toEqual(
            new Map([
              ['a.md', 'd.md'],
              ['x/c.md', 'd.md'],
            ]),
          );
          await open.writes.write({ operation: 'test', agent: 'ada' }, () => ({
            files: [{ kind: 'create', path: 'a.md', text: 'another' }],
          }));
          expect((await open.history.movedNotes()).own).toEqual(new Map([['x/c.md', 'd.md']]));
        },
        { isFollowing: false },
      );
    }));
});

describe('examining a vault', () => {
  it('finds no drift in a vault that was edited through and through, and what differs when something does', () =>
    withVault(files, (vault) =>
      withOpen(
        vault.root,
        async (open) => {
          vault.write('c.md', '[[Old]]');
          vault.remove('b.md');
          expect(await open.health.verify({ rebuild: true })).toEqual({
            journal: [],
            obstacles: [],
            setAside: [],
            drift: [],
            unreadable: [],
          });
        },
        { isFollowing: false },
      ),
    ));
});
