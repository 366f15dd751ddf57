import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const canvas = {
  nodes: [
    { id: 'b', type: 'file', file: 'pics/shown.png', x: 0, y: 200 },
    { id: 'a', type: 'text', text: 'First\nwords [[Note]]', x: 0, y: 0 },
    { id: 'g', type: 'group', label: 'Group', x: -10, y: -10 },
    { id: 'l', type: 'link', url: 'https://example.org', x: 500, y: 0 },
  ],
  edges: [{ id: 'e', fromNode: 'a', toNode: 'b', label: 'leads to' }],
};
const files = {
  'Note.md': '---\ncover: pics/cover.jpg\n---\n![[used.png|300]] and [doc](pics/doc.pdf)\n',
  'board.canvas': JSON.stringify(canvas),
  'pics/used.png': 'PNG',
  'pics/shown.png': 'PNG',
  'pics/cover.jpg': 'JPG',
  'pics/doc.pdf': 'PDF',
  'pics/left.png': 'PNG',
  'pics/over.mp3': 'MP3',
  'script.py': 'print()',
  'a/twin.png': '1',
  'b/twin.png': '2',
};

describe('files that are no notes', () => {
  it('get_node: facts and a path, the nodes of a canvas as text, the text of a base; by path or by the name that only one has', () =>
    withVault({ ...files, 'q.base': 'views:\n  - type: table\n' }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        expect(await ask('get_node', { id: 'used.png' })).toMatchObject({
          id: 'pics/used.png',
          title: 'used.png',
          extension: 'png',
          size: 3,
          incomingCount: 1,
        });
        const board = await ask('get_node', { id: '[[board.canvas]]' });
        expect(board.content).toBe(
          '[Group]\n\nFirst\nwords [[Note]]\n\n<https://example.org>\n\n![[pics/shown.png]]\n\nFirst → ![[pics/shown.png]] (leads to)',
        );
        expect(board.links).toEqual([{ id: 'pics/shown.png', title: 'shown.png' }]);
        expect((await ask('get_node', { id: 'q.base' })).content).toContain('type: table');
        expect((await refuse('get_node', { id: 'twin.png' })).error).toMatchObject({ code: 'AMBIGUOUS' });
        expect(await ask('get_node', { id: 'none.png' })).toBeNull();
        const { nodes } = await ask('get_nodes', { ids: ['used.png', 'none.png', 'Note', 'board.canvas'] });
        expect(nodes.map((node: { id: string } | null) => node?.id)).toEqual(['pics/used.png', undefined, 'Note.md', 'board.canvas']);
        expect((await ask('get_neighbors', { id: 'used.png', direction: 'in' })).map((node: { id: string }) => node.id)).toEqual([
          'Note.md',
        ]);
        expect((await cli(['backlinks', 'used.png', '--vault', vault.root])).stdout).toContain('Note');
      }),
    ));

  it('a canvas that is none is shown as it is, however it is broken', () =>
    withVault({ 'a.canvas': '{"nodes": 5, "edges": [null, {"fromNode": {}}]}', 'b.canvas': 'no json', 'c.canvas': '' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        expect((await ask('get_node', { id: 'a.canvas' })).content).toBe('? → ?');
        expect((await ask('get_node', { id: 'b.canvas' })).content).toBe('no json');
        expect((await ask('get_node', { id: 'c.canvas' })).content).toBe('');
      }),
    ));

  it('delete_node puts one into the trash, names the links and canvases that showed it, and it comes back', () =>
    withVault(files, (vault) =>
      withServer(vault, async ({ ask }) => {
        const { deleted, _warnings: warnings } = await ask('delete_node', { id: 'used.png' });
        expect([deleted, warnings]).toEqual([true, [expect.stringContaining('Note.md: the link to used.png now leads nowhere')]]);
        expect((await ask('delete_node', { id: 'pics/shown.png' }))._warnings).toEqual([expect.stringContaining('board.canvas')]);
        expect(vault.files()).not.toContain('pics/used.png');
        expect((await cli(['restore', 'pics/used.png', '--vault', vault.root])).status).toBe(0);
        expect(vault.read('pics/used.png')).toBe('PNG');
        expect(await ask('delete_node', { id: 'none.png' })).toEqual({ deleted: false });
        expect((await ask('delete_node', { id: 'Note' }))._warnings).toEqual([
          'board.canvas: it shows or links Note.md, which is gone now.',
        ]);
      }),
    ));

  it('doctor finds pictures and the like that nothing shows, and no other file', () =>
    withVault(files, async (vault) => {
      const { stdout, status } = await cli(['doctor', '--json', '--vault', vault.root]);
      const findings: readonly { kind: string; message: string; paths: readonly string[] }[] = JSON.parse(stdout).findings;
      const unused = findings.filter(({ kind }) => kind === 'unused-attachment');
      expect(status).toBe(1);
      expect(unused.map(({ paths }) => paths)).toEqual([['a/twin.png'], ['b/twin.png'], ['pics/left.png', 'pics/over.mp3']]);
      expect(unused[2]?.message).toBe('2 files in pics/ are linked from no note and shown by no canvas: left.png, over.mp3');
    }));
});
