import { symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const files = {
  'plan.md': '# Plan\n\n## Old name\ntext [[#Old name]]\n\n## Other\n',
  'a.md': 'See [[plan#Old name]], [there](plan.md#Old%20name) and ![[plan#Plan#Old name|x]].\n',
  'b.md': '[[plan#Other]] [[plan]]\n',
  'board.canvas': '{"nodes":[{"id":"1","type":"file","file":"plan.md","subpath":"#Old name"}]}\n',
};

describe('headings that an update changes', () => {
  it('E-19 links follow the one heading whose text changes, and the answer says so: by edits, by content, with a rename', () =>
    withVault(files, (vault) =>
      withServer(vault, async ({ ask }) => {
        const first = await ask('update_node', { id: 'plan', edits: [{ find: '## Old name', replace: '## New name' }] });
        expect(first._warnings[0]).toContain('"Old name" of plan.md is "New name" now');
        expect(first.rewritten.toSorted()).toEqual(['a.md', 'board.canvas']);
        expect(vault.read('a.md')).toBe('See [[plan#New name]], [there](plan.md#New%20name) and ![[plan#Plan#New name|x]].\n');
        expect(vault.read('board.canvas')).toContain('"#New name"');
        expect(vault.read('plan.md')).toContain('text [[#New name]]');
        expect(vault.read('b.md')).toBe(files['b.md']);
        const { content } = await ask('get_node', { id: 'plan' });
        const moved = await ask('update_node', {
          id: 'plan',
          content: content.replaceAll('New name', 'Third'),
          title: 'Scheme',
          directory: 'x',
        });
        expect(moved.path).toBe('x/scheme.md');
        expect(vault.read('a.md')).toContain('[[scheme#Third]]');
        expect(vault.read('board.canvas')).toMatch(/"x\/scheme\.md","subpath":"#Third"/);
        expect((await cli(['undo', moved.batch, '--vault', vault.root])).status).toBe(0);
        expect(vault.read('a.md')).toContain('[[plan#New name]]');
      }),
    ));

  it('E-19 a heading that is taken away while links lead to it is named, with them; two that change are left', () =>
    withVault(files, (vault) =>
      withServer(vault, async ({ ask }) => {
        const { content } = await ask('get_node', { id: 'plan' });
        const gone = await ask('update_node', { id: 'plan', content: content.replace('## Other\n', '') });
        expect(gone._warnings).toEqual([expect.stringMatching(/plan\.md has no Other any more, and links in b\.md/)]);
        expect(gone).not.toHaveProperty('rewritten');
        const both = await ask('update_node', { id: 'plan', content: '# Scheme\n\n## New\n' });
        expect(both._warnings.join()).toContain('links in a.md');
        expect(vault.read('a.md')).toBe(files['a.md']);
      }),
    ));

  it('E-19 headings that are swapped by edits: the links to them are named', () =>
    withVault({ 'n.md': '# A\nalpha\n# B\nbeta\n', 'm.md': '[[n#A]]\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const edits = [
          { find: '# A', replace: '# B' },
          { find: '# B', replace: '# A' },
        ];
        expect((await ask('update_node', { id: 'n', edits }))._warnings).toEqual([
          expect.stringContaining('m.md (#A) lead to another one'),
        ]);
      }),
    ));

  it('E-19 links that a new heading of their name takes are named; those whose heading only moves down are not', () =>
    withVault({ 'n.md': '# A\n\n## Log\nreal\n\n## Other\n', 'm.md': '[[n#Log]] [[n#A#Log]] [[n#Other]]\n', 'o.md': '[[o]]\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const taken = /links in m\.md \(#Log\) lead to another one of that name now/;
        const prepended = await ask('update_node', { id: 'n', prepend: '## Log\nother\n' });
        expect(prepended._warnings).toEqual([expect.stringMatching(taken)]);
        await cli(['undo', prepended.batch, '--vault', vault.root]);
        const inserted = await ask('update_node', { id: 'n', edits: [{ find: '# A\n', replace: '# A\n\n## New\n\n### Log\nx\n' }] });
        expect(inserted._warnings.join()).toContain('m.md (#Log), m.md (#A#Log)');
        await cli(['undo', inserted.batch, '--vault', vault.root]);
        const renamed = await ask('update_node', { id: 'n', edits: [{ find: '# A', replace: '# Log' }] });
        expect(renamed.rewritten).toEqual(['m.md']);
        expect(vault.read('m.md')).toBe('[[n#Log#Log]] [[n#Log#Log]] [[n#Other]]\n');
        await cli(['undo', renamed.batch, '--vault', vault.root]);
        const first = { find: '## Log\nreal', replace: '## Early\nreal' };
        await ask('update_node', { id: 'n', edits: [first] });
        const other = await ask('update_node', { id: 'n', edits: [{ find: '## Other', replace: '## Early' }] });
        expect(other._warnings.join()).toContain('n.md has no Other any more');
        await cli(['undo', other.batch, '--vault', vault.root]);
        await ask('update_node', { id: 'n', edits: [{ find: first.replace, replace: first.find }] });
        for (const given of [
          { prepend: '## New\nx' },
          { append: '## Log\nlater' },
          { append: '### Log\nbelow', under: 'Other' },
          { edits: [{ find: '## Other', replace: '## Between\n\n## Other' }] },
          { edits: [{ find: '# A\n\n## Log', replace: '# A\n\n## More\n\n## Log' }] },
        ])
          expect(await ask('update_node', { id: 'n', ...given }), JSON.stringify(given)).not.toHaveProperty('_warnings');
      }),
    ));

  it('X-01 a task does not leave the folder of its projects by update_node or rename', () =>
    withVault({}, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        await ask('graph_open', { project: 'shed', goal: 'G' });
        const { created } = await ask('graph_plan', { project: 'shed', nodes: [{ ref: 'w', summary: 'Walls' }] });
        const before = vault.files();
        const [{ id }] = created;
        expect((await refuse('update_node', { id, directory: 'away' })).error.message).toContain('is a task');
        expect((await refuse('rename', { changes: [{ from: id, to: 'away/' }] })).error.message).toContain('is a task');
        expect((await refuse('rename', { changes: [{ from: 'projects/shed/', to: 'away/' }] })).error.message).toContain('is a task');
        expect(vault.files()).toEqual(before);
        await ask('rename', { changes: [{ from: 'projects/shed/', to: 'projects/barn/' }] });
        expect((await ask('graph_query', { project: 'barn' })).total).toBe(2);
      }),
    ));

  it('E-14 update_node moves a note to a directory, alone or with a title; none that leads out of the vault', () =>
    withVault(files, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        expect((await ask('update_node', { id: 'plan', directory: 'work/now', tags: ['t'] })).path).toBe('work/now/plan.md');
        expect(vault.read('work/now/plan.md')).toContain('tags:\n  - t\n');
        expect((await ask('list_nodes', { ghosts: true })).total).toBe(0);
        expect((await ask('update_node', { id: 'plan', directory: '' })).path).toBe('plan.md');
        expect(vault.files()).not.toContain('work');
        expect((await ask('update_node', { id: 'plan', directory: '', title: 'plan' })).path).toBe('plan.md');
        for (const directory of ['../out', '.obsidian', 'node_modules/x']) {
          expect((await refuse('update_node', { id: 'plan', directory })).error.code, directory).toBe('INVALID_PARAMS');
        }
        symlinkSync('there', vault.path('link'));
        vault.write('there/plan.md', 'taken\n');
        for (const [tool, args] of [
          ['update_node', { id: 'a', directory: 'link' }],
          ['create_node', { title: 'New', directory: 'link' }],
          ['rename', { changes: [{ from: 'a', to: 'link/b' }] }],
        ] as const) {
          expect((await refuse(tool, args)).error, tool).toMatchObject({
            code: 'INVALID_PARAMS',
            message: expect.stringContaining('a link to there'),
          });
        }
        expect(vault.files()).toContain('a.md');
        expect((await refuse('update_node', { id: 'plan.md', directory: 'there' })).error.code).toBe('NODE_EXISTS');
      }),
    ));
});
