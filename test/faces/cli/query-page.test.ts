import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli } from '../../support/program/cli.ts';
import { repositoryRoot, withVault } from '../../support/vault.ts';

/** The words of a command line, those in single quotes as one. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word = '']) => quoted ?? word);
}

it.each([
  ['queries.md', 7],
  ['guide.md', 4],
])('docs/%s shows what the demo vault answers', (name, least) =>
  withVault('demo', async (vault) => {
    const page = readFileSync(join(repositoryRoot, 'docs', name), 'utf8');
    const shown = [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.split(/^\$ roux /m).slice(1));
    expect(shown.length).toBeGreaterThanOrEqual(least);
    for (const example of shown) {
      const [line = '', ...output] = example.split('\n');
      const { stdout, stderr } = await cli([...wordsOf(line), '--vault', vault.root]);
      expect(stdout + stderr, line).toBe(output.join('\n'));
    }
  }),
);
