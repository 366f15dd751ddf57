import { renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withGitVault } from '../../support/git.ts';
import { cliProcess } from '../../support/program/cli.ts';
import { CLIENTS } from '../../support/program/every-client.ts';
import { withMcp } from '../../support/program/mcp-client.ts';
import { withVault } from '../../support/vault.ts';
import type { TestVault } from '../../support/vault.ts';
import { waitFor } from '../../support/wait-for.ts';

const A = 'roux://note/a.md';
const LAST = 'roux://note/last.md';

describe('V-09 who follows a resource is told once of a change, from whichever side it came', () => {
  for (const [who, withClient] of CLIENTS) {
    // A save in place that a busy machine stretches over more than a tenth of a second is two changes to whoever looks on: tried again then.
    it(`${who}: an editor, a tool, another process, git`, { retry: 2 }, () =>
      withGitVault({ 'a.md': 'one\n', 'last.md': '', 'other.md': '' }, (vault) =>
        withClient(vault, async ({ updated, subscribe, ask }) => {
          const changes: readonly (readonly [string, () => unknown])[] = [
            ['an editor that writes in place', () => vault.write('a.md', 'two\n')],
            ['an editor that replaces the file', () => replace(vault, 'a.md', 'three\n')],
            ['a tool', () => ask('update_node', { id: 'a', content: 'four\n' })],
            [
              'another process',
              () => withMcp(vault, (other) => other.ask('update_node', { id: 'a', content: 'five\n' }), { flags: ['--alone'] }),
            ],
            ['the command line', () => cliProcess(['append', 'a', 'six', '--vault', vault.root])],
            ['git', () => vault.git('checkout', '--quiet', '--', 'a.md')],
          ];
          const end = await subscribe([A, LAST]);
          for (const [index, [what, change]] of changes.entries()) {
            await change();
            await waitFor(() => updated.length > index, { what: `the change by ${what}` });
          }
          vault.write('other.md', 'nobody follows this\n');
          vault.write('last.md', 'and this is the last\n');
          await waitFor(() => updated.includes(LAST), { what: 'the last change' });
          expect(updated).toEqual([...changes.map(() => A), LAST]);
          await end();
          vault.write('a.md', 'seven\n');
          await waitFor(async () => (await ask('get_node', { id: 'a' })).content === 'seven\n');
          await subscribe([LAST]);
          await ask('update_node', { id: 'a', content: 'eight\n' });
          await ask('update_node', { id: 'last', content: 'later than that\n' });
          await waitFor(() => updated.length > changes.length + 1, { what: 'the very last change' });
          expect(updated.slice(changes.length + 1)).toEqual([LAST]);
        }),
      ),
    );

    it(`${who}: that the list changed is told once for a burst`, () =>
      withVault({ 'a.md': 'one\n' }, (vault) =>
        withClient(vault, async ({ lists, subscribe, ask }) => {
          await subscribe([A]);
          for (let index = 0; index < 50; index += 1) vault.write(`new ${index}.md`, '');
          await waitFor(() => lists() > 0, { what: 'the changed list' });
          await waitFor(async () => (await ask('list_nodes', { path: '', limit: 1 })).total === 51, { what: 'all notes' });
          expect(lists()).toBeLessThan(10);
        }),
      ));

    it(`${who}: the vault and the memory are followed too, and a note by any spelling of its address`, () =>
      withVault({ 'Möhren & Co/näme.md': 'one\n' }, (vault) =>
        withClient(vault, async ({ updated, subscribe, ask }) => {
          const plain = 'roux://note/Möhren & Co/näme.md';
          const uris = [
            'roux://vault',
            'memory://knowledge-graph',
            plain,
            encodeURI(plain),
            `roux://note/${encodeURIComponent('Möhren & Co/näme.md')}`,
          ];
          await subscribe(uris);
          vault.write('Möhren & Co/näme.md', 'two\n');
          await waitFor(() => updated.length >= 4, { what: 'the note' });
          expect(new Set(updated)).toEqual(new Set(uris.filter((uri) => !uri.startsWith('memory:'))));
          await ask('create_entities', { entities: [{ name: 'Ann', entityType: 'person', observations: ['likes tea'] }] });
          await waitFor(() => updated.includes('memory://knowledge-graph'), { what: 'the memory' });
        }),
      ));
  }
});

/** As editors do that write beside the file and put it in its place. */
function replace(vault: TestVault, file: string, text: string): void {
  vault.write('.temporary', text);
  renameSync(vault.path('.temporary'), vault.path(file));
}
