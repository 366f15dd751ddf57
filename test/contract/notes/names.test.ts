import { describe, expect, it } from 'vitest';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

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
            await ask('create_node', {
              include_content: true,
              title,
              content: `Of ${title}\n`,
              if_exists: index % 2 === 0 ? 'update' : 'skip',
            }),
          ).toMatchObject({
            id: files[index],
            title,
            content: `Of ${title}\n`,
          });
        for (const [index, title] of titles.entries()) {
          const answer = await call('create_node', { title });
          expect(answer.value).toMatchObject({ error: { code: 'NODE_EXISTS', details: { id: files[index] } } });
          expect(await ask('create_node', { title, if_exists: 'skip' })).toMatchObject({ id: files[index], skipped: true });
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

it('X-34 a numbered note is found when a lower number is free again', () =>
  withVault({}, (vault) =>
    withServer(vault, async ({ ask, refuse }) => {
      await ask('create_node', { title: 'C' });
      await ask('create_node', { title: 'C++', content: 'Mine\n' });
      await ask('delete_node', { id: 'c.md' });
      expect(await ask('create_node', { title: 'C++', if_exists: 'skip' })).toMatchObject({ id: 'c-2.md', skipped: true });
      expect((await refuse('create_node', { title: 'c++' })).error.code).toBe('NODE_EXISTS');
      await ask('create_node', { title: 'C' });
      await ask('create_node', { title: 'C!', content: 'Loud\n' });
      await ask('delete_node', { id: 'c-2.md' });
      expect(await ask('create_node', { title: 'C!', if_exists: 'skip' })).toMatchObject({ id: 'c-3.md', skipped: true });
    }),
  ));

it.each([
  ['what-is-x.md', 'What\n', 'What is X?'],
  ['2024-01-05.md', 'Day\n', '2024.01.05'],
  ['meeting-notes.md', '---\ntitle: Meeting notes\n---\n', 'Meeting Notes'],
])('X-34 %s is the note that %j, %j means', (file, text, title) =>
  withVault({ [file]: text }, (vault) =>
    withServer(vault, async ({ ask }) => {
      expect(await ask('create_node', { title, if_exists: 'skip' })).toMatchObject({ id: file });
      expect(vault.files()).toEqual([file]);
    }),
  ),
);

it.each([
  [
    'slug',
    ['Well-being', 'Well being', 'Well being!', 'well_being'],
    ['well-being.md', 'well-being-2.md', 'well-being-3.md', 'well_being.md'],
  ],
  ['slug', ['well-being', 'Well being'], ['well-being.md', 'well-being-2.md']],
  ['title', ['Well-being', 'Well being', 'Well being!'], ['Well-being.md', 'Well being.md', 'Well being!.md']],
  ['slug', ['Meeting notes', 'Meeting notes:', '(Meeting notes)'], ['meeting-notes.md', 'meeting-notes-2.md', 'meeting-notes-3.md']],
] as const)('H-17 titles that differ by hyphen, space or punctuation are different notes (%s: %j)', (filenames, titles, files) =>
  withVault({ '.rouxrc.json': JSON.stringify({ filenames }) }, (vault) =>
    withServer(vault, async ({ ask }) => {
      for (const order of [titles, [...titles].reverse()])
        for (const title of order) await ask('create_node', { title, content: `Of ${title}\n`, if_exists: 'update' });
      expect(vault.files().filter((file) => file.endsWith('.md'))).toEqual([...files].sort());
      for (const [index, title] of titles.entries()) {
        expect(await ask('get_node', { id: files[index] })).toMatchObject({ title, content: `Of ${title}\n` });
        // By case alone they are one name.
        expect(await ask('create_node', { title: title.toUpperCase(), if_exists: 'skip' })).toMatchObject({ id: files[index] });
      }
    }),
  ),
);

it('H-17 a new note says that there is one with a similar title', () =>
  withVault({}, (vault) =>
    withServer(vault, async ({ ask }) => {
      await ask('create_node', { title: 'Well-being', content: 'Mine\n' });
      const made = (await ask('create_node', { title: 'Well being', content: 'Other\n', if_exists: 'update' })) as { _warnings: string[] };
      expect(made._warnings.join()).toContain('There is also a note "Well-being" (well-being.md)');
    }),
  ));

it('H-17 a note that a person named by its file alone is not changed under a title that only makes that file name', () =>
  withVault({ 'my-note.md': 'Mine\n' }, (vault) =>
    withServer(vault, async ({ ask, refuse }) => {
      expect((await refuse('create_node', { title: 'My Note', content: 'Other\n', if_exists: 'update' })).error.code).toBe('NODE_EXISTS');
      expect(vault.read('my-note.md')).toBe('Mine\n');
      await ask('create_node', { title: 'MY-note', content: 'Changed\n', if_exists: 'update' });
      expect(vault.read('my-note.md')).toContain('Changed\n');
    }),
  ));

it('H-17 projects whose names differ by hyphen, space or punctuation are different, whichever came first', () =>
  withVault({}, (vault) =>
    withServer(vault, async ({ ask, call }) => {
      const names = ['v1-0', 'v1 0', 'v1.0', 'V2 0', 'v2-0', 'Road map', 'Road-map'];
      const blocks: string[] = [];
      for (const name of names) blocks.push(...(await call('graph_open', { project: name, goal: `Goal of ${name}` })).texts.slice(1));
      expect(blocks.join()).toContain('There is also a project \\"Road map\\".');
      for (const name of [...names].reverse())
        expect(await ask('graph_open', { project: name })).toMatchObject({ project: name, root: { summary: `Goal of ${name}` } });
      expect(await ask('graph_open', { project: 'V1-0' })).toMatchObject({ project: 'v1-0' });
      const { projects } = (await ask('graph_open', {})) as { projects: readonly unknown[] };
      expect(projects).toHaveLength(names.length);
    }),
  ));

it('X-34 a project is found by its folder and by similar spellings where it is read, and under its folder when its title was changed', () =>
  withVault({}, (vault) =>
    withServer(vault, async ({ ask }) => {
      const { root } = (await ask('graph_open', { project: 'My Great Project' })) as { root: { id: string } };
      const rootOf = async (project: string): Promise<string> =>
        ((await ask('graph_query', { project })) as { nodes: { id: string }[] }).nodes[0]?.id ?? '';
      const spellings = ['My-Great-Project', 'my great project', 'My Great Project.', 'my-great-project', root.id];
      for (const name of spellings) expect({ name, id: await rootOf(name) }).toEqual({ name, id: root.id });
      const path = 'projects/my-great-project/my-great-project.md';
      vault.write(path, vault.read(path).replace('title: My Great Project', 'title: Big Thing'));
      await waitFor(async () => JSON.stringify(await ask('graph_open', {})).includes('Big Thing'));
      const idOf = async (project: string): Promise<string> => ((await ask('graph_open', { project })) as { root: { id: string } }).root.id;
      for (const name of ['Big Thing', 'My Great Project', 'my-great-project', 'MY-GREAT-PROJECT'])
        expect({ name, id: await idOf(name) }).toEqual({ name, id: root.id });
      expect(vault.list('projects')).toEqual(['my-great-project']);
    }),
  ));
