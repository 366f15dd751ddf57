import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

describe('answers to writes', () => {
  it('A-13 E-29 what changed, the etag, what else was rewritten, the batch to undo; the note only where it is asked for', () => {
    const links = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`l${index}.md`, '[[Old]]\n']));
    return withVault({ 'Old.md': 'word '.repeat(1_000), ...links }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const created = await ask('create_node', { title: 'New', content: 'x'.repeat(2_000), tags: ['t'] });
        expect(Object.keys(created).sort()).toEqual(['batch', 'etag', 'id', 'path', 'rev', 'title']);
        expect(created.etag).toBe((await ask('get_node', { id: 'New' })).etag);
        const renamed = await ask('update_node', { id: 'Old', title: 'Newer' });
        expect(renamed).toMatchObject({ path: 'newer.md', title: 'Newer', changed: expect.stringContaining('+  - Old') });
        expect(renamed).not.toHaveProperty('content');
        expect(renamed.rewritten).toHaveLength(10);
        expect(renamed.rewritten_omitted).toBe(4);
        expect(renamed.rewritten.every((path: string) => vault.read(path).includes('[[newer]]'))).toBe(true);
        const whole = await ask('update_node', { id: 'Newer', append: 'end', include_content: true });
        expect(whole.content).toBe(`${'word '.repeat(1_000)}\nend`);
        expect(whole).not.toHaveProperty('rewritten');
        const unchanged = await ask('update_node', { id: 'Newer', tags: [] });
        expect(unchanged).not.toHaveProperty('batch');
        expect(unchanged).not.toHaveProperty('changed');
        expect((await cli(['undo', whole.batch, '--vault', vault.root])).status).toBe(0);
        expect(vault.read('newer.md')).not.toContain('end');
        expect((await cli(['undo', renamed.batch, '--vault', vault.root])).status).toBe(0);
        expect(vault.read('l3.md')).toBe('[[Old]]\n');
      }),
    );
  });

  it('A-13 the changed lines have the number of the first in the file, are cut, and leave the stamps out', () =>
    withVault({ 'a.md': '---\nrev: 3\nupdated_at: 2026-01-01T00:00:00Z\ntags: [x]\n---\none\ntwo\nthree\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        expect((await ask('update_node', { id: 'a', add: { tags: ['y'] } })).changed).toBe('@@ 4\n-tags: [x]\n+tags: [x, y]');
        const edits = [
          { find: 'one', replace: 'ONE' },
          { find: 'three', replace: 'THREE' },
        ];
        expect((await ask('update_node', { id: 'a', edits })).changed).toBe('@@ 6\n-one\n+ONE\n@@ 8\n-three\n+THREE');
        expect((await ask('update_node', { id: 'a', append: 'four' })).changed).toBe('@@ 9\n+four');
        expect((await ask('update_node', { id: 'a', edits: [{ find: 'two\n', replace: '' }] })).changed).toContain('-two');
        const { changed } = await ask('update_node', { id: 'a', content: `${'A long line of words.\n'.repeat(2_000)}` });
        expect(changed.length).toBeLessThan(560);
        expect(changed).toMatch(/^@@ 6\n-ONE\n[^]+… \d+ more lines$/);
      }),
    ));

  it('A-13 an answer is no reading: what it did not show is not overwritten without a word', () =>
    withVault({ 'a.md': 'long '.repeat(500), 'b.md': 'one\n\ntwo\n\nthree\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        await ask('update_node', { id: 'a', tags: ['t'] });
        const { _warnings: warnings } = await ask('update_node', { id: 'a', content: 'new\n' });
        expect(warnings[0]).toContain('without having been read');
        // Its own replacement it knows, and one into which an edit by a person was merged as it was sent.
        expect(await ask('update_node', { id: 'a', content: 'newer\n' })).not.toHaveProperty('_warnings');
        await ask('get_node', { id: 'b' });
        vault.write('b.md', 'one by me\n\ntwo\n\nthree\n');
        await ask('update_node', { id: 'b', content: 'one\n\ntwo\n\nthree, and more\n' });
        await ask('update_node', { id: 'b', content: 'one\n\ntwo\n\nthree, and much more\n' });
        expect(vault.read('b.md')).toContain('one by me\n\ntwo\n\nthree, and much more\n');
      }),
    ));

  it('A-13 a write names the links that it brings to headings and blocks that are not there, with the nearest; not those of before', () =>
    withVault({ 'a.md': '# Control types\n\nText ^one\n', 'b.md': 'Old [[a#Gone]]\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const made = await ask('create_node', {
          title: 'New',
          content: '[[a#Control typs]], [[a#Control types]], [[a#^one]] and [[#Here]]\n',
        });
        expect(made._warnings).toEqual([
          '[[a#Control typs]] leads to no heading of a.md; nearest: "Control types".',
          '[[#Here]] leads to no heading of new.md.',
        ]);
        const updated = await ask('update_node', { id: 'b', append: '[[a#^two]]' });
        expect(updated._warnings).toEqual(['[[a#^two]] leads to no block of a.md.']);
      }),
    ));

  it('A-13 create_node with if_exists skip says that it left the note as it was', () =>
    withVault({ 'a.md': 'Mine\n' }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const answer = await ask('create_node', { title: 'a', content: 'Other\n', if_exists: 'skip' });
        expect(answer).toMatchObject({ path: 'a.md', skipped: true });
        expect(answer).not.toHaveProperty('batch');
        expect(vault.read('a.md')).toBe('Mine\n');
        expect((await ask('update_node', { id: 'a', content: 'New\n' }))._warnings[0]).toContain('without having been read');
      }),
    ));
});
