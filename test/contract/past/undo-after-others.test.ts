import { describe, expect, it } from 'vitest';
import { openGitVault } from '../../support/git.ts';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const all = { flags: ['--toolsets', 'all'] };

/** The batch of the last write. */
const lastBatch = (vault: TestVault): string => vault.list('.roux/history/batches').at(-1)?.replace('.json', '') ?? '';

const undo = (vault: TestVault, ...args: readonly string[]): ReturnType<typeof cli> => cli(['undo', ...args, '--vault', vault.root]);

describe('undo after others have gone on', () => {
  it('X-17 of a create whose note others link to since: it is gone, and the links that lead nowhere are named', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('create_node', { title: 'New', content: 'New\n' });
        const batch = lastBatch(vault);
        await ask('update_node', { id: 'a', content: 'See [[New]].\n' });
        const { status, stderr } = await undo(vault, batch);
        expect(status).toBe(0);
        expect(stderr).toContain('a.md: the link to New now leads nowhere.');
        expect(vault.files()).toEqual(['a.md']);
        expect(vault.read('a.md')).toContain('See [[New]].');
      }),
    ));

  it('X-17 of a create whose note was extended or renamed since: refused by its name of now, and merged where only roux counted', () =>
    withVault({}, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('create_node', { title: 'Extended', content: 'Text\n' });
        const extended = lastBatch(vault);
        await ask('update_node', { id: 'Extended', content: 'Text\n\nMore\n' });
        await ask('create_node', { title: 'Renamed', content: 'Text\n' });
        const renamed = lastBatch(vault);
        await ask('update_node', { id: 'Renamed', title: 'Other name' });
        const files = vault.files();
        for (const [batch, name] of [
          [extended, 'extended'],
          [renamed, 'other-name'],
        ] as const) {
          const { status, stderr } = await undo(vault, batch);
          expect(status).toBe(3);
          expect(stderr).toContain(`${name}.md was changed after batch ${batch}`);
        }
        expect(vault.files()).toEqual(files);
        // Written and taken back: nothing but `rev` and `updated_at` is another.
        await ask('create_node', { title: 'Counted', content: 'Text\n' });
        const counted = lastBatch(vault);
        await ask('update_node', { id: 'Counted', properties: { a: 1 } });
        await ask('update_node', { id: 'Counted', properties: { a: null } });
        expect((await undo(vault, counted)).status).toBe(0);
        expect(vault.files()).toEqual(files);
      }),
    ));

  it('E-27 of a change to a note that was renamed since: it is taken back under the name of now', () =>
    withVault({ 'a.md': '---\nk: 1\n---\nOne\n\nTwo\n', 'b.md': '[[a]]\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('get_node', { id: 'a' });
        await ask('update_node', { id: 'a', content: 'One\n\nTwo\n\nThree\n', properties: { k: 2 } });
        const batch = lastBatch(vault);
        await ask('update_node', { id: 'a', title: 'c' });
        expect(await undo(vault, batch)).toMatchObject({ status: 0, stderr: '' });
        expect(vault.files()).toEqual(['b.md', 'c.md']);
        expect(vault.read('c.md')).toMatch(/^---\nk: 1\n[^]*---\nOne\n\nTwo\n$/);
        expect(vault.read('b.md')).toBe('[[c]]\n');
      }),
    ));

  it('X-16 of a graph_plan of which another agent has resolved or claimed a task: refused with its name; of one agent: the others’ work stays', () =>
    withVault({ 'a.md': 'A\n' }, (vault) =>
      withServer(
        vault,
        (ada) =>
          withServer(
            vault,
            async (bo) => {
              await ada.ask('graph_open', { project: 'shed', goal: 'g' });
              const { created } = await ada.ask('graph_plan', {
                project: 'shed',
                nodes: ['Walls', 'Roof', 'Door'].map((summary) => ({ ref: summary, summary })),
              });
              const batch = lastBatch(vault);
              const ids = Object.fromEntries(created.map(({ ref, id }: { ref: string; id: string }) => [ref, id]));
              await bo.ask('graph_update', {
                updates: [{ node_id: ids['Roof'], resolved: true, add_evidence: [{ type: 'note', ref: 'done' }] }],
              });
              const before = vault.read('projects/shed/roof.md');
              const refused = await undo(vault, batch);
              expect(refused.status).toBe(3);
              expect(refused.stderr).toContain('projects/shed/roof.md was changed after batch');
              expect(vault.read('projects/shed/roof.md')).toBe(before);
              expect(vault.exists('projects/shed/walls.md')).toBe(true);
              await ada.ask('update_node', { id: 'a', properties: { by_ada: 1 } });
              await bo.ask('update_node', { id: 'a', properties: { by_bo: 1 } });
              const own = await undo(vault, '--by', 'ada', '--since', new Date(Date.now() - 60_000).toISOString());
              // What bo built on stands in the way of the whole, and is named.
              expect(own.status).toBe(3);
              expect(own.stderr).toContain('roof.md');
              await undo(vault, '--by', 'bo', '--since', new Date(Date.now() - 60_000).toISOString());
              expect(vault.read('a.md')).toContain('by_ada: 1');
              expect(vault.read('a.md')).not.toContain('by_bo');
              expect(vault.read('projects/shed/roof.md')).toContain('resolved: false');
              expect(await undo(vault, '--by', 'ada', '--since', new Date(Date.now() - 60_000).toISOString())).toMatchObject({ status: 0 });
              expect(vault.files()).toEqual(['a.md']);
              expect(vault.read('a.md')).toBe('A\n');
            },
            { ...all, clientName: 'bo' },
          ),
        { ...all, clientName: 'ada' },
      ),
    ));

  it('X-16 in a git repository, where a claim is in no note: an undo of the plan is refused with the name of the claimed task', () =>
    withVault({ 'a.md': 'A\n' }, async (vault) => {
      openGitVault(vault);
      await withServer(
        vault,
        async ({ ask }) => {
          await ask('graph_open', { project: 'shed', goal: 'g' });
          await ask('graph_plan', { project: 'shed', nodes: ['Walls', 'Roof'].map((summary) => ({ ref: summary, summary })) });
          const batch = lastBatch(vault);
          const { nodes } = await ask('graph_next', { claim: true });
          const { id, summary } = nodes[0].node;
          const files = vault.files();
          for (const how of [[], ['--dry-run']]) {
            const { status, stderr } = await undo(vault, batch, ...how);
            expect([how, status]).toEqual([how, 3]);
            expect(stderr).toMatch(new RegExp(`"${summary}" \\(projects/shed/.*\\.md\\) is held by bo `));
            expect(vault.files()).toEqual(files);
          }
          await ask('graph_update', { updates: [{ node_id: id, properties: { _claimed_by: null } }] });
          expect(await undo(vault, batch)).toMatchObject({ status: 0 });
          expect(vault.files()).toEqual(['a.md', 'projects/shed/shed.md']);
        },
        { ...all, clientName: 'bo' },
      );
    }));

  it('E-27 of a deletion that was restored, and that undone: back each time, once in the trash or not at all', () =>
    withVault({ 'a.md': '[[b]]\n', 'b.md': 'hello\n' }, async (vault) => {
      const run = async (...args: readonly string[]): Promise<string> => {
        const { status, stdout, stderr } = await cli([...args, '--vault', vault.root]);
        expect(`${status} ${stderr}`, args.join(' ')).toMatch(/^0 /);
        return stdout;
      };
      await run('delete', 'b');
      const deletion = lastBatch(vault);
      await run('restore', 'b.md');
      await run('undo', lastBatch(vault));
      expect(vault.exists('b.md')).toBe(false);
      await run('undo', deletion);
      expect(vault.read('b.md')).toBe('hello\n');
      // Nothing that is there can be restored once more.
      await run('undo', lastBatch(vault));
      await run('undo', lastBatch(vault));
      expect(vault.read('b.md')).toBe('hello\n');
      expect(await run('restore')).not.toContain('b.md  0');
      expect((await cli(['restore', 'b.md', '--vault', vault.root])).status).not.toBe(0);
      expect(vault.files()).toEqual(['a.md', 'b.md']);
    }));

  it('E-27 of a deletion after a restore under a free name: each step back gives what was there before it', () =>
    withVault({ 'l.md': '[[b]]\n', 'b.md': 'old [[b]]\n' }, async (vault) => {
      const states: Record<string, string>[] = [];
      const batches: string[] = [];
      const files = (): Record<string, string> => Object.fromEntries(vault.files().map((file) => [file, vault.read(file)]));
      for (const args of [
        ['delete', 'b'],
        ['create', 'b', '--content=new'],
        ['restore', 'b.md'],
      ]) {
        states.push(files());
        expect((await cli([...args, '--vault', vault.root])).status).toBe(0);
        batches.push(lastBatch(vault));
      }
      expect(vault.read('l.md')).toBe('[[b-2]]\n');
      for (const [index, batch] of [...batches.entries()].toReversed()) {
        expect((await undo(vault, batch)).stderr, String(index)).not.toContain('not kept');
        expect(files()).toEqual(states[index]);
      }
    }));

  it('E-27 of a change to a note that was renamed since, and whose name another one has: it is taken back in the note', () =>
    withVault({ 'a.md': 'old\n' }, async (vault) => {
      await cli(['update', 'a', '--content', 'changed', '--vault', vault.root]);
      const batch = lastBatch(vault);
      await cli(['rename', 'a', 'aa', '--vault', vault.root]);
      vault.write('a.md', 'somebody else\n');
      expect(await undo(vault, batch)).toMatchObject({ status: 0 });
      expect(vault.read('aa.md')).toMatch(/old\n$/);
      expect(vault.read('a.md')).toBe('somebody else\n');
    }));
});
