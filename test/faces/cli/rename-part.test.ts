import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withVault } from '../../support/vault.ts';

const notes = {
  'Soil.md': '# Soil\n\nSee [[#Old heading]].\n\n## Old heading\n\nText ^fact-1\n',
  'from.md': '[[Soil#Old heading]], ![[Soil#Soil#Old heading|shown]] and [[Soil#^fact-1]]\n',
  'other.md': '## Old heading\n\n[[#Old heading]]\n',
  'c.canvas': '{"nodes":[{"id":"1","type":"file","file":"Soil.md","subpath":"#Old heading"}]}\n',
};

describe('roux rename of a part of a note', () => {
  it('gives a heading another text and rewrites the links that lead to it or through it, elsewhere none', () =>
    withVault(notes, async (vault) => {
      const run = (...args: string[]) => cli([...args, '--vault', vault.root]);
      const rehearsal = await run('rename', 'Soil#Old heading', 'New heading', '--dry-run');
      expect(rehearsal.stdout).toContain('+## New heading');
      expect(vault.read('Soil.md')).toBe(notes['Soil.md']);
      expect(await run('rename', 'Soil#Old heading', 'New heading')).toMatchObject({ status: 0 });
      expect(vault.read('Soil.md')).toBe('# Soil\n\nSee [[#New heading]].\n\n## New heading\n\nText ^fact-1\n');
      expect(vault.read('from.md')).toBe('[[Soil#New heading]], ![[Soil#Soil#New heading|shown]] and [[Soil#^fact-1]]\n');
      expect(vault.read('other.md')).toBe(notes['other.md']);
      expect(vault.read('c.canvas')).toContain('"subpath":"#New heading"');
      expect(await run('undo', '--by', 'cli')).toMatchObject({ status: 0 });
      for (const [path, text] of Object.entries(notes)) expect(vault.read(path), path).toBe(text);
    }));

  it('gives a block another id, and refuses what is not there or cannot be', () =>
    withVault(notes, async (vault) => {
      const run = (...args: string[]) => cli([...args, '--vault', vault.root]);
      expect(await run('rename', 'Soil#^fact-1', 'fact-2')).toMatchObject({ status: 0 });
      expect(vault.read('Soil.md')).toContain('Text ^fact-2\n');
      expect(vault.read('from.md')).toContain('[[Soil#^fact-2]]');
      const missing = await run('rename', 'Soil#Nowhere', 'x');
      expect(missing).toMatchObject({ status: 1 });
      expect(missing.stderr).toContain('Its headings: Soil, Old heading');
      expect(await run('rename', 'Soil#^fact-2', 'not an id')).toMatchObject({ status: 2 });
      expect(await run('rename', 'Soil#Old heading', '[[]]')).toMatchObject({ status: 2 });
    }));
});
