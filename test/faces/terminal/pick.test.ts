import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, cliProcess } from '../../support/program/cli.ts';
import { CTRL_C, ENTER, hasTerminal, inTerminal, makePrograms } from '../../support/program/terminal.ts';
import type { TestTerminal } from '../../support/program/terminal.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const notes = {
  '.rouxrc.json': '{"filenames": "title"}',
  'Soil.md': 'SOIL-BODY\n',
  'plants/Tomato.md': 'TOMATO-BODY, in [[Soil]]\n',
  'plants/Evil.md': '---\ntitle: "Evil \\u001b]0;title\\u0007"\n---\nEVIL-BODY\n',
};

/** A person before `roux` in a terminal, where only these programs are on the PATH. */
function atTerminal(
  words: readonly string[],
  run: (terminal: TestTerminal, vault: TestVault) => Promise<void>,
  scripts: Readonly<Record<string, string>> = {},
): Promise<void> {
  return withVault(notes, (vault) =>
    withVault({}, async (home) => {
      const bin = makePrograms(join(home.root, 'bin'), scripts);
      symlinkSync(process.execPath, join(bin, 'node'));
      symlinkSync('/usr/bin/env', join(bin, 'env'));
      const tools = join(home.root, 'tools');
      mkdirSync(tools);
      for (const tool of ['stty', 'sh', 'script', 'cat']) symlinkSync(`/usr/bin/${tool}`, join(tools, tool));
      const env = { PATH: `${bin}:${tools}`, FZF_DEFAULT_OPTS: '' };
      await inTerminal(['roux', ...words], { cwd: vault.root, env }, (terminal) => run(terminal, vault));
    }),
  );
}

describe('issue 11.8: without a terminal', () => {
  it('a command without its argument is bad usage, as ever', () =>
    withVault(notes, async (vault) => {
      for (const name of ['get', 'edit', 'links', 'backlinks', 'rename', 'move', 'delete', 'history']) {
        expect(await cli([name], { cwd: vault.root, isTerminal: true }), name).toMatchObject({ status: 2, stdout: '' });
        const said = await (name === 'get' ? cliProcess : cli)([name], { cwd: vault.root });
        expect(said.stderr, name).toContain('needs <ref>');
      }
    }));
});

describe.skipIf(!hasTerminal)('issue 11.8: the list of roux', () => {
  it('narrows while somebody types, in any case and by any words, and runs the command with what was chosen', () =>
    atTerminal(['get'], async (terminal) => {
      await terminal.shows('Soil.md');
      terminal.type('TOM plants');
      await terminal.shows('(1 match)');
      terminal.type(ENTER);
      await terminal.shows('TOMATO-BODY');
      expect(await terminal.ended()).toBe(0);
    }));

  it('shows nothing of a title that a terminal would act on', () =>
    atTerminal(['get'], async (terminal) => {
      await terminal.shows('Evil');
      expect(terminal.text()).not.toContain('\u001B]0;title');
      expect(terminal.text()).toContain(String.raw`\x1b]0;title`);
    }));

  it('asks for the new name too, and for the folder', async () => {
    await atTerminal(['rename'], async (terminal, vault) => {
      await terminal.shows('Soil.md');
      terminal.type('soil');
      await terminal.shows('Soil.md');
      terminal.type(ENTER);
      await terminal.shows('New name');
      terminal.type(' of old');
      terminal.type(ENTER);
      expect(await terminal.ended()).toBe(0);
      expect(vault.read('plants/Tomato.md')).toBe('TOMATO-BODY, in [[Soil of old]]\n');
    });
    await atTerminal(['move'], async (terminal, vault) => {
      await terminal.shows('Soil.md');
      terminal.type('soil');
      await terminal.shows('(1 match)');
      terminal.type(ENTER);
      await terminal.shows('into');
      terminal.type('plants');
      await terminal.shows('(1 match)');
      terminal.type(ENTER);
      expect(await terminal.ended()).toBe(0);
      expect(vault.read('plants/Soil.md')).toBe('SOIL-BODY\n');
    });
  });

  it.each(['delete', 'rename', 'move', 'get'])('Ctrl-C leaves %s with 130 and changes nothing', (name) =>
    atTerminal([name], async (terminal, vault) => {
      const files = vault.files();
      await terminal.shows('Soil.md');
      terminal.type('soil');
      await terminal.shows('(1 match)');
      terminal.type(CTRL_C);
      expect(await terminal.ended()).toBe(130);
      expect(vault.files()).toEqual(files);
    }),
  );
});

describe.skipIf(!hasTerminal)('issue 11.8: fzf', () => {
  it('gets a line for each note, and its choice is the argument', () =>
    atTerminal(
      ['get'],
      async (terminal) => {
        await terminal.shows('SOIL-BODY');
        expect(await terminal.ended()).toBe(0);
      },
      // The lines, as they came, and then the one of the note.
      { fzf: 'while read -r line; do case "$line" in *Soil.md) printf "%s\\n" "$line";; esac; done' },
    ));

  it.each([
    [130, 130],
    [1, 130],
    [2, 2],
  ])('that ends with %i makes roux end with %i, and changes nothing', (theirs, ours) =>
    atTerminal(
      ['delete'],
      async (terminal, vault) => {
        expect(await terminal.ended()).toBe(ours);
        expect(vault.exists('Soil.md')).toBe(true);
      },
      { fzf: `exit ${theirs}` },
    ),
  );

  it('in the vault is never run', () =>
    withVault(notes, async (vault) => {
      makePrograms(vault.path('bin'), { fzf: 'touch "$0-ran"; head -n 1' });
      // Whichever is found behind it shows the list.
      const env = { PATH: `${vault.path('bin')}:bin:${process.env['PATH'] ?? ''}` };
      await inTerminal([process.execPath, vault.path('bin/roux'), 'get'], { cwd: vault.root, env }, async (terminal) => {
        await terminal.shows('Soil.md');
        terminal.type(CTRL_C);
        expect(await terminal.ended()).toBe(130);
      });
      expect(vault.exists('bin/fzf-ran')).toBe(false);
    }));
});
