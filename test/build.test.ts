import { spawnSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { isLong } from './support/effort.ts';
import { program } from './support/program/cli.ts';
import { repositoryRoot, withVault } from './support/vault.ts';

it('the program starts from what was compiled when it was built', () => {
  // In a process with no flags: V8 takes nothing that was compiled with other ones.
  const isTaken = `
    const { readFileSync } = require('node:fs');
    const [, file] = process.argv;
    const cache = file + '.' + require('node:v8').cachedDataVersionTag().toString(16) + '.cache';
    const script = new (require('node:vm').Script)(readFileSync(file, 'utf8'), { cachedData: readFileSync(cache) });
    console.log(script.cachedDataRejected);`;
  const { stdout } = spawnSync(process.execPath, ['-e', isTaken, join(dirname(program), 'program.cjs')], { encoding: 'utf8' });
  expect(stdout).toBe('false\n');
});

// It builds the program once more, which takes as long as a hundred other tests.
it.skipIf(!isLong)('item 26: a package made in a fresh clone has the program in it', () =>
  withVault({}, (clone) => {
    for (const name of [
      'src',
      'scripts',
      'vault-fixtures/demo',
      'vault-fixtures/demo-story.yaml',
      'man',
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      'LICENSE',
      'README.md',
      'CHANGELOG.md',
    ])
      cpSync(join(repositoryRoot, name), clone.path(name), { recursive: true });
    // What `npm ci` would bring is taken from here.
    symlinkSync(join(repositoryRoot, 'node_modules'), clone.path('node_modules'));
    const { stdout, stderr } = spawnSync('npm', ['pack', '--json', '--dry-run'], { cwd: clone.root, encoding: 'utf8' });
    expect(stdout, stderr).toMatch(/^\[/);
    const [{ files }] = JSON.parse(stdout) as [{ files: readonly { readonly path: string }[] }];
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'dist/bin.js',
        'dist/program.cjs',
        'dist/search-worker.js',
        'dist/index.js',
        'dist/index.d.ts',
        'man/roux.1',
      ]),
    );
    expect(paths.filter((path) => path.startsWith('src/') || path.startsWith('test/'))).toEqual([]);
  }),
);
