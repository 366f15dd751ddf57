import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

const NOTES = {
  'inbox/a.md': '---\nstatus: open\ntags: [x] # mine\n---\nSee [[b]] and [c](c.md).\n',
  'inbox/b.md': '---\nstatus: open\n---\n',
  'inbox/c.md': '---\nstatus: done\n---\n[[inbox/a]]\n',
  'other.md': '[[inbox/b|B]]\n',
};

describe('A-12 many notes in one call', () => {
  it('update_nodes changes those that an expression selects, moves them with every link, and is one undo', () =>
    withVault(NOTES, (vault) =>
      withServer(vault, async ({ ask }) => {
        const before = Object.fromEntries(Object.keys(NOTES).map((path) => [path, vault.read(path)]));
        const answer = await ask('update_nodes', {
          where: 'status == "open"',
          path: 'inbox',
          add: { tags: ['task'] },
          properties: { status: 'started', due: '2026-12-01' },
          directory: 'work',
        });
        expect(answer).toMatchObject({ changed: 2, unchanged: 0, notes: ['work/a.md', 'work/b.md'], links_rewritten_in: 2 });
        expect(vault.files().filter((path) => path.endsWith('.md'))).toEqual(['inbox/c.md', 'other.md', 'work/a.md', 'work/b.md']);
        expect(vault.read('work/a.md')).toBe(
          '---\nstatus: started\ntags: [x, task] # mine\ndue: 2026-12-01\n---\nSee [[b]] and [c](c.md).\n',
        );
        expect(vault.read('inbox/c.md')).toBe('---\nstatus: done\n---\n[[work/a]]\n');
        expect(vault.read('other.md')).toBe('[[work/b|B]]\n');
        expect(await ask('update_nodes', { ids: ['a', 'b'], add: { tags: ['task'] } })).toMatchObject({
          changed: 0,
          unchanged: 2,
          batch: null,
        });
        expect(await cli(['undo', answer.batch, '--vault', vault.root])).toMatchObject({ status: 0 });
        for (const [path, text] of Object.entries(before)) expect(vault.read(path)).toBe(text);
      }),
    ));

  it('does not warn for each note that had nothing to remove; one note by itself is told', () =>
    withVault(NOTES, (vault) =>
      withServer(vault, async ({ ask }) => {
        const answer = await ask('update_nodes', { path: 'inbox', remove: { tags: ['x'] } });
        expect(answer).toMatchObject({ changed: 1, unchanged: 2, notes: ['inbox/a.md'] });
        expect(answer).not.toHaveProperty('_warnings');
        expect((await ask('update_nodes', { ids: ['b'], remove: { tags: ['x'] } }))._warnings[0]).toContain('was not there to remove');
      }),
    ));

  it('a dry run says what it would do and writes nothing', () =>
    withVault(NOTES, (vault) =>
      withServer(vault, async ({ ask }) => {
        const answer = await ask('update_nodes', { tag: 'x', remove: { tags: ['x'] }, dry_run: true });
        expect(answer).toMatchObject({ dry_run: true, diff: expect.stringContaining('tags') as string });
        expect(vault.read('inbox/a.md')).toBe(NOTES['inbox/a.md']);
        expect(vault.files()).toEqual(Object.keys(NOTES).sort());
      }),
    ));

  it('all or none: one that cannot be changed or is not there, and nothing is', () =>
    withVault({ ...NOTES, 'inbox/broken.md': '---\na: [\n---\n', 'projects/p/t.md': '---\ntype: task\nproperties: 5\n---\n' }, (vault) =>
      withServer(vault, async ({ refuse }) => {
        const refused = [
          await refuse('update_nodes', { path: 'inbox', properties: { seen: true } }),
          await refuse('update_nodes', { ids: ['a', 'nobody'], properties: { seen: true } }),
          await refuse('update_nodes', { ids: ['a', 'b'], properties: { rev: 7 } }),
          await refuse('update_nodes', { ids: ['a'], where: 'true', properties: { seen: true } }),
          await refuse('update_nodes', { properties: { seen: true } }),
          await refuse('update_nodes', { ids: ['a'] }),
          await refuse('update_nodes', { ids: ['a'], directory: '../out' }),
          await refuse('update_nodes', { where: 'status ==', properties: { seen: true } }),
        ];
        const unfit = await refuse('update_nodes', { path: 'projects', properties: { seen: true } });
        expect(unfit.error).toMatchObject({
          code: 'INVALID_FRONTMATTER',
          message: expect.stringMatching(/^projects\/p\/t\.md: /) as string,
          details: { path: 'projects/p/t.md' },
        });
        expect(refused[0].error.message).toContain('inbox/broken.md');
        expect(refused[1].error).toMatchObject({ code: 'NODE_NOT_FOUND', message: expect.stringContaining('nobody') as string });
        for (const [path, text] of Object.entries(NOTES)) expect(vault.read(path)).toBe(text);
      }),
    ));

  it('refuses more than a thousand notes with their number', () =>
    withVault(Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`n/${at}.md`, ''])), (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const { error } = await refuse('update_nodes', { path: 'n', properties: { seen: true } });
        expect(error).toMatchObject({ code: 'INVALID_PARAMS', details: { notes: 1_001 } });
        expect(vault.read('n/0.md')).toBe('');
        expect(await ask('update_nodes', { where: 'file.name != "0"', path: 'n', properties: { seen: true } })).toMatchObject({
          changed: 1_000,
        });
        expect(vault.read('n/1.md')).toContain('seen: true\n');
      }),
    ));
});
