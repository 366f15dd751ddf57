import { expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const note = (id: string, created: string, observation: string, more = ''): string =>
  `---\nid: ${id}\ntype: entity\ntitle: Anna\nkind: person\n${more}created_at: ${created}\n---\n## Observations\n\n- ${observation}\n`;

it('H-19 two entities of one name: the older one is served and names the other, which open_nodes reads by its path', () =>
  withVault({}, (vault) =>
    withServer(
      vault,
      async ({ ask, call }) => {
        vault.write('memory/person/anna.md', note('e_01jdaaaaaaaaaaaaaaaaaaaaaa', '2026-01-01T00:00:00.000Z', 'likes tea'));
        vault.write('memory/friend/anna-2.md', note('e_01jdbbbbbbbbbbbbbbbbbbbbbb', '2026-02-01T00:00:00.000Z', 'likes chess'));
        await waitFor(async () => (await ask('list_nodes', {})).total === 2);
        const served = await call('open_nodes', { names: ['Anna'] });
        expect(served.value.entities).toEqual([{ name: 'Anna', entityType: 'person', observations: ['likes tea'] }]);
        expect(served.texts.slice(1).join()).toContain('also the name of memory/friend/anna-2.md');
        expect((await ask('open_nodes', { names: ['memory/friend/anna-2.md'] })).entities).toEqual([
          { name: 'Anna', entityType: 'person', observations: ['likes chess'] },
        ]);
        const { findings } = await ask('vault_health', { kinds: ['duplicate-id'] });
        expect(findings).toEqual([
          expect.objectContaining({
            paths: ['memory/person/anna.md', 'memory/friend/anna-2.md'],
            message: expect.stringContaining('entities with the same name "Anna"'),
          }),
        ]);
        const refused = (await call('delete_entities', { entityNames: ['Anna'] })).texts.join();
        expect(refused).toContain('memory/friend/anna-2.md and memory/person/anna.md: these are different notes');
        expect(refused).not.toContain('copy');
      },
      { flags: ['--toolsets', 'vault,memory,admin'] },
    ),
  ));

it('H-19 a deleted entity that is restored after another one took its name is found and read', () =>
  withVault({}, (vault) =>
    withServer(
      vault,
      async ({ ask, call }) => {
        const entity = (observation: string) => ({ entities: [{ name: 'Anna', entityType: 'person', observations: [observation] }] });
        await ask('create_entities', entity('first'));
        await ask('delete_entities', { entityNames: ['Anna'] });
        await ask('create_entities', entity('second'));
        expect((await cli(['restore', 'Anna', '--vault', vault.root])).status).toBe(0);
        await waitFor(async () => (await ask('list_nodes', {})).total === 2);
        const shown = await call('open_nodes', { names: ['Anna'] });
        const other = /also the name of (\S+\.md)/.exec(shown.texts.slice(1).join())?.[1] ?? '';
        const both = [shown.value.entities[0].observations, (await ask('open_nodes', { names: [other] })).entities[0].observations];
        expect(both.flat().toSorted((a, b) => (a < b ? -1 : 1))).toEqual(['first', 'second']);
      },
      { flags: ['--toolsets', 'vault,memory,admin'] },
    ),
  ));

it('H-19 entities of one name in two groups of the knowledge graph are no finding', () =>
  withVault(
    {
      'memory/a.md': note('e_01jdaaaaaaaaaaaaaaaaaaaaaa', '2026-01-01T00:00:00.000Z', 'x', 'group_id: one\n'),
      'memory/b.md': note('e_01jdbbbbbbbbbbbbbbbbbbbbbb', '2026-01-01T00:00:00.000Z', 'y', 'group_id: two\n'),
    },
    (vault) =>
      withServer(
        vault,
        async ({ ask }) => {
          expect((await ask('vault_health', { kinds: ['duplicate-id'] })).findings).toEqual([]);
        },
        { flags: ['--toolsets', 'vault,memory,admin'] },
      ),
  ));
