import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../support/effort.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

describe('reading many notes and parts of one', () => {
  it('E-12 get_nodes: whole notes in the order asked for, null for none, the ids that are left; a note too long for any answer is cut', () =>
    withVault(
      {
        'a.md': 'A\n',
        'b.md': '---\ntags: [t]\nk: 1\n---\n' + 'b'.repeat(900),
        'big.md': 'x'.repeat(50_000),
        'x/twin.md': 'x\n',
        'y/twin.md': 'y\n',
      },
      (vault) =>
        withServer(vault, async ({ ask, call, refuse }) => {
          const all = await ask('get_nodes', { ids: ['b', 'nope', './a.md', 'a.md'] });
          expect(all.nodes.map((node: { id?: string } | null) => node?.id ?? null)).toEqual(['b.md', null, 'a.md', 'a.md']);
          expect(all.nodes[0]).toEqual({
            id: 'b.md',
            title: 'b',
            tags: ['t'],
            properties: { k: 1 },
            etag: (await ask('get_node', { id: 'b' })).etag,
            content: 'b'.repeat(900),
          });
          expect(all.left).toEqual([]);
          expect((await ask('get_nodes', { ids: ['b', 'a.md'], max_characters: 1_050 })).left).toEqual(['a.md']);
          const cut = await ask('get_nodes', { ids: ['big', 'b'], max_characters: 2_000 });
          expect(cut.left).toEqual(['b']);
          const [{ content, next_offset: next }] = cut.nodes;
          expect(content.endsWith('... [truncated]')).toBe(true);
          const rest = await ask('get_node', { id: 'big', offset: next });
          expect(content.length - '... [truncated]'.length).toBe(next);
          expect(rest.content.startsWith('xxx')).toBe(true);
          expect((await call('get_nodes', { ids: ['big', 'b'], max_characters: 36_000 })).texts[0]?.length).toBeLessThanOrEqual(36_100);
          expect((await refuse('get_nodes', { ids: [] })).error.code).toBe('INVALID_PARAMS');
          expect((await ask('get_nodes', { ids: ['twin'] })).nodes[0]).toMatchObject({ id: 'twin', error: { code: 'AMBIGUOUS' } });
        }),
    ));

  it('E-12 following what is left reads every note once, whatever their sizes', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 3_000 }), fc.constantFrom('x', 'ü', '"', '\n', '\u0001')), {
          minLength: 1,
          maxLength: 12,
        }),
        fc.integer({ min: 1_000, max: 9_000 }),
        (sizes, most) => {
          const files = Object.fromEntries(sizes.map(([size, unit], index) => [`n${index}.md`, `${unit.repeat(size)}end\n`]));
          return withVault(files, (vault) =>
            withServer(vault, async ({ ask, call }) => {
              let ids = Object.keys(files);
              const read: string[] = [];
              while (ids.length > 0) {
                const { texts } = await call('get_nodes', { ids, max_characters: most });
                expect(texts[0]?.length).toBeLessThanOrEqual(most + 200);
                const { nodes, left } = JSON.parse(texts[0] ?? '');
                for (const node of nodes) {
                  let { content, next_offset: next } = node;
                  while (next !== undefined) {
                    const more = await ask('get_node', { id: node.id, offset: next });
                    content = content.slice(0, next) + more.content;
                    next = more.next_offset;
                  }
                  expect(content).toBe(files[node.id]);
                  read.push(node.id);
                }
                expect(left.length).toBeLessThan(ids.length);
                ids = left;
              }
              expect(read).toEqual(Object.keys(files));
            }),
          );
        },
      ),
      { numRuns: runs(10) },
    ));

  it('E-13 get_node: the section of a heading or a path of headings, and the outline with sizes', () =>
    withVault({ 'a.md': '---\nk: 1\n---\n# A\none\n## B\ntwo\n### C\nthree\n## D\n```\n# no heading\n```\n# B\nfour\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const { outline, content } = await ask('get_node', { id: 'a', outline: true });
        expect(content).toBeUndefined();
        expect(outline).toEqual([
          { heading: 'A', level: 1, line: 4, characters: 55 },
          { heading: 'B', level: 2, line: 6, characters: 21 },
          { heading: 'C', level: 3, line: 8, characters: 12 },
          { heading: 'D', level: 2, line: 10, characters: 26 },
          { heading: 'B', level: 1, line: 14, characters: 9 },
        ]);
        expect((await ask('get_node', { id: 'a', section: 'A > B' })).content).toBe('## B\ntwo\n### C\nthree\n');
        expect((await ask('get_node', { id: 'a', section: '# B' })).content).toBe('# B\nfour\n');
        expect((await ask('get_node', { id: 'a', section: 'd' })).content).toBe('## D\n```\n# no heading\n```\n');
        expect((await refuse('get_node', { id: 'a', section: 'B' })).error.message).toContain('on lines 6, 14');
        expect((await refuse('get_node', { id: 'a', section: 'no heading' })).error.message).toContain('Its headings: # A, ## B');
      }),
    ));

  it('E-13 a long section is read on by its offsets, and a part that was read is no reading of the whole', () =>
    withVault({ 'a.md': `# A\n${'a'.repeat(25_000)}\n# B\nb\n` }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        let { content, next_offset: next } = await ask('get_node', { id: 'a', section: 'A' });
        while (next !== undefined) {
          const more = await ask('get_node', { id: 'a', section: 'A', offset: next });
          content = content.slice(0, next) + more.content;
          next = more.next_offset;
        }
        expect(content).toBe(`# A\n${'a'.repeat(25_000)}\n`);
        expect((await refuse('get_node', { id: 'a', section: 'A', offset: 25_006 })).error.code).toBe('INVALID_PARAMS');
        expect((await refuse('update_node', { id: 'a', content: 'new' })).error.message).toContain('without the characters');
        await ask('update_node', { id: 'a', section: { heading: 'A', content: 'short' } });
        expect(vault.read('a.md')).toContain('# A\nshort\n# B\nb\n');
      }),
    ));
});
