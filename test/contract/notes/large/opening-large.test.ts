import { expect, it } from 'vitest';
import { makeVault as fillVault } from '../../../../scripts/make-vault.ts';
import { isLong } from '../../../support/effort.ts';
import { withMcp } from '../../../support/program/mcp-client.ts';
import { withVault } from '../../../support/vault.ts';

/** Enough that the list is asked for long before all are read. */
const NOTES = isLong ? 30_000 : 10_000;

it('H-16 a vault of many thousand notes answers while it is read: a note by its path, a list that says how far reading is, and nothing is said not to exist', () =>
  withVault({}, (vault) => {
    fillVault(vault.root, NOTES, 7);
    vault.write('zz/Task.md', '---\nid: late-1\n---\nSee [[Last of all]].\n');
    vault.write('zz/Last of all.md', '---\ntitle: The very last\n---\nText.\n');
    return withMcp(vault, async ({ ask, call, refuse }) => {
      const answered: string[] = [];
      const note = async (name: string, asked: Promise<unknown>): Promise<unknown> => {
        const answer = await asked;
        answered.push(name);
        return answer;
      };
      const [read, list, titled, ids, next] = await Promise.all([
        note('path', ask('get_node', { id: 'zz/Task.md' })),
        note('list', call('list_nodes', { limit: 5 })),
        note('title', ask('get_node', { id: 'The very last' })),
        note('id', ask('get_node', { id: 'late-1' })),
        note('tasks', refuse('graph_next', {})),
      ]);
      expect(read).toMatchObject({ id: 'late-1', content: 'See [[Last of all]].\n', links: [{ id: 'zz/Last of all.md' }] });
      expect(JSON.stringify(read)).not.toContain('Broken link');
      const [, done = '', all = ''] = /still being read, (\d+) of (\d+) notes/.exec(JSON.stringify(list)) ?? [];
      expect(Number(all)).toBe(NOTES + 2);
      expect(Number(done)).toBeLessThan(NOTES);
      expect(JSON.stringify(next)).toMatch(/UNAVAILABLE.*still being read/);
      // What could not be decided was waited for.
      expect(titled).toMatchObject({ id: 'zz/Last of all.md' });
      expect(ids).toMatchObject({ path: 'zz/Task.md' });
      expect(answered.slice(0, 3).sort()).toEqual(['list', 'path', 'tasks']);
      expect(JSON.stringify(await call('list_nodes', { limit: 5 }))).toContain(`"total\\":${NOTES + 2}`);
    });
  }));
