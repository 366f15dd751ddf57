import { chmodSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { withVault } from '../../support/vault.ts';

const canvas = '{"nodes":[{"id":"1","type":"file","file":"a/deep/N.md","x":0}],"edges":[]}\n';

const BASE = 'filters:\n  and:\n    - file.inFolder("other")\n';

describe('moving a folder', () => {
  it('takes a canvas along that shows a note in it, as one move of that file, and undo gives everything back', () =>
    withVault(
      { 'a/deep/N.md': 'N\n', 'a/c.canvas': canvas, 'a/deep/i.png': 'png', 'a/deep/v.base': BASE, 'from.md': '[[a/deep/N]]\n' },
      async (vault) => {
        chmodSync(vault.path('a/c.canvas'), 0o600);
        for (const file of ['a/deep/i.png', 'a/deep/v.base']) chmodSync(vault.path(file), 0o640);
        const run = (...args: string[]) => cli([...args, '--vault', vault.root]);
        expect(await run('move', 'a/', 'b')).toMatchObject({ status: 0 });
        expect(vault.read('b/a/c.canvas')).toBe(canvas.replace('a/deep/N.md', 'b/a/deep/N.md'));
        expect(vault.files()).toEqual(['b/a/c.canvas', 'b/a/deep/N.md', 'b/a/deep/i.png', 'b/a/deep/v.base', 'from.md']);
        // Emptied folders go with it.
        expect(vault.exists('a')).toBe(false);
        expect(statSync(vault.path('b/a/c.canvas')).mode & 0o777).toBe(0o600);
        for (const file of ['b/a/c.canvas', 'b/a/deep/i.png', 'b/a/deep/v.base']) {
          const history = await run('history', file);
          expect(history.stdout, file).toContain('moved');
          expect(history.stdout, file).not.toContain('created');
        }
        for (const file of ['b/a/deep/i.png', 'b/a/deep/v.base']) expect(statSync(vault.path(file)).mode & 0o777).toBe(0o640);
        expect(vault.read('b/a/deep/v.base')).toBe(BASE);
        expect(await run('undo', '--by', 'cli')).toMatchObject({ status: 0 });
        expect(vault.exists('b')).toBe(false);
        expect(vault.read('a/c.canvas')).toBe(canvas);
        expect(statSync(vault.path('a/c.canvas')).mode & 0o777).toBe(0o600);
        for (const file of ['a/deep/i.png', 'a/deep/v.base']) expect(statSync(vault.path(file)).mode & 0o777).toBe(0o640);
        expect(vault.files()).toEqual(['a/c.canvas', 'a/deep/N.md', 'a/deep/i.png', 'a/deep/v.base', 'from.md']);
        expect(vault.read('from.md')).toBe('[[a/deep/N]]\n');
      },
    ));

  it('leaves a folder that still holds something', () =>
    withVault({ 'a/N.md': 'N\n', 'a/.keep': 'x' }, async (vault) => {
      expect(await cli(['move', 'a/', 'b', '--vault', vault.root])).toMatchObject({ status: 0 });
      expect([vault.read('a/.keep'), vault.read('b/a/N.md')]).toEqual(['x', 'N\n']);
    }));
});
