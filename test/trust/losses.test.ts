import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli } from '../support/program/cli.ts';
import { hasGit, withGitVault } from '../support/git.ts';
import { ALONE, withMcp } from '../support/program/mcp-client.ts';
import { withServer } from '../support/program/mcp-server.ts';
import type { McpSession } from '../support/program/mcp-client.ts';
import { withVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';

const NOTES = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`note ${index}.md`, `Number ${index}\n`]));
const known = async (session: McpSession): Promise<number> => ((await session.ask('list_nodes', {})) as { total: number }).total;

describe('more than half of the notes go at once', () => {
  it.skipIf(!hasGit)('F52 git moves to a branch with a third of the notes: no alarm, and writes go on', () =>
    withGitVault({ 'one.md': 'One\n' }, async (vault) => {
      vault.git('checkout', '--quiet', '-b', 'large');
      for (const [name, text] of Object.entries(NOTES)) vault.write(name, text);
      vault.commit('many');
      await withServer(vault, async (session) => {
        expect(await known(session)).toBe(31);
        for (const [branch, count] of [
          ['main', 1],
          ['large', 31],
          ['main', 1],
        ] as const) {
          vault.git('checkout', '--quiet', branch);
          await waitFor(async () => (await known(session)) === count, { what: `the notes of ${branch}` });
          await session.ask('get_node', { id: 'one' });
          await session.ask('update_node', { id: 'one', content: `On ${branch}\n` });
          const answer = await session.call('search', { query: 'one' });
          expect(answer.texts.join('\n')).not.toContain('vanished');
          vault.git('checkout', '--quiet', '--', '.');
        }
      });
    }),
  );

  it('F30 F52 without git nothing is written, every answer says so, and "roux doctor --fix" is the way on, without a restart', () =>
    withVault({ ...NOTES, 'one.md': 'One\n' }, (vault) =>
      withMcp(vault, async (session) => {
        expect(await known(session)).toBe(31);
        for (const name of Object.keys(NOTES)) rmSync(vault.path(name));
        await waitFor(async () => (await known(session)) === 1, { what: 'the loss to be seen' });
        const refused = await session.refuse('update_node', { id: 'one', content: 'Lost?\n' });
        expect(JSON.stringify(refused)).toContain('VAULT_SHRUNK');
        expect(JSON.stringify(refused)).toContain('roux doctor --fix');
        expect((await session.call('search', { query: 'one' })).texts.join('\n')).toContain('More than half of the notes vanished');
        expect(vault.read('one.md')).toBe('One\n');

        const looked = await cli(['doctor', '--vault', vault.root]);
        expect(looked.status).not.toBe(3);
        await session.refuse('update_node', { id: 'one', content: 'Lost?\n' });
        expect((await cli(['doctor', '--fix', '--vault', vault.root])).status).toBe(0);
        await session.ask('update_node', { id: 'one', content: 'Meant\n' });
        expect((await session.call('search', { query: 'meant' })).texts.join('\n')).not.toContain('vanished');
      }),
    ));

  it('F30 what roux itself removes is no loss, in this process or another, however soon it is seen', () =>
    withVault({ ...NOTES, 'one.md': 'One\n' }, (vault) =>
      withMcp(vault, (other) =>
        withMcp(
          vault,
          async (session) => {
            expect(await known(session)).toBe(31);
            for (const name of Object.keys(NOTES).slice(0, 20)) {
              await other.ask('delete_node', { id: name });
              // Some are seen to go by asking, others by the watch.
              if (name.endsWith('5.md')) await known(session);
            }
            await waitFor(async () => (await known(session)) === 11, { what: 'the notes that are left' });
            for (const each of [session, other]) {
              expect((await each.call('search', { query: 'one' })).texts.join('\n')).not.toContain('vanished');
              await each.ask('update_node', { id: 'one', content: 'Still written\n' });
            }
            // The next loss is measured by what is left.
            for (const name of Object.keys(NOTES).slice(20)) rmSync(vault.path(name));
            await waitFor(async () => (await known(session)) === 1, { what: 'the loss' });
            expect(JSON.stringify(await session.refuse('create_node', { title: 'newer' }))).toContain('VAULT_SHRUNK');
          },
          ALONE,
        ),
      ),
    ));

  it('F30 a loss after one that was accepted is a loss again', () =>
    withVault({ ...NOTES, ...Object.fromEntries(Object.entries(NOTES).map(([name, text]) => [`more/${name}`, text])) }, (vault) =>
      withMcp(vault, async (session) => {
        expect(await known(session)).toBe(60);
        rmSync(vault.path('more'), { recursive: true });
        for (const name of Object.keys(NOTES).slice(0, 10)) rmSync(vault.path(name));
        await waitFor(async () => (await known(session)) === 20, { what: 'the first loss' });
        await session.refuse('create_node', { title: 'new' });
        await cli(['doctor', '--fix', '--vault', vault.root]);
        await session.ask('create_node', { title: 'new' });
        for (const name of Object.keys(NOTES).slice(10, 28)) rmSync(vault.path(name));
        await waitFor(async () => (await known(session)) === 3, { what: 'the second loss' });
        expect(JSON.stringify(await session.refuse('create_node', { title: 'newer' }))).toContain('VAULT_SHRUNK');
      }),
    ));
});
