import { expect, it } from 'vitest';
import { cli } from '../../../support/program/cli.ts';
import { withServer } from '../../../support/program/mcp-server.ts';
import { withVault } from '../../../support/vault.ts';

const LARGE = `# Large\n\nSee [[tea]].\n\n${'A sentence that is not looked for.\n'.repeat(350_000)}`;

it('H-15 a note that is too large to be written comes back whole by restore and by undo, and nothing is said to be wrong with it', () =>
  withVault({ 'Large.md': LARGE, 'tea.md': 'Tea.\n' }, async (vault) => {
    const run = async (...args: readonly string[]): Promise<string> => {
      const { status, stdout, stderr } = await cli([...args, '--vault', vault.root]);
      expect(status, stderr).toBe(0);
      return stdout + stderr;
    };
    const isWhole = (): boolean => vault.read('Large.md') === LARGE;
    const lastBatch = async (): Promise<string> => /\b[0-9a-z]{26}\b/.exec(await run('history', 'Large'))?.[0] ?? '';

    await run('delete', 'Large');
    expect(vault.exists('Large.md')).toBe(false);
    expect(await run('fsck')).toContain('everything is intact');
    await run('restore', 'Large');
    expect(isWhole()).toBe(true);
    expect(await run('fsck')).toContain('everything is intact');

    // An undo of the restoration deletes it again, and an undo of that brings it back.
    await run('undo', await lastBatch());
    expect(vault.exists('Large.md')).toBe(false);
    await run('undo', '--by', 'cli');
    expect(isWhole()).toBe(true);
    expect(await run('fsck')).toContain('everything is intact');

    // One that was changed since is not deleted by an undo.
    const restored = await lastBatch();
    vault.write('Large.md', `${LARGE}More.\n`);
    expect(await cli(['undo', restored, '--vault', vault.root])).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('was changed'),
    });
    expect(vault.read('Large.md')).toBe(`${LARGE}More.\n`);
  }));

it('H-15 update_node moves and renames a note that is too large to be written, and says what stays as it was', () =>
  withVault({ 'Large.md': LARGE, 'tea.md': 'Of [[Large]].\n' }, (vault) =>
    withServer(vault, async ({ ask, call }) => {
      await call('update_node', { id: 'Large', directory: 'books' });
      expect(vault.read('books/Large.md')).toBe(LARGE);
      const { texts } = await call('update_node', { id: 'Large', title: 'Huge' });
      expect(texts.join()).toContain('it was moved as it is');
      expect(vault.read('books/huge.md')).toBe(LARGE);
      expect(vault.read('tea.md')).toBe('Of [[huge]].\n');
      expect((await ask('get_node', { id: 'huge' })).path).toBe('books/huge.md');
    }),
  ));
