import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RenameChange } from '../../../src/vault/links/renames/plan-renames.ts';
import { rounds, seed } from '../../support/effort.ts';
import { cli } from '../../support/program/cli.ts';
import { withServer } from '../../support/program/mcp-server.ts';
import { withVault } from '../../support/vault.ts';
import { chooseRenames, inverseOf, randomChoice, randomVault } from '../../vault/links/renames-random.ts';
import { filesIn } from './vault-files.ts';
import type { Files } from './vault-files.ts';

/** A change as a client names it. */
function asGiven(change: RenameChange): { readonly from: string; readonly to: string } {
  switch (change.kind) {
    case 'file':
      return { from: change.from, to: 'path' in change.to ? `./${change.to.path}` : '' };
    case 'folder':
      return { from: `${change.from.replace(/\/$/, '')}/`, to: `${change.to.replace(/\/$/, '')}/` };
    case 'part':
      return { from: `${change.path}${change.from}`, to: change.to };
    case 'tag':
      return { from: `#${change.from}`, to: `#${change.to}` };
  }
}

/** The texts without the aliases that renames leave, which no note of these vaults had. */
function withoutAliases(files: Files): Files {
  const bare = (text: string): string => text.replace(/^aliases:(?: \[.*\]\n|\n(?: +- .*\n)+)/m, '').replace(/^---\n---\n/, '');
  return Object.fromEntries(Object.entries(files).map(([file, text]) => [file, bare(text)]));
}

describe('renames of random vaults through a client', () => {
  it('E-14 the inverse gives the same bytes but for the aliases, and undo gives all of them', async () => {
    for (const round of rounds(4)) {
      const [files] = fc.sample(randomVault, { numRuns: 1, seed: seed + round });
      const choices = fc.sample(randomChoice, { numRuns: 20, seed: seed + round });
      if (files === undefined) throw new Error('no vault');
      const changes = choices
        .map((choice) => chooseRenames(files, choice))
        .reduce((most, each) => (each.length > most.length ? each : most));
      expect(changes.length).toBeGreaterThan(2);
      await withVault({ '.rouxrc.json': '{"links": {"format": "minimal"}}', ...files }, (vault) =>
        withServer(vault, async ({ ask }) => {
          const { renamed, batch } = await ask('rename', { changes: changes.map(asGiven) });
          const there = filesIn(vault);
          expect(there).not.toEqual(files);
          const back = await ask('rename', { changes: inverseOf(changes, renamed, there).map(asGiven) });
          expect(withoutAliases(filesIn(vault)), JSON.stringify(changes)).toEqual(files);
          for (const each of [back.batch, batch]) expect(await cli(['undo', each, '--vault', vault.root])).toMatchObject({ status: 0 });
          expect(filesIn(vault)).toEqual(files);
        }),
      );
    }
  });
});
