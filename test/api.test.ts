import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as api from '../src/index.ts';
import { isLong } from './support/effort.ts';
import { testEnvironment } from './support/program/cli.ts';
import { repositoryRoot, withVault } from './support/vault.ts';

it('the public API is this list; a change to it is a decision', () => {
  expect(Object.keys(api).toSorted()).toEqual([
    'KEY_VERSION',
    'RouxError',
    'commandKey',
    'conceptKey',
    'createMcpServer',
    'createMemoryTool',
    'dependencyKey',
    'docKey',
    'errorKey',
    'fileKey',
    'fingerprint8',
    'fixKey',
    'isNotePath',
    'loadConfig',
    'modeKey',
    'openHost',
    'operations',
    'runKey',
    'serveHttp',
    'toNotePath',
    'toolKey',
    'version',
    'warningKey',
    'withRetry',
  ]);
});

it('every operation can be asked for by its name', () => {
  for (const [name, operation] of Object.entries(api.operations)) expect(operation.name).toBe(name);
  expect(Object.keys(api.operations)).toContain('graph_next');
});

it('docs/examples/embed.ts compiles against the package with strict types, and does what it says', async () => {
  await withVault({ 'Reading list.md': '# To read\n', 'Dune.md': '#book on sand\n', 'Emma.md': '#book on matches\n' }, async (vault) => {
    await withVault({ 'package.json': '{ "type": "module" }' }, (project) => {
      // A project of its own, with roux as an installed package.
      mkdirSync(join(project.root, 'node_modules'));
      symlinkSync(repositoryRoot, join(project.root, 'node_modules/roux'));
      cpSync(join(repositoryRoot, 'docs/examples/embed.ts'), join(project.root, 'embed.ts'));
      const compilerOptions = {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        module: 'nodenext',
        target: 'es2023',
        rootDir: '.',
        types: ['node'],
        // Whether all declarations below it hold together takes seconds to see.
        skipLibCheck: !isLong,
        typeRoots: [join(repositoryRoot, 'node_modules/@types')],
      };
      writeFileSync(join(project.root, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['embed.ts'] }));
      const run = (args: readonly string[]): string =>
        execFileSync(process.execPath, args, { cwd: project.root, env: testEnvironment(), encoding: 'utf8' });
      run([join(repositoryRoot, 'node_modules/typescript/bin/tsc')]);

      expect(run(['embed.js', vault.root])).toBe(
        [
          'Reading list: 0 links',
          'found Dune.md',
          'found Emma.md',
          'wrote Reading list.md',
          'leads to Dune, Emma',
          'refused: CONFLICT',
          '',
        ].join('\n'),
      );
      expect(vault.read('Reading list.md')).toContain('# To read\n\n## Books\n\n- [[Dune]]\n- [[Emma]]\n');
      expect(run(['embed.js', vault.root])).toContain('kept Reading list.md');
    });
  });
});
