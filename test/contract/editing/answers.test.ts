import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';

describe('answers to writes', () => {
  it('E-29 at most 500 characters of content unless all is asked for, the etag, what else was rewritten, the batch to undo', () => {
    const links = Object.fromEntries(Array.from({ length: 14 }, (_, index) => [`l${index}.md`, '[[Old]]\n']));
    return withVault({ 'Old.md': 'word '.repeat(1_000), ...links }, (vault) =>
      withServer(vault, async ({ ask }) => {
        const created = await ask('create_node', { title: 'New', content: 'x'.repeat(2_000) });
        expect(created.content).toBe(`${'x'.repeat(485)}... [truncated]`);
        expect(created.etag).toBe((await ask('get_node', { id: 'New' })).etag);
        const renamed = await ask('update_node', { id: 'Old', title: 'Newer' });
        expect(renamed.content).toHaveLength(500);
        expect(renamed.rewritten).toHaveLength(10);
        expect(renamed.rewritten_omitted).toBe(4);
        expect(renamed.rewritten.every((path: string) => vault.read(path).includes('[[newer]]'))).toBe(true);
        const whole = await ask('update_node', { id: 'Newer', append: 'end', include_content: true });
        expect(whole.content).toBe(`${'word '.repeat(1_000)}\nend`);
        expect(whole).not.toHaveProperty('rewritten');
        const unchanged = await ask('update_node', { id: 'Newer', tags: [] });
        expect(unchanged).not.toHaveProperty('batch');
        expect((await cli(['undo', whole.batch, '--vault', vault.root])).status).toBe(0);
        expect(vault.read('newer.md')).not.toContain('end');
        expect((await cli(['undo', renamed.batch, '--vault', vault.root])).status).toBe(0);
        expect(vault.read('l3.md')).toBe('[[Old]]\n');
      }),
    );
  });

  it('E-29 an echo that was cut is no reading: what is sent back with its mark is refused, what is new is told to be blind', () =>
    withVault({ 'a.md': 'long '.repeat(500) }, (vault) =>
      withServer(vault, async ({ ask, refuse }) => {
        const { content } = await ask('update_node', { id: 'a', tags: ['t'] });
        expect((await refuse('update_node', { id: 'a', content })).error.message).toContain('[truncated]');
        const { _warnings: warnings } = await ask('update_node', { id: 'a', content: 'new\n' });
        expect(warnings[0]).toContain('without having been read');
      }),
    ));
});
