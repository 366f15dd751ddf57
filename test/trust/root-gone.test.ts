import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openMcp } from '../support/program/mcp-client.ts';
import type { McpSession } from '../support/program/mcp-client.ts';
import { withVault } from '../support/vault.ts';
import { waitFor } from '../support/wait-for.ts';

const NOTES = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`note ${index}.md`, `Number ${index}, see [[note 1]].\n`]));
const GONE = 'The folder of the vault is gone';

/** What has to hold while the folder is away, whatever took its place, and when it is back. */
async function live(session: McpSession, away: { bare: string; take(): void; putBack(): void }): Promise<void> {
  const listed = async (): Promise<number> => ((await session.ask('list_nodes', { limit: 50 })) as { total: number }).total;
  expect(await listed()).toBe(15);
  away.take();
  for (const [tool, args] of [
    ['create_node', { title: 'Lost' }],
    ['update_node', { id: 'note 1', content: 'Lost\n' }],
    ['delete_node', { id: 'note 2' }],
    ['create_entities', { entities: [{ name: 'Lost', entityType: 'thing', observations: ['x'] }] }],
    ['get_node', { id: 'note 3' }],
  ] as const) {
    const refused = await session.call(tool, args);
    expect([tool, refused.isError, JSON.stringify(refused.texts)]).toEqual([tool, true, expect.stringContaining('VAULT_NOT_FOUND')]);
  }
  for (const tool of ['search', 'list_nodes', 'get_hubs']) {
    const answer = await session.call(tool, tool === 'search' ? { query: 'number' } : tool === 'get_hubs' ? { metric: 'in_degree' } : {});
    expect([tool, answer.isError, answer.texts.join('\n')]).toEqual([tool, false, expect.stringContaining(GONE)]);
  }
  expect(readdirSync(away.bare)).toEqual([]);

  away.putBack();
  const first = await session.call('list_nodes', { limit: 50 });
  expect(first.texts.join('\n')).not.toContain(GONE);
  expect(await listed()).toBe(15);
  await session.ask('create_node', { title: 'Back again' });
  // What people save afterwards is followed as before.
  writeFileSync(join(away.bare, 'by hand.md'), 'Saved by hand.\n');
  await waitFor(async () => (await listed()) === 17, { what: 'the new note to be known' });
}

it('F51 a folder that is taken away and put back: writes refused, answers warned, nothing left in its place, full recovery', () =>
  withVault({}, async (parent) => {
    const [vault, elsewhere] = [join(parent.root, 'vault'), join(parent.root, 'elsewhere')];
    mkdirSync(vault);
    for (const [name, text] of Object.entries(NOTES)) writeFileSync(join(vault, name), text);
    const session = await openMcp({ root: vault });
    try {
      await live(session, {
        bare: vault,
        take() {
          renameSync(vault, elsewhere);
          mkdirSync(vault);
        },
        putBack() {
          rmdirSync(vault);
          renameSync(elsewhere, vault);
        },
      });
      expect(readdirSync(vault)).toContain('Back again.md');
    } finally {
      await session.close();
    }
  }));

const mountings = (root: string) => {
  const mount = (): void => void execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', root], { stdio: 'ignore' });
  const unmount = (): void => void execFileSync('umount', ['-l', root], { stdio: 'ignore' });
  const fill = (): void => {
    for (const [name, text] of Object.entries(NOTES)) writeFileSync(join(root, name), text);
  };
  return { mount, unmount, fill };
};

const mayMount = await withVault({}, ({ root }) => {
  const { mount, unmount } = mountings(root);
  try {
    mount();
    unmount();
    return true;
  } catch {
    return false;
  }
});

it.skipIf(!mayMount)('F51 likewise for a file system that is unmounted, and another one mounted in its place', () =>
  withVault({}, async ({ root }) => {
    const { mount, unmount, fill } = mountings(root);
    let isMounted = false;
    mount();
    isMounted = true;
    fill();
    const session = await openMcp({ root });
    try {
      await live(session, {
        bare: root,
        take() {
          unmount();
          isMounted = false;
        },
        putBack() {
          mount();
          isMounted = true;
          fill();
        },
      });
      expect(readdirSync(root)).toContain('Back again.md');
    } finally {
      await session.close();
      if (isMounted) unmount();
    }
  }),
);
