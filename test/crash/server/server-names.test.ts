import { describe, expect, it } from 'vitest';
import { rounds } from '../../support/effort.ts';
import { ALONE, withMcp } from '../../support/program/mcp-client.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';
import { leftovers } from '../leftovers.ts';

const all = { flags: ['--toolsets', 'all'] };

describe('names that two servers want, or that change places', () => {
  const files = {
    '.rouxrc.json': '{"filenames": "title", "renameAlias": "off"}',
    'A.md': '---\nid: one\n---\nOne\n',
    'C.md': '---\nid: three\n---\nThree\n',
    'from.md': 'See [[A]] and [[C]].\n',
  };

  it('F16 A to B and C to B at once: one wins, the other is NODE_EXISTS, links follow the winner', async () => {
    for (const _round of rounds(2)) {
      await withVault(files, (vault) =>
        withMcp(vault, (one) =>
          withMcp(
            vault,
            async (two) => {
              const answers = await Promise.all([
                one.call('update_node', { id: 'A.md', title: 'B' }),
                two.call('update_node', { id: 'C.md', title: 'B' }),
              ]);
              expect(answers.filter(({ isError }) => isError)).toHaveLength(1);
              expect(answers.find(({ isError }) => isError)?.texts.join('')).toContain('NODE_EXISTS');
              const isFirst = answers[0]?.isError === false;
              expect(vault.read('B.md')).toContain(isFirst ? 'One' : 'Three');
              expect(vault.read('from.md')).toBe(isFirst ? 'See [[B]] and [[C]].\n' : 'See [[A]] and [[B]].\n');
              expect(vault.files()).toHaveLength(4);
              expect(leftovers(vault)).toEqual([]);
            },
            ALONE,
          ),
        ),
      );
    }
  });

  it('F16 a cycle of names across two servers ends with each note under its new name, and links follow identity', () =>
    withVault(files, (vault) =>
      withMcp(vault, (one) =>
        withMcp(
          vault,
          async (two) => {
            const until = async (session: typeof one, id: string, title: string): Promise<void> => {
              await waitFor(async () => !(await session.call('update_node', { id, title })).isError, { what: `${id} to be ${title}` });
            };
            // The second waits for the name that the first gives up, and the first for the second's.
            await Promise.all([until(one, 'one', 'Between').then(() => until(one, 'one', 'C')), until(two, 'three', 'A')]);
            expect(vault.read('A.md')).toContain('Three');
            expect(vault.read('C.md')).toContain('One');
            expect(vault.read('from.md')).toBe('See [[C]] and [[A]].\n');
            expect(vault.files()).toEqual(['.rouxrc.json', 'A.md', 'C.md', 'from.md']);
          },
          ALONE,
        ),
      ),
    ));
});

describe('what people do beside the server', () => {
  it('F21 a stale buffer saved under the old name after a rename: both files stay, the id is reported, links still lead to the renamed one', () =>
    withVault({ '.rouxrc.json': '{"filenames": "title"}', 'Old.md': '---\nid: same\n---\nText\n', 'from.md': 'See [[Old]].\n' }, (vault) =>
      withServer(
        vault,
        async ({ ask }) => {
          const buffer = vault.read('Old.md');
          await ask('update_node', { id: 'same', title: 'New' });
          expect(vault.read('from.md')).toBe('See [[New]].\n');
          const renamed = vault.read('New.md');
          vault.write('Old.md', `${buffer}And a line that was typed meanwhile.\n`);
          await waitFor(async () => JSON.stringify(await ask('vault_health')).includes('duplicate-id'), { what: 'the report' });
          expect(vault.read('New.md')).toBe(renamed);
          expect(vault.read('Old.md')).toBe(`${buffer}And a line that was typed meanwhile.\n`);
          await ask('update_node', { id: 'from.md', properties: { seen: true } });
          expect(vault.read('from.md')).toContain('See [[New]].');
          expect(vault.files()).toEqual(['.rouxrc.json', 'New.md', 'Old.md', 'from.md']);
        },
        all,
      ),
    ));
});
