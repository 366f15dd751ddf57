import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { hasTerminal, inTerminal, makePrograms } from '../../support/program/terminal.ts';
import type { TestTerminal } from '../../support/program/terminal.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const notes = {
  '.obsidian/app.json': '{}',
  'Soup.md': '# Soup\n\nwith **onions** and [[Bread|rye bread]]\n',
  'Bread.md': 'Flour and water.\n',
  'long.md': Array.from({ length: 100 }, (_, at) => `Line ${at} of a long note.\n`).join('\n'),
};

/** A person before `roux` in a terminal of 30 lines, with these programs on the PATH. */
function atTerminal(
  words: readonly string[],
  run: (terminal: TestTerminal, vault: TestVault) => Promise<void>,
  {
    scripts = {},
    before,
    env = {},
  }: { scripts?: Record<string, string>; before?: (vault: TestVault) => Promise<void>; env?: Record<string, string> } = {},
): Promise<void> {
  return withVault(notes, async (vault) => {
    await before?.(vault);
    await withVault({}, async (home) => {
      const bin = makePrograms(join(home.root, 'bin'), scripts);
      symlinkSync(process.execPath, join(bin, 'node'));
      for (const tool of ['stty', 'sh', 'script', 'cat', 'env', 'head']) symlinkSync(`/usr/bin/${tool}`, join(bin, tool));
      await inTerminal(['roux', ...words], { cwd: vault.root, env: { PATH: bin, ...env } }, (terminal) => run(terminal, vault));
    });
  });
}

/** What a screen showed, without colors. */
// eslint-disable-next-line no-control-regex -- What is taken away are control sequences.
const readText = (terminal: TestTerminal): string => terminal.text().replaceAll(/\u001b\[[\d;?]*[A-Za-z]/gu, '');

describe.skipIf(!hasTerminal)('U-13 reading at a terminal', () => {
  it('U-13 get shows a note as one reads it; --raw and a pipe give the text of the file', async () => {
    await atTerminal(['get', 'Soup'], async (terminal) => {
      expect(await terminal.ended()).toBe(0);
      expect(readText(terminal)).toContain('with onions and rye bread');
    });
    await atTerminal(['get', 'Soup', '--raw'], async (terminal) => {
      expect(await terminal.ended()).toBe(0);
      expect(readText(terminal)).toContain('with **onions** and [[Bread|rye bread]]');
    });
    await withVault(notes, async (vault) => expect((await cli(['get', 'Soup'], { cwd: vault.root })).stdout).toBe(notes['Soup.md']));
  });

  it('U-13 get shows a long note in the pager, a short one without, and prints it where there is none', async () => {
    const scripts = { less: 'echo "PAGER $LESS"; head -n 3' };
    await atTerminal(
      ['get', 'long'],
      async (terminal) => {
        expect(await terminal.ended()).toBe(0);
        expect(readText(terminal)).toContain('PAGER FRX');
        expect(readText(terminal)).toContain('Line 0 of');
        expect(readText(terminal)).not.toContain('Line 90 of');
      },
      { scripts },
    );
    await atTerminal(
      ['get', 'Soup'],
      async (terminal) => {
        expect(await terminal.ended()).toBe(0);
        expect(readText(terminal)).not.toContain('PAGER');
      },
      { scripts },
    );
    for (const env of [{}, { PAGER: 'cat' }, { PAGER: '' }, { PAGER: 'no-such-pager' }]) {
      await atTerminal(
        ['get', 'long'],
        async (terminal) => {
          expect(await terminal.ended()).toBe(0);
          expect(readText(terminal)).toContain('Line 99 of');
        },
        { env },
      );
    }
  });

  it('U-13 a pager that lies in the vault is not run', () =>
    atTerminal(
      ['get', 'long'],
      async (terminal, vault) => {
        expect(await terminal.ended()).toBe(0);
        expect(readText(terminal)).toContain('Line 99 of');
        expect(vault.exists('canary')).toBe(false);
      },
      {
        before: async (vault) => void makePrograms(vault.root, { less: 'touch canary' }),
        env: { PAGER: './less' },
      },
    ));

  it('U-13 undo alone shows the last write and what undoing it does, and asks; then it offers the one before', async () => {
    const before = async (vault: TestVault): Promise<void> => {
      await cli(['append', 'Bread', 'first line'], { cwd: vault.root });
      await cli(['append', 'Soup', 'second line'], { cwd: vault.root });
    };
    await atTerminal(
      ['undo'],
      async (terminal, vault) => {
        await terminal.shows('Undo this?');
        expect(readText(terminal)).toContain('edited Soup.md, by you, in a terminal');
        expect(readText(terminal)).toContain('- second line');
        terminal.type('y');
        expect(await terminal.ended()).toBe(0);
        expect(vault.read('Soup.md')).toBe(notes['Soup.md']);
        expect((await cli(['undo'], { cwd: vault.root })).stderr).toMatch(/the last write was edited Bread\.md, .*: roux undo \w{26}/);
      },
      { before },
    );
    await atTerminal(
      ['undo'],
      async (terminal, vault) => {
        await terminal.shows('Undo this?');
        terminal.type('n');
        expect(await terminal.ended()).toBe(130);
        expect(vault.read('Soup.md')).toContain('second line');
      },
      { before },
    );
  });
});

describe('U-13 reading without a terminal', () => {
  it('U-13 search names the file with the line; a name that is nearly one is suggested', () =>
    withVault(notes, async (vault) => {
      expect((await cli(['search', 'onions'], { cwd: vault.root })).stdout).toContain('Soup.md:3');
      expect((await cli(['get', 'Bred'], { cwd: vault.root })).stderr).toContain('Bread.md');
    }));

  it('U-13 history tells in words who did what, with the lines and no hash', () =>
    withVault(notes, async (vault) => {
      await cli(['append', 'Soup', 'more salt'], { cwd: vault.root });
      await cli(['rename', 'Soup', 'Stew'], { cwd: vault.root });
      const { stdout } = await cli(['history', 'Stew'], { cwd: vault.root });
      expect(stdout).toContain('renamed by you, in a terminal');
      expect(stdout).toContain('edited by you, in a terminal');
      expect(stdout).toContain('+ more salt');
      expect(stdout).not.toMatch(/[\da-f]{32}|\d{4}-\d\d-\d\dT/);
    }));

  it('U-13 undo alone without a terminal asks nobody, changes nothing and names the call; where nothing was written it says so', () =>
    withVault(notes, async (vault) => {
      expect(await cli(['undo'], { cwd: vault.root })).toMatchObject({ status: 1, stdout: '' });
      await cli(['append', 'Soup', 'more'], { cwd: vault.root });
      expect(await cli(['undo'], { cwd: vault.root })).toMatchObject({ status: 2, stdout: '' });
      const dry = await cli(['undo', '--dry-run'], { cwd: vault.root });
      expect(dry).toMatchObject({ status: 0 });
      expect(dry.stdout).toContain('- more');
      expect(vault.read('Soup.md')).toContain('more');
    }));
});
