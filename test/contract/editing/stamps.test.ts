import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const PLAIN = '# Plain\n\nBy hand.\n';
const HEADED = "---\ntags: [a,  b]   # as I like it\nstatus: 'open'\n---\nBy hand.\n";
const DATED = '---\nupdated_at: 2020-01-01T00:00:00.000Z\nstatus: open\n---\nBy hand.\n';
const OWN = '---\nrev: B\nupdated_at: last week\n---\nBy hand.\n';

describe('A-20 what people wrote is not stamped', () => {
  it('A-20 a note without frontmatter gets none from text, and one with frontmatter keeps every byte of it', () =>
    withVault({ 'plain.md': PLAIN, 'headed.md': HEADED }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('update_node', { id: 'plain', append: 'Added.' });
        await ask('update_node', { id: 'plain', edits: [{ find: 'By hand.', replace: 'By both.' }] });
        expect(vault.read('plain.md')).toBe('# Plain\n\nBy both.\nAdded.\n');
        await ask('update_node', { id: 'headed', append: 'Added.' });
        await ask('update_node', { id: 'headed', properties: { status: 'done' } });
        expect(vault.read('headed.md')).toMatch(/^---\ntags: \[a, {2}b\] {3}# as I like it\nstatus: '?done'?\n---\nBy hand\.\n/);
        await ask('get_node', { id: 'plain' });
        await ask('update_node', { id: 'plain', content: 'All new.\n' });
        expect(vault.read('plain.md')).toBe('All new.\n');
        const { path } = await ask('update_node', { id: 'plain', title: 'Renamed' });
        expect(vault.read(path)).not.toMatch(/^(?:rev|updated_at):/m);
      }),
    ));

  it('A-20 an updated_at that is a time is kept up to date without a rev; keys that mean something else stay', () =>
    withVault({ 'dated.md': DATED, 'own.md': OWN }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('update_node', { id: 'dated', append: 'Added.' });
        expect(vault.read('dated.md')).toMatch(/^---\nupdated_at: "?2026[^\n]*\nstatus: open\n---\n/);
        expect(await ask('update_node', { id: 'own', append: 'Added.' })).toMatchObject({ rev: 1 });
        expect(vault.read('own.md')).toBe(`${OWN}Added.\n`);
      }),
    ));

  it('A-20 a note that a tool made carries rev and updated_at, and counts on by its rev', () =>
    withVault({}, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const { path, rev } = await ask('create_node', { title: 'Made', content: 'Text.' });
        expect(rev).toBe(1);
        const answer = await ask('update_node', { id: path, append: 'More.', expected_rev: 1 });
        expect(answer).toMatchObject({ rev: 2 });
        expect(vault.read(path)).toMatch(/^rev: 2$/m);
        expect(vault.read(path)).toContain(`updated_at: ${(await ask('get_node', { id: path })).updated}\n`);
        const { error } = await refuse('update_node', { id: path, append: 'Again.', expected_rev: 1 });
        expect(error).toMatchObject({ code: 'CONFLICT', details: { rev: 2, etag: answer.etag } });
      }),
    ));

  it('A-20 with writes.stamp all notes are stamped, and count on from where the history was', () =>
    withVault({ 'plain.md': PLAIN, 'own.md': OWN }, async (vault) => {
      await withServer(vault, async ({ ask }) => {
        expect(await ask('update_node', { id: 'plain', append: 'One.' })).toMatchObject({ rev: 1 });
      });
      vault.write('.rouxrc.json', '{"writes": {"stamp": true}}');
      await withServer(vault, async ({ ask }) => {
        const answer = await ask('update_node', { id: 'plain', append: 'Two.', expected_rev: 1 });
        expect(answer.rev).toBe(2);
        expect(vault.read('plain.md')).toMatch(/^---\nrev: 2\nupdated_at: [^\n]+\n---\n# Plain\n/);
        await ask('update_node', { id: 'own', append: 'Two.' });
        expect(vault.read('own.md')).toBe(`${OWN}Two.\n`);
      });
    }));
});

