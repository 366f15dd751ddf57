import { renameSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli } from '../support/program/cli.ts';
import type { McpSession } from '../support/program/mcp-client.ts';
import { withServer } from '../support/program/mcp-server.ts';
import { withVault } from '../support/vault.ts';
import type { TestVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';

interface Recorded {
  readonly agent: string;
  readonly changes: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
}

/** The trail of a note, oldest first: each name of an agent with the number that it wrote, and each move. */
async function trailOf(vault: TestVault, name: string): Promise<readonly string[]> {
  const { stdout } = await cli(['history', name, '--json', '--limit', '100', '--vault', vault.root]);
  const { events } = JSON.parse(stdout) as { events: readonly Recorded[] };
  return events
    .toReversed()
    .flatMap(({ agent, changes }) =>
      changes.flatMap(({ field, before, after }) =>
        field === 'path' || field === 'file'
          ? [`${agent}: ${String(before)} → ${String(after)}`]
          : field === 'k' || field === 'body'
            ? [`${agent}: ${field === 'k' ? String(after) : field}`]
            : [],
      ),
    );
}

/** Gives the diff of each note in the review, by the note's path. */
async function reviewOf(vault: TestVault): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await cli(['review', '--json', '--vault', vault.root]);
  const { notes } = JSON.parse(stdout) as { notes: readonly { path: string; parts: readonly { diff: string | null }[] }[] };
  return new Map(notes.map(({ path, parts }) => [path, parts.map(({ diff }) => diff ?? '').join('')]));
}

const NOTES: Readonly<Record<string, string>> = {
  'sub/a.md': 'The first\n',
  'sub/b.md': 'The second\n',
  'with/a.md': '---\nid: first\n---\nThe third\n',
  'with/b.md': '---\nid: second\n---\nThe fourth\n',
  'ring/a.md': 'Ring 1\n',
  'ring/b.md': 'Ring 2\n',
  'ring/c.md': 'Ring 3\n',
  'again/a.md': '---\nid: old\n---\nThe old one\n',
  'over/a.md': '---\nid: replaced\n---\nReplaced\n',
  'over/b.md': '---\nid: replacing\n---\nReplacing\n',
};

const numbered = Object.keys(NOTES).map((path, index) => [path, index + 1] as const);

async function write({ ask }: McpSession): Promise<void> {
  for (const [id, k] of numbered) await ask('update_node', { id, properties: { k } });
}

function exchange(vault: TestVault): void {
  const rename = (from: string, to: string): void => renameSync(vault.path(from), vault.path(to));
  for (const folder of ['sub', 'with', 'ring']) rename(`${folder}/a.md`, `${folder}/t.md`);
  rename('sub/b.md', 'sub/a.md');
  rename('sub/t.md', 'sub/b.md');
  rename('with/b.md', 'with/a.md');
  rename('with/t.md', 'with/b.md');
  // One of the two is edited as well: its id tells.
  vault.write('with/b.md', `${vault.read('with/b.md')}More\n`);
  rename('ring/b.md', 'ring/a.md');
  rename('ring/c.md', 'ring/b.md');
  rename('ring/t.md', 'ring/c.md');
  rename('again/a.md', 'again/z.md');
  vault.write('again/a.md', 'A new one\n');
  rename('over/b.md', 'over/a.md');
}

const WANTED: Readonly<Record<string, readonly string[]>> = {
  'sub/a.md': ['roux-test: 2', 'external: sub/b.md → sub/a.md'],
  'sub/b.md': ['roux-test: 1', 'external: sub/a.md → sub/b.md'],
  'with/a.md': ['roux-test: 4', 'external: with/b.md → with/a.md'],
  'with/b.md': ['roux-test: 3', 'external: with/a.md → with/b.md', 'external: body'],
  'ring/a.md': ['roux-test: 6', 'external: ring/b.md → ring/a.md'],
  'ring/b.md': ['roux-test: 7', 'external: ring/c.md → ring/b.md'],
  'ring/c.md': ['roux-test: 5', 'external: ring/a.md → ring/c.md'],
  'again/a.md': ['external: null → again/a.md'],
  'again/z.md': ['roux-test: 8', 'external: again/a.md → again/z.md'],
  replacing: ['roux-test: 10', 'external: over/b.md → over/a.md'],
  replaced: ['roux-test: 9', 'external: over/a.md → null'],
};

async function trailsOf(vault: TestVault): Promise<Readonly<Record<string, readonly string[]>>> {
  const trails: Record<string, readonly string[]> = {};
  for (const name of Object.keys(WANTED)) trails[name] = await trailOf(vault, name);
  return trails;
}

describe('H-13 a person exchanges the names of notes, or gives the name of one to another', () => {
  it('H-13 while nothing runs: the history follows the notes', () =>
    withVault(NOTES, async (vault) => {
      await withServer(vault, write);
      exchange(vault);
      expect(await trailsOf(vault)).toEqual(WANTED);
      const review = await reviewOf(vault);
      expect(review.get('sub/a.md')).toContain('+k: 2\n');
      expect(review.get('again/z.md')).toContain('+k: 8\n');
      expect(review.get('again/a.md')).toBe(undefined);
    }));

  it('H-13 while a server runs: the history follows the notes', () =>
    withVault(NOTES, (vault) =>
      withServer(vault, async (server) => {
        await write(server);
        exchange(vault);
        await waitFor(async () => (await trailOf(vault, 'sub/a.md')).length > 1, { what: 'the renames' });
        expect(await trailsOf(vault)).toEqual(WANTED);
        expect((await reviewOf(vault)).get('sub/a.md')).toContain('+k: 2\n');
      }),
    ));
});
