import { describe, expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

describe('names that make one file name', () => {
  it.each([
    ['slug', ['C', 'C++', 'C!'], ['c.md', 'c-2.md', 'c-3.md']],
    ['slug', ['What?', 'What!'], ['what.md', 'what-2.md']],
    ['slug', ['!!!', '🚀'], ['untitled.md', 'untitled-2.md']],
    ['title', ['What?', 'What*'], ['What.md', 'What 2.md']],
  ] as const)('X-34 of two notes each keeps its file and its title (%s: %j)', (filenames, titles, files) =>
    withVault({ '.rouxrc.json': JSON.stringify({ filenames }) }, (vault) =>
      withServer(vault, async ({ ask, call }) => {
        for (const [index, title] of titles.entries())
          expect(
            await ask('create_node', { title, content: `Of ${title}\n`, if_exists: index % 2 === 0 ? 'update' : 'skip' }),
          ).toMatchObject({
            id: files[index],
            title,
            content: `Of ${title}\n`,
          });
        for (const [index, title] of titles.entries()) {
          const answer = await call('create_node', { title });
          expect(answer.value).toMatchObject({ error: { code: 'NODE_EXISTS', details: { id: files[index] } } });
          expect(await ask('create_node', { title, if_exists: 'skip' })).toMatchObject({ id: files[index], content: `Of ${title}\n` });
          expect(vault.read(files[index] ?? '')).toContain(`Of ${title}\n`);
        }
      }),
    ),
  );

  it('X-34 a note that a person named as its title would be is that note', () =>
    withVault({ 'my-note.md': 'Mine\n', 'c.md': 'See\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        expect(await ask('create_node', { title: 'My Note', if_exists: 'skip' })).toMatchObject({ id: 'my-note.md' });
        expect(await ask('create_node', { title: 'C++' })).toMatchObject({ id: 'c-2.md', title: 'C++' });
        expect(vault.read('c.md')).toBe('See\n');
      }),
    ));

  it('X-34 of two projects each keeps its root and its goal', () =>
    withVault({}, (vault) =>
      withServer(vault, async ({ ask }) => {
        const names = ['C++', 'C#', 'C', 'v1.0', 'v1 0', '🚀', '🎉'];
        for (const name of names) await ask('graph_open', { project: name, goal: `Goal of ${name}` });
        for (const name of names) {
          const opened = await ask('graph_open', { project: name });
          expect(opened).toMatchObject({ project: name, root: { summary: `Goal of ${name}` } });
          await ask('graph_plan', { project: name, nodes: [{ ref: 'a', summary: `Task of ${name}` }] });
          const { nodes } = (await ask('graph_query', { project: name, filter: { actionable: true } })) as { nodes: { summary: string }[] };
          expect(nodes.map(({ summary }) => summary).filter((summary) => summary.startsWith('Task'))).toEqual([`Task of ${name}`]);
        }
      }),
    ));
});

it('X-34 create_node with if_exists "update" changes what it is given and nothing else', () =>
  withVault({ 'a.md': '---\ntags: [one, two]\nstate: new\n---\nThe body.\n' }, (vault) =>
    withServer(vault, async ({ ask }) => {
      await ask('create_node', { title: 'a', if_exists: 'update', properties: { state: 'done' } });
      expect(vault.read('a.md')).toContain('tags: [one, two]\nstate: done\n');
      expect(vault.read('a.md')).toContain('---\nThe body.\n');
      await ask('create_node', { title: 'a', if_exists: 'update', content: 'Another.\n' });
      expect(vault.read('a.md')).toContain('tags: [one, two]\n');
      await ask('create_node', { title: 'a', if_exists: 'update', tags: [], content: '' });
      expect(await ask('get_node', { id: 'a' })).toMatchObject({ tags: [], content: '' });
    }),
  ));
