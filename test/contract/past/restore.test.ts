import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const all = { flags: ['--toolsets', 'all'] };
const titles = { '.rouxrc.json': '{"filenames": "title"}\n' };

const restore = (vault: TestVault, reference: string): ReturnType<typeof cli> => cli(['restore', reference, '--vault', vault.root]);

describe('restoring from the trash', () => {
  it('X-15 where the name is taken again: a free name, links of before the removal follow, later ones stay, and the answer says so', () =>
    withVault(
      {
        ...titles,
        'Tea.md': '# Old\n\nMyself: [[Tea#Old]]\n',
        'early.md': '---\nsee: "[[Tea]]"\n---\nEarly [[Tea|a tea]] and [t](Tea.md)\n',
        'moved.md': 'Moved [[Tea]]\n',
      },
      (vault) =>
        withServer(vault, async ({ ask }) => {
          await ask('delete_node', { id: 'Tea' });
          await ask('create_node', { title: 'Tea', content: 'New\n' });
          await ask('create_node', { title: 'late', content: 'Late [[Tea]]\n' });
          await ask('update_node', { id: 'moved', title: 'Elsewhere' });
          const { status, stdout, stderr } = await restore(vault, 'Tea');
          expect(status).toBe(0);
          expect(stdout).toContain('Tea 2.md');
          expect(stderr).toContain('came back as Tea 2.md; links that early.md, Elsewhere.md had to it');
          expect(vault.read('Tea 2.md')).toBe('# Old\n\nMyself: [[Tea 2#Old]]\n');
          expect(vault.read('Tea.md')).toContain('New\n');
          expect(vault.read('early.md')).toBe('---\nsee: "[[Tea 2]]"\n---\nEarly [[Tea 2|a tea]] and [t](Tea%202.md)\n');
          expect(vault.read('Elsewhere.md')).toContain('Moved [[Tea 2]]\n');
          expect(vault.read('late.md')).toContain('Late [[Tea]]\n');
          // Taken back, all is as it was.
          const batch = vault.list('.roux/history/batches').at(-1)?.replace('.json', '') ?? '';
          expect((await cli(['undo', batch, '--vault', vault.root])).status).toBe(0);
          expect(vault.exists('Tea 2.md')).toBe(false);
          expect(vault.read('early.md')).toBe('---\nsee: "[[Tea]]"\n---\nEarly [[Tea|a tea]] and [t](Tea.md)\n');
        }),
    ));

  it('X-04 a removed entity takes the relation lines to it along; undo and restore bring note and lines back', () =>
    withVault(titles, (vault) =>
      withServer(
        vault,
        async ({ ask }) => {
          const entities = ['Ada', 'Bob', 'Tea'].map((name) => ({ name, entityType: 'x', observations: [`of ${name}`] }));
          await ask('create_entities', { entities });
          const relations = [
            { from: 'Ada', to: 'Tea', relationType: 'likes' },
            { from: 'Bob', to: 'Tea', relationType: 'grows' },
            { from: 'Tea', to: 'Ada', relationType: 'wakes' },
          ];
          await ask('create_relations', { relations });
          const graph = async (): Promise<unknown> => {
            const read = await ask('read_graph', {});
            return {
              ...read,
              relations: read.relations.toSorted((a: { from: string }, b: { from: string }) => (a.from < b.from ? -1 : 1)),
            };
          };
          const before = await graph();
          const bringBack: readonly ((batch: string) => readonly string[])[] = [
            (batch) => ['undo', batch],
            () => ['restore', 'Tea'],
            (batch) => ['restore', batch],
          ];
          for (const remove of ['delete_node', 'delete_entities'] as const)
            for (const command of bringBack) {
              const gone = await ask(remove, remove === 'delete_node' ? { id: 'Tea' } : { entityNames: ['Tea'] });
              // No link is left that could lead nowhere.
              expect(gone._warnings ?? []).toEqual([]);
              expect(JSON.stringify(await graph())).not.toContain('Tea"');
              for (const file of vault.files()) expect(vault.read(file), file).not.toContain('[[Tea]]');
              const batch = vault.list('.roux/history/batches').at(-1)?.replace('.json', '') ?? '';
              expect(await cli([...command(batch), '--vault', vault.root])).toMatchObject({ status: 0, stderr: '' });
              // Another process wrote it: the server hears of it a moment later.
              await waitFor(async () => JSON.stringify(await graph()) === JSON.stringify(before), {
                what: `${remove}, ${command(batch).join(' ')}`,
              });
            }
          // What was written in between stays.
          await ask('delete_entities', { entityNames: ['Tea'] });
          await ask('create_relations', { relations: [{ from: 'Ada', to: 'Bob', relationType: 'knows' }] });
          await restore(vault, 'Tea');
          await waitFor(async () => (await ask('read_graph', {})).relations.length === 4, { what: 'all four relations' });
        },
        all,
      ),
    ));

  it('X-14 a singleton in the trash does not count; brought back beside the one made since, it is reported as a duplicate', () =>
    withVault({}, (vault) =>
      withServer(
        vault,
        async ({ ask }) => {
          await ask('create_ontology', { node_types: ['Config'], connection_types: [] });
          const wanted = { type: 'Config', content: 'x', encoding: 'utf-8', format: 'markdown' };
          const first = await ask('ensure_singleton_node', wanted);
          await ask('delete_node', { id: first.node_id });
          const second = await ask('ensure_singleton_node', wanted);
          expect(second.created).toBe(true);
          const { status, stderr } = await restore(vault, 'config');
          expect(status).toBe(0);
          expect(stderr).toContain('config-2.md');
          expect(stderr).toContain('there should be one note of the type "Config"');
          const doctor = await cli(['doctor', '--vault', vault.root]);
          expect(doctor.stdout).toContain('there should be one note of the type "Config": config-2.md');
        },
        all,
      ),
    ));
});
