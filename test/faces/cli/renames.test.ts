import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withVault } from '../../support/vault.ts';

const notes = {
  '.rouxrc.json': '{"filenames": "title", "renameAlias": "off"}',
  'a/N.md': '#old\n\n## Part\n',
  'a/i.png': 'PNG',
  'b/M.md': '[[a/N#Part]] ![[i.png]] #old/deep\n',
};

describe('E-14 roux rename and roux move', () => {
  it('E-14 take folders, files, tags and several pairs, and print what became what', () =>
    withVault(notes, async (vault) => {
      const run = (...args: string[]) => cli([...args, '--vault', vault.root]);
      expect((await run('rename', '#old', '#new')).stdout).toBe('#old → #new\n');
      expect((await run('rename', 'a/', 'c/')).stdout).toBe('a/ → c/\n');
      expect((await run('rename', 'i.png', 'scan')).stdout).toBe('c/scan.png\n');
      expect((await run('rename', 'N', 'K', 'N#Part', 'Piece')).stdout).toBe('c/N.md → c/K.md\nc/N.md#Part → c/K.md#Piece\n');
      expect(vault.read('b/M.md')).toBe('[[c/K#Piece]] ![[scan.png]] #new/deep\n');
      expect((await run('move', 'scan.png', 'pics')).stdout).toBe('c/scan.png → pics/scan.png\n');
      expect(JSON.parse((await run('move', 'M', '/', '--json')).stdout)).toMatchObject({
        from: 'b/M.md',
        to: 'M.md',
        batch: expect.any(String),
      });
    }));

  it('E-15 put folders together with --merge only, and show the difference with --dry-run', () =>
    withVault(notes, async (vault) => {
      const run = (...args: string[]) => cli([...args, '--vault', vault.root]);
      const before = vault.files();
      expect((await run('rename', 'a/', 'b/')).stderr).toContain('Pass --merge');
      expect((await run('rename', 'a/', 'b/', '--merge', '--dry-run')).stdout).toContain('rename to b/N.md');
      expect(vault.files()).toEqual(before);
      expect(await run('rename', 'a/', 'b/', '--merge')).toMatchObject({ status: 0 });
      expect(vault.files()).toEqual(['.rouxrc.json', 'b/M.md', 'b/N.md', 'b/i.png']);
    }));

  it('E-14 refuse what has no pair, and a tag that is to be moved', () =>
    withVault(notes, async (vault) => {
      const run = (...args: string[]) => cli([...args, '--vault', vault.root]);
      expect(await run('rename', 'N', 'K', 'M')).toMatchObject({ status: 2 });
      expect((await run('move', '#old', 'b')).stderr).toContain('"roux rename" gives it another name');
      expect(vault.exists('a/N.md')).toBe(true);
    }));
});
