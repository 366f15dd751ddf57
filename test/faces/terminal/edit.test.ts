import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { splitWords } from '../../../src/faces/cli/programs/editor.ts';
import { cliProcess } from '../../support/program/cli.ts';
import { makePrograms } from '../../support/program/terminal.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';

const notes = {
  '.rouxrc.json': '{"filenames": "title"}',
  'Tomato Plant.md': '---\nstate: ripe\n---\n# Tomato Plant\r\nRed, as [[Soil]] is not.\r\n',
  'Soil.md': 'x\n',
};

/** What each of them does to the file that comes last. */
const EDITORS = {
  adds: 'for file; do :; done; printf "One\\nTwo [[Nowhere]]\\n" >> "$file"',
  breaks: 'for file; do :; done; printf -- "---\\na: [b\\n---\\nx\\n" > "$file"',
  renames: 'for file; do :; done; printf "New\\n" > "$file~"; mv "$file~" "$file"',
  removes: 'for file; do :; done; rm "$file"',
  gives: 'for word; do printf "<%s>" "$word"; done',
  fails: 'exit 7',
  nothing: '',
};

async function withEditors(
  run: (edit: (editor: Record<string, string>, ...words: string[]) => ReturnType<typeof cliProcess>, vault: TestVault) => Promise<void>,
): Promise<void> {
  await withVault(notes, (vault) =>
    withVault({}, async (home) => {
      const PATH = `${makePrograms(join(home.root, 'bin'), EDITORS)}:${process.env['PATH'] ?? ''}`;
      const none = { VISUAL: '', EDITOR: '' };
      await run((editor, ...words) => cliProcess(['edit', ...words], { cwd: vault.root, env: { PATH, ...none, ...editor } }), vault);
    }),
  );
}

describe('issue 11.8: roux edit', () => {
  it('opens the file of the vault, and says in one line what changed and which links lead nowhere', () =>
    withEditors(async (edit, vault) => {
      const before = vault.read('Tomato Plant.md');
      expect(await edit({ EDITOR: 'adds' }, 'tomato', 'plant')).toEqual({
        status: 0,
        stdout: 'Tomato Plant.md: 2 lines added, 0 removed\n',
        stderr: 'Broken link: [[Nowhere]]\n',
      });
      expect(vault.read('Tomato Plant.md')).toBe(`${before}One\nTwo [[Nowhere]]\n`);
      expect((await edit({ EDITOR: 'nothing' }, 'Soil')).stdout).toBe('Soil.md: unchanged\n');
      expect((await edit({ EDITOR: 'renames' }, 'Soil', '--json')).stdout).toBe(
        '{"path":"Soil.md","is_there":true,"changed":true,"added":1,"removed":1,"warnings":[]}\n',
      );
      expect((await edit({ EDITOR: 'removes' }, 'Soil')).stdout).toBe('Soil.md: is no longer there\n');
    }));

  it('warns of frontmatter that cannot be read any more', () =>
    withEditors(async (edit) => {
      const { status, stderr } = await edit({ EDITOR: 'breaks' }, 'Soil');
      expect(status).toBe(0);
      expect(stderr).toMatch(/frontmatter|YAML/i);
    }));

  it('prefers VISUAL, splits its words without a shell, and gives the absolute path last', () =>
    withEditors(async (edit, vault) => {
      const { stdout } = await edit(
        { VISUAL: `gives --wait "two words" '$(touch pwned)' back\\ slash ;`, EDITOR: 'fails' },
        'Tomato Plant',
      );
      expect(stdout).toBe(
        `<--wait><two words><$(touch pwned)><back slash><;><${vault.path('Tomato Plant.md')}>Tomato Plant.md: unchanged\n`,
      );
      expect(vault.exists('pwned')).toBe(false);
    }));

  it('says which editor failed or is not there, and runs none that lies in the vault', () =>
    withEditors(async (edit, vault) => {
      expect(await edit({ EDITOR: 'fails' }, 'Soil')).toMatchObject({
        status: 3,
        stdout: 'Soil.md: unchanged\n',
        stderr: 'The editor ended with status 7.\n',
      });
      expect((await edit({ EDITOR: '"open' }, 'Soil')).stderr).toContain('a quote that is not closed');
      makePrograms(vault.path('bin'), { planted: 'touch "$0-ran"' });
      const refused = await edit({ EDITOR: 'planted', PATH: `${vault.path('bin')}:bin:${process.env['PATH'] ?? ''}` }, 'Soil');
      expect(refused).toMatchObject({ status: 2, stdout: '' });
      expect(refused.stderr).toContain('outside of the vault');
      expect(vault.exists('bin/planted-ran')).toBe(false);
    }));

  it('makes the note of a day that is missing, and no other', () =>
    withEditors(async (edit, vault) => {
      expect(await edit({ EDITOR: 'adds' }, '@2026-01-05')).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('2026-01-05.md: ') as string,
      });
      expect(vault.read('2026-01-05.md')).toContain('Two [[Nowhere]]');
      const files = vault.files();
      expect((await edit({ EDITOR: 'adds' }, '@nonsense')).status).toBe(1);
      expect((await edit({ EDITOR: 'adds' }, 'nonsense')).status).toBe(1);
      expect(vault.files()).toEqual(files);
    }));

  it('touches nothing where the vault is read-only', () =>
    withEditors(async (edit, vault) => {
      vault.write('.rouxrc.json', '{"readOnly": true}');
      const before = vault.read('Soil.md');
      expect((await edit({ EDITOR: 'adds' }, 'Soil')).status).not.toBe(0);
      expect(vault.read('Soil.md')).toBe(before);
    }));
});

describe('issue 11.8: words of VISUAL and EDITOR', () => {
  it.each<[string, readonly string[] | null]>([
    ['code --wait', ['code', '--wait']],
    ['  vi  ', ['vi']],
    [`"My Editor/run" -a ''`, ['My Editor/run', '-a', '']],
    [String.raw`a\ b "c \" \x" 'd \'`, ['a b', 'c " \\x', 'd \\']],
    ['$HOME `x` $(y) ~', ['$HOME', '`x`', '$(y)', '~']],
    ['open "it', null],
    ['', []],
  ])('%s', (text, words) => expect(splitWords(text)).toEqual(words));
});
