import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasGit, openGitVault } from '../../support/git.ts';
import type { GitVault } from '../../support/git.ts';
import { withMcp } from '../../support/program/mcp-client.ts';
import type { McpSession } from '../../support/program/mcp-client.ts';
import { useOnce } from '../../support/program/use-once.ts';
import { withVault } from '../../support/vault.ts';

const NOTES = ['--all', '--', ':!.roux'];

/** A hash of every file of a folder, by path. */
function hashesIn(folder: string): Readonly<Record<string, string>> {
  // Claims are kept there on purpose.
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !/roux/.test(entry.parentPath.slice(folder.length) + entry.name),
  );
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).toSorted();
  return Object.fromEntries(paths.map((path) => [path, createHash('sha256').update(readFileSync(path)).digest('hex')]));
}

/** A vault with the tasks Paint, Sand and Sweep, and their ids. */
const planned = useOnce<{ readonly root: string; readonly ids: Readonly<Record<string, string>> }>((use) =>
  withVault({}, async (vault) => {
    const ids: Record<string, string> = {};
    await withMcp(vault, async ({ ask }) => {
      await ask('graph_open', { project: 'shed', goal: 'A shed' });
      const nodes = ['Paint', 'Sand', 'Sweep'].map((summary, at) => ({ ref: summary, summary, properties: { priority: 9 - at } }));
      for (const { ref, id } of (await ask('graph_plan', { nodes })).created) ids[ref] = id;
    });
    await use({ root: vault.root, ids });
  }),
);

/** A repository with a copy of it, and a worktree of the branch `other`. */
async function withWorktree(
  run: (main: GitVault, other: { readonly root: string }, ids: Record<string, string>, commit: (message: string) => void) => Promise<void>,
): Promise<void> {
  const { root: source, ids } = await planned();
  await withVault(source, async (files) => {
    const main = openGitVault(files, NOTES);
    await withVault({}, async (place) => {
      const root = join(place.root, 'tree');
      main.git('worktree', 'add', '--quiet', '-b', 'other', root);
      const commit = (message: string): void => {
        main.git('-C', root, 'add', '--all', '--', ':!.roux');
        main.git('-C', root, 'commit', '--quiet', '--message', message);
      };
      await run(main, { root }, { ...ids }, commit);
    });
  });
}

const resolve = ({ ask }: McpSession, node_id: string | undefined): Promise<unknown> =>
  ask('graph_update', { updates: [{ node_id, resolved: true, add_evidence: [{ type: 'note', ref: 'done' }] }] });