describe('A-20 a rev is told for both, and conditions on it hold', () => {
  it('A-20 it grows with each write, stays over restarts and renames, and an older one is a CONFLICT with the current state', () =>
    withVault({ 'plain.md': PLAIN, 'links.md': '[[plain]]\n' }, async (vault) => {
      const revs: number[] = [];
      await withServer(vault, async ({ ask, refuse }) => {
        revs.push((await ask('get_node', { id: 'plain' })).rev);
        for (const text of ['One.', 'Two.'])
          revs.push((await ask('update_node', { id: 'plain', append: text, expected_rev: revs.at(-1) })).rev);
        expect(revs).toEqual([0, 1, 2]);
        expect((await ask('get_node', { id: 'plain' })).rev).toBe(2);
        const { etag } = await ask('get_node', { id: 'plain' });
        const { error } = await refuse('update_node', { id: 'plain', append: 'Stale.', expected_rev: 1 });
        expect(error).toMatchObject({ code: 'CONFLICT', details: { rev: 2, etag } });
        const byTag = await refuse('update_node', { id: 'plain', append: 'Stale.', if_match: '0123456789abcdef' });
        expect(byTag.error).toMatchObject({ code: 'CONFLICT', details: { rev: 2, etag } });
        expect(await ask('update_node', { id: 'plain', append: 'Three.', if_match: etag })).toMatchObject({ rev: 3 });
      });
      await withServer(vault, async ({ ask, refuse }) => {
        expect((await ask('get_node', { id: 'plain' })).rev).toBe(3);
        await ask('update_node', { id: 'plain', directory: 'sub' });
        expect((await ask('get_node', { id: 'sub/plain' })).rev).toBe(4);
        expect((await refuse('update_node', { id: 'sub/plain', append: 'Stale.', expected_rev: 3 })).error.code).toBe('CONFLICT');
        expect(await ask('update_node', { id: 'sub/plain', append: 'Four.', expected_rev: 4 })).toMatchObject({ rev: 5 });
      });
      expect(JSON.parse((await cli(['get', 'sub/plain', '--vault', vault.root, '--json'])).stdout)).toMatchObject({ rev: 5 });
      expect(vault.read('sub/plain.md')).toBe(`${PLAIN}One.\nTwo.\nThree.\nFour.\n`);
    }));

  it('A-20 an edit by hand counts as a change, whether roux ran or not, and another one at once is noticed as well', () =>
    withVault({ 'plain.md': PLAIN, 'never.md': 'Never written.\n' }, async (vault) => {
      let rev = 0;
      await withServer(vault, async ({ ask, refuse }) => {
        ({ rev } = await ask('update_node', { id: 'plain', append: 'One.' }));
        vault.write('plain.md', 'By hand.\n');
        expect((await refuse('update_node', { id: 'plain', append: 'Stale.', expected_rev: rev })).error.code).toBe('CONFLICT');
        expect(vault.read('plain.md')).toBe('By hand.\n');
        const read = await ask('get_node', { id: 'plain' });
        expect(read.rev).toBe(rev + 1);
        vault.write('plain.md', 'By hand again.\n');
        const again = await ask('get_node', { id: 'plain' });
        vault.write('plain.md', 'And again.\n');
        expect((await refuse('update_node', { id: 'plain', append: 'Stale.', expected_rev: again.rev })).error.code).toBe('CONFLICT');
        ({ rev } = await ask('get_node', { id: 'plain' }));
        ({ rev } = await ask('update_node', { id: 'plain', append: 'Two.', expected_rev: rev }));
        expect(vault.read('plain.md')).toBe('And again.\nTwo.\n');
        expect((await ask('get_node', { id: 'never' })).rev).toBe(0);
        vault.write('never.md', 'Edited.\n');
        expect((await refuse('update_node', { id: 'never', append: 'Stale.', expected_rev: 0 })).error.code).toBe('CONFLICT');
      });
      vault.write('plain.md', 'While nothing ran.\n');
      await withServer(vault, async ({ ask, refuse }) => {
        const { error } = await refuse('update_node', { id: 'plain', append: 'Stale.', expected_rev: rev });
        expect(error).toMatchObject({ code: 'CONFLICT', details: { rev: rev + 1 } });
        expect(await ask('update_node', { id: 'plain', append: 'Three.', expected_rev: rev + 1 })).toMatchObject({ rev: rev + 2 });
      });
      expect(vault.read('plain.md')).toBe('While nothing ran.\nThree.\n');
      vault.write('plain.md', 'Not in the history yet.\n');
      expect(JSON.parse((await cli(['get', 'plain', '--vault', vault.root, '--json'])).stdout)).toMatchObject({ rev: rev + 3 });
    }));

  it('A-20 a note that a person renames keeps its count', () =>
    withVault({ 'plain.md': PLAIN }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const { rev } = await ask('update_node', { id: 'plain', append: 'One.' });
        vault.write('moved.md', vault.read('plain.md'));
        vault.remove('plain.md');
        const { error } = await refuse('update_node', { id: 'moved', append: 'Stale.', expected_rev: rev });
        expect(error).toMatchObject({ code: 'CONFLICT', details: { rev: rev + 1 } });
        expect(await ask('update_node', { id: 'moved', append: 'Two.', expected_rev: rev + 1 })).toMatchObject({ rev: rev + 2 });
      }),
    ));

  it('A-20 undo brings the bytes back and counts, as deleting and restoring do; a past state is found by its rev', () =>
    withVault({ 'plain.md': PLAIN, 'headed.md': HEADED }, async (vault) => {
      await withServer(vault, async ({ ask }) => {
        await ask('update_node', { id: 'plain', append: 'One.' });
        await ask('update_node', { id: 'headed', properties: { status: 'done' } });
        expect(await ask('update_node', { id: 'plain', append: 'Two.' })).toMatchObject({ rev: 2 });
      });
      expect((await cli(['undo', '--by', 'roux-test', '--vault', vault.root])).status).toBe(0);
      expect([vault.read('plain.md'), vault.read('headed.md')]).toEqual([PLAIN, HEADED]);
      await withServer(vault, async ({ ask }) => {
        expect(await ask('get_node', { id: 'plain' })).toMatchObject({ rev: 3, content: PLAIN });
        expect(await ask('get_node', { id: 'plain', as_of: '1' })).toMatchObject({ rev: 1, content: `${PLAIN}One.\n` });
        expect(await ask('get_node', { id: 'plain', as_of: '0' })).toMatchObject({ rev: 0, content: PLAIN });
        await ask('delete_node', { id: 'plain' });
      });
      expect((await cli(['restore', 'plain.md', '--vault', vault.root])).status).toBe(0);
      await withServer(vault, async ({ ask }) => {
        expect(await ask('get_node', { id: 'plain' })).toMatchObject({ rev: 5, content: PLAIN });
      });
    }));

  it('A-20 what a person wrote was created when the history had it first, however often it is written, by whatever name', () =>
    withVault({ 'plain.md': PLAIN }, async (vault) => {
      let first = '';
      await withServer(vault, async ({ ask }) => {
        await ask('update_node', { id: 'plain', append: 'One.' });
        ({ created: first } = await ask('update_node', { id: 'plain', append: 'Two.', include_content: true }));
        await waitFor(() => Date.now() > Date.parse(first) + 20);
        expect(await ask('update_node', { id: 'plain', append: 'Three.', include_content: true })).toMatchObject({ created: first });
        await ask('update_node', { id: 'plain', directory: 'sub' });
      });
      await withServer(vault, async ({ ask }) => {
        const { created, updated } = await ask('get_node', { id: 'sub/plain' });
        expect(created).toBe(first);
        expect(updated > created).toBe(true);
      });
    }));

  it('A-20 a note with a rev that does not say when it was created has it from the history too', () =>
    withVault({ 'own.md': '---\nrev: 3\n---\nText\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        for (const append of ['One.', 'Two.']) await ask('update_node', { id: 'own', append });
        const { created } = await ask('get_node', { id: 'own' });
        await waitFor(() => Date.now() > Date.parse(created) + 20);
        await ask('update_node', { id: 'own', append: 'Three.' });
        expect(await ask('get_node', { id: 'own' })).toMatchObject({ rev: 6, created });
      }),
    ));

  it('A-20 a dry run shows no stamp and writes none', () =>
    withVault({ 'plain.md': PLAIN }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const { diff } = await ask('update_node', { id: 'plain', append: 'One.', dry_run: true });
        expect(diff).not.toMatch(/rev|updated_at/);
        expect([(await ask('get_node', { id: 'plain' })).rev, vault.read('plain.md')]).toEqual([0, PLAIN]);
      }),
    ));

  it('A-20 a task that a person wrote gets a rev with its first change by a tool, by which task tools compare', () =>
    withVault(
      {
        'projects/p/p.md': '---\ntype: project\nresolved: false\n---\n',
        'projects/p/t.md': '---\ntype: task\nresolved: false\nparent: "[[p]]"\n---\n',
      },
      (vault) =>
        withServer(
          vault,
          async ({ ask, refuse }) => {
            expect((await ask('get_node', { id: 'projects/p/t' })).rev).toBe(0);
            const { updated } = await ask('graph_update', { updates: [{ node_id: 'projects/p/t', summary: 'Do it', expected_rev: 0 }] });
            expect(updated).toMatchObject([{ rev: 1 }]);
            expect(vault.read('projects/p/t.md')).toMatch(/^rev: 1$/m);
            expect(
              (await refuse('graph_update', { updates: [{ node_id: 'projects/p/t', summary: 'Do', expected_rev: 0 }] })).error.code,
            ).toBe('rev_mismatch');
          },
          { flags: ['--toolsets', 'all'] },
        ),
    ));
});

describe('A-20 who a note comes from', () => {
  it('A-20 one whose text an agent changed is that of an agent without a mark in it; a property or a followed link leaves it the person’s', () =>
    withVault({ 'plain.md': PLAIN, 'headed.md': HEADED, 'links.md': 'See [[plain]].\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const originOf = async (id: string) => (await ask('get_node', { id }))._origin as string;
        await ask('update_node', { id: 'headed', properties: { status: 'done' } });
        await ask('update_node', { id: 'plain', directory: 'sub' });
        expect([await originOf('headed'), await originOf('links'), await originOf('sub/plain')]).toEqual(['person', 'person', 'person']);
        await ask('update_node', { id: 'headed', append: 'By an agent.' });
        expect(await originOf('headed')).toBe('agent');
      }),
    ));
});
