import { expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });
const HOSTILE = {
  'a long text': { long: 'x'.repeat(70_000) },
  'many keys': Object.fromEntries(Array.from({ length: 1_200 }, (_, index) => [`key ${index} ${'y'.repeat(60)}`, 'value'])),
  'a name that programs have': { constructor: 'x' },
};

it.each(Object.entries(HOSTILE))(
  'properties that could not be read back are refused by every tool, and nothing is written: %s',
  (_, properties) =>
    withVault({}, (vault) =>
      withServer(
        vault,
        async ({ ask, refuse }) => {
          await ask('graph_open', { project: 'p', goal: 'G' });
          await ask('create_ontology', { node_types: ['thing'], connection_types: [] });
          const before = vault.files();
          for (const [tool, args, code] of [
            ['create_node', { title: 'a', tags: ['t'], properties }, 'INVALID_PARAMS'],
            ['create_node', { title: 'b', type: 'thing', properties }, 'INVALID_PARAMS'],
            ['ensure_singleton_node', { type: 'thing', content: 'x', encoding: 'utf-8', format: 'markdown', properties }, 'INVALID_PARAMS'],
            ['graph_plan', { project: 'p', nodes: [{ ref: 'a', summary: 'A', properties }] }, 'validation_error'],
          ] as const) {
            const answer = JSON.stringify(await refuse(tool, args));
            expect({ tool, answer }).toEqual({ tool, answer: expect.stringMatching(/cannot be (?:kept|called)/) });
            expect({ tool, answer }).toEqual({ tool, answer: expect.stringContaining(`"code":"${code}"`) });
            expect(vault.files()).toEqual(before);
          }
        },
        { flags: ['--toolsets', 'all'] },
      ),
    ),
);

it('properties nested deeper than a note is read are refused by graph_plan', () =>
  withVault({}, (vault) =>
    withServer(vault, async ({ ask, refuse }) => {
      await ask('graph_open', { project: 'p', goal: 'G' });
      const before = vault.files();
      const answer = JSON.stringify(
        await refuse('graph_plan', { project: 'p', nodes: [{ ref: 'a', summary: 'A', properties: { x: deep(30) } }] }),
      );
      expect(answer).toContain('validation_error');
      expect(vault.files()).toEqual(before);
      const planned = await ask('graph_plan', { project: 'p', nodes: [{ ref: 'a', summary: 'A', properties: { x: deep(5) } }] });
      const { id } = (Object.values(planned).flat() as { ref?: string; id: string }[]).find(({ ref }) => ref === 'a') ?? { id: '' };
      expect(JSON.stringify(await ask('graph_context', { node_id: id }))).toContain('"a":{"a":');
    }),
  ));

it('a note that is too large to be written is named by a rename of what it links to, and blocks nothing', () =>
  withVault({ 'a.md': 'A\n', 'b.md': 'See [[a]].\n', 'huge.md': `See [[a]].\n${'Words and more words.\n'.repeat(500_000)}` }, (vault) =>
    withServer(vault, async ({ ask }) => {
      const { path, _warnings } = await ask('update_node', { id: 'a', title: 'c' });
      expect(path).toBe('c.md');
      expect(_warnings).toEqual([expect.stringContaining('huge.md: it is too large to be written')]);
      expect(vault.read('b.md')).toBe('See [[c]].\n');
      expect(vault.read('huge.md').slice(0, 11)).toBe('See [[a]].\n');
      // Reading a page of it reads nothing of its Markdown anew.
      expect((await ask('get_node', { id: 'huge', offset: 9_000_000 })).content).toContain('Words and more words.');
    }),
  ));