describe.skipIf(!hasGit)('tasks of other branches', () => {
  it('T-05 what another branch did is told and not handed out again, in both worktrees, until it is merged', () =>
    withWorktree(async (main, other, ids, commit) => {
      await withMcp(other, async (session) => {
        await resolve(session, ids['Paint']);
        const { created } = await session.ask('graph_plan', { nodes: [{ ref: 'a', summary: 'Varnish' }] });
        ids['Varnish'] = created[0].id;
      });
      commit('painted');
      const git = hashesIn(main.path('.git'));
      await withMcp(main, async (session) => {
        const { ask } = session;
        const next = await ask('graph_next', { claim: true });
        expect(next.nodes).toMatchObject([{ node: { summary: 'Sand' } }]);
        const told = [
          { branch: 'other', id: ids['Paint'], summary: 'Paint', resolved: true, project: 'shed' },
          { branch: 'other', id: ids['Varnish'], summary: 'Varnish', resolved: false, project: 'shed' },
        ];
        expect(next).toMatchObject({ other_branches: expect.arrayContaining(told), branch_tasks: 2 });
        expect((await ask('graph_onboard')).recommended_next.summary).not.toBe('Paint');
        const { branches } = await ask('graph_query', { branches: true });
        expect(branches).toHaveLength(2);
        expect(branches).toEqual(expect.arrayContaining(told));
        expect(await ask('graph_query')).not.toHaveProperty('branches');
        await resolve(session, ids['Sand']);
        await resolve(session, ids['Sweep']);
        expect(await ask('graph_next', { claim: true })).toMatchObject({
          nodes: [],
          hint: expect.stringContaining('done in other branches (other)'),
        });
        expect(hashesIn(main.path('.git'))).toEqual(git);
        // The other way round, read from a worktree, whose `.git` is a file.
        main.commit('sanded');
        await withMcp(other, async (there) => {
          const { nodes, other_branches: elsewhere } = await there.ask('graph_next', { count: 10 });
          expect(nodes.map(({ node }: { node: { summary: string } }) => node.summary)).toEqual(['Varnish']);
          const named = elsewhere.map(({ branch, id }: { branch: string; id: string }) => `${branch} ${id}`);
          expect(new Set(named)).toEqual(new Set([`main ${ids['Sand']}`, `main ${ids['Sweep']}`]));
        });
        // Merged, it is an ordinary task that is done; what is opened again afterwards is handed out.
        main.git('merge', '--quiet', '--no-edit', 'other');
        expect(await ask('graph_next', {})).not.toHaveProperty('other_branches');
        await ask('graph_update', { updates: [{ node_id: ids['Paint'], resolved: false }] });
        expect((await ask('graph_next', { count: 10 })).nodes.map(({ node }: { node: { id: string } }) => node.id)).toContain(ids['Paint']);
      });
    }));

  it('T-05 what another worktree resolved and has not committed is told and not handed out, until its note says otherwise', () =>
    withWorktree(async (main, other, ids) => {
      await withMcp(other, async (there) => {
        await there.ask('graph_next', { claim: true, filter: { priority: 9 } });
        await resolve(there, ids['Paint']);
      });
      // Its session has ended, and with it the claim.
      await withMcp(main, async ({ ask }) => {
        const next = await ask('graph_next', { count: 10 });
        expect(next.nodes.map(({ node }: { node: { summary: string } }) => node.summary)).toEqual(['Sand', 'Sweep']);
        const told = { branch: 'other', id: ids['Paint'], summary: 'Paint', resolved: true, project: 'shed', uncommitted: true };
        expect(next.other_branches).toEqual([told]);
        expect((await ask('graph_query', { branches: true })).branches).toEqual([told]);
        expect((await ask('graph_next', { claim: true, filter: { priority: 9 } })).nodes).toEqual([]);
        const onboard = await ask('graph_onboard');
        expect(onboard.recommended_next.summary).toBe('Sand');
        expect(onboard.actionable.map(({ summary }: { summary: string }) => summary)).toEqual(['Sand', 'Sweep']);
        // Committed there, the branch says it.
        main.git('-C', other.root, 'commit', '--quiet', '--all', '--message', 'painted');
        const { other_branches: committed } = await ask('graph_next', {});
        expect(committed).toEqual([expect.not.objectContaining({ uncommitted: true })]);
        main.git('-C', other.root, 'reset', '--quiet', '--soft', 'HEAD~1');
        expect((await ask('graph_next', {})).other_branches).toEqual([told]);
        // Moved there, it is found.
        renameSync(join(other.root, 'projects/shed'), join(other.root, 'projects/barn'));
        expect((await ask('graph_next', {})).other_branches).toEqual([told]);
        renameSync(join(other.root, 'projects/barn'), join(other.root, 'projects/shed'));
        // Thrown away there, it is free here.
        main.git('-C', other.root, 'checkout', '--quiet', 'HEAD', '--', 'projects');
        expect(await ask('graph_next', { claim: true })).toMatchObject({ nodes: [{ node: { summary: 'Paint' } }] });
      });
      await withMcp(other, (there) => resolve(there, ids['Sand']));
      await withMcp(main, async ({ ask }) => {
        expect((await ask('graph_next', { count: 10 })).other_branches).toMatchObject([{ id: ids['Sand'] }]);
        main.git('worktree', 'remove', '--force', other.root);
        expect(await ask('graph_next', { count: 10 })).not.toHaveProperty('other_branches');
      });
    }));

  it('T-05 a task is resolved once: not in a second worktree, nor while the note of the first is still being written', () =>
    withWorktree(async (main, other, ids) => {
      const note = join(
        other.root,
        'projects/shed',
        readdirSync(join(other.root, 'projects/shed')).find((name) => name.startsWith('paint')) ?? '',
      );
      const [before, { mtime }] = [readFileSync(note), statSync(note)];
      await withMcp(other, (there) => resolve(there, ids['Paint']));
      await withMcp(main, async ({ ask, call }) => {
        const again = await call('graph_update', { updates: [{ node_id: ids['Paint'], resolved: true }] });
        expect(again.value.error).toMatchObject({ code: 'CONFLICT', details: { branch: 'other' } });
        // As it was when the other process said that it resolves it.
        writeFileSync(note, before);
        utimesSync(note, mtime, mtime);
        expect((await ask('graph_next', { claim: true, filter: { priority: 9 } })).nodes).toEqual([]);
        expect((await ask('graph_next', {})).other_branches).toMatchObject([{ id: ids['Paint'], resolved: true }]);
      });
      // Long ago, or by a clock that was ahead: the call failed, and the note counts.
      const claims = main.path('.git/roux');
      for (const at of [Date.now() - 3_600_000, Date.now() + 3_600_000]) {
        for (const name of readdirSync(claims)) {
          const file = join(claims, name);
          writeFileSync(file, readFileSync(file, 'utf8').replace(/"atMs":\d+(?=\}\})/, `"atMs":${at}`));
        }
        utimesSync(note, mtime, new Date(0));
        await withMcp(main, async ({ ask }) => expect(await ask('graph_next', {})).not.toHaveProperty('other_branches'));
      }
    }));

  it('T-05 packed references and nested names are read, what names a foreign repository is not, and nothing runs', () =>
    withWorktree(async (main, other, ids, commit) => {
      await withMcp(other, (session) => resolve(session, ids['Paint']));
      commit('painted');
      main.git('branch', 'deep/er/name', 'other');
      const mark = main.path('.git/ran');
      const script = main.path('.git/trap.sh');
      writeFileSync(script, `#!/bin/sh\ntouch ${mark}\n`);
      chmodSync(script, 0o755);
      for (const key of [
        'core.fsmonitor',
        'core.sshCommand',
        'core.pager',
        'filter.x.smudge',
        'diff.external',
        'core.gitProxy',
        'uploadpack.packObjectsHook',
      ])
        main.git('config', key, script);
      main.git('config', 'core.hooksPath', main.path('.git'));
      main.write('.gitattributes', '*.md filter=x diff=x\n');
      const branchesIn = async (vault: { readonly root: string }): Promise<readonly string[]> => {
        const found: string[] = [];
        await withMcp(vault, async ({ ask }) => {
          for (const { branch } of (await ask('graph_query', { branches: true })).branches) found.push(branch);
        });
        return found.toSorted();
      };
      expect(await branchesIn(main)).toEqual(['deep/er/name', 'other']);
      main.git('-c', 'core.fsmonitor=false', 'pack-refs', '--all');
      expect(await branchesIn(main)).toEqual(['deep/er/name', 'other']);
      expect(readdirSync(main.path('.git'))).not.toContain('ran');
      // A vault whose .git file names a repository that does not know it.
      await withVault({ 'projects/shed/shed.md': '---\ntype: project\nresolved: false\n---\n' }, async (stranger) => {
        for (const named of [main.path('.git'), main.path('.git/worktrees/tree')]) {
          stranger.write('.git', `gitdir: ${named}\n`);
          expect(await branchesIn(stranger)).toEqual([]);
        }
      });
    }));
});
