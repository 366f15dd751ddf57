import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openServerFiles } from '../../../src/system/server-files.ts';
import { cli, program } from '../../support/program/cli.ts';
import { ENTER, hasTerminal, inTerminal } from '../../support/program/terminal.ts';
import { withVault } from '../../support/vault.ts';

const hasPassword = async (root: string): Promise<boolean> =>
  (JSON.parse((await cli(['token', '--json', '--vault', root])).stdout) as { owner: { password?: boolean } }).owner.password === true;

describe('O-01 roux token owner', () => {
  it('reads a line from stdin, and takes no short password, no name and no options of others', () =>
    withVault({ 'a.md': '' }, async (vault) => {
      const set = (stdin: string, ...args: string[]) => cli(['token', 'owner', ...args, '--vault', vault.root], { stdin });
      expect(await set('short\n')).toMatchObject({ status: 2, stderr: expect.stringContaining('12 characters') });
      expect(await set('')).toMatchObject({ status: 2 });
      expect(await set('long enough, really\n', 'name')).toMatchObject({ status: 2, stderr: expect.stringContaining('takes no name') });
      expect(await set('long enough, really\n', '--scope', 'read')).toMatchObject({ status: 2 });
      expect(await hasPassword(vault.root)).toBe(false);
      const done = await set('long enough, really\nanother line\n');
      expect(done).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('The password is set') });
      expect(done.stdout).not.toContain('long enough');
      expect(await hasPassword(vault.root)).toBe(true);
      expect((await cli(['token', '--vault', vault.root])).stdout).toContain('a password lets programs in by OAuth');
    }));

  it('takes the line of a file as it can be typed: without a byte order mark, and in no other encoding than UTF-8', () =>
    withVault({ 'a.md': '' }, async (vault) => {
      const set = (stdin: string) => cli(['token', 'owner', '--vault', vault.root], { stdin });
      expect(await set('long enough, really'.replaceAll(/(?<=.)/g, '\0'))).toMatchObject({
        status: 2,
        stderr: expect.stringContaining('UTF-8'),
      });
      expect(await hasPassword(vault.root)).toBe(false);
      expect(await set('\ufefflong enough, really\r\n')).toMatchObject({ status: 0 });
      expect(await openServerFiles(vault.root).oauth.isPassword('long enough, really')).toBe(true);
    }));

  it.skipIf(!hasTerminal)('asks twice on a terminal, and shows nothing of what is typed', () =>
    withVault({ 'a.md': '' }, async (vault) => {
      const words = [process.execPath, program, 'token', 'owner'];
      await inTerminal(words, { cwd: vault.root }, async (terminal) => {
        await terminal.shows('New password');
        terminal.type(`a-secret-phrase${ENTER}`);
        await terminal.shows('again');
        terminal.type(`another-phrase-x${ENTER}`);
        await terminal.shows('two different passwords');
        expect(await terminal.ended()).not.toBe(0);
      });
      expect(await hasPassword(vault.root)).toBe(false);
      await inTerminal(words, { cwd: join(vault.root) }, async (terminal) => {
        await terminal.shows('New password');
        terminal.type(`short${ENTER}`);
        await terminal.shows('needs 12 characters');
        expect(terminal.text()).not.toContain('again');
        // What was typed before is not a part of it.
        terminal.type(`a-secret-phrase${ENTER}`);
        await terminal.shows('again');
        terminal.type(`a-secret-phrase${ENTER}`);
        await terminal.shows('The password is set');
        expect(terminal.text()).not.toContain('secret');
        expect(await terminal.ended()).toBe(0);
      });
      expect(await hasPassword(vault.root)).toBe(true);
    }),
  );
});
