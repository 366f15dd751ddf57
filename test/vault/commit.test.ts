import { describe, expect, it } from 'vitest';
import { toNotePath } from '../../src/note/path.ts';
import type { NotePath } from '../../src/note/path.ts';
import { openTestWriter } from '../support/open-test-writer.ts';
import { withVault } from '../support/vault.ts';

const meta = { operation: 'test', agent: 'ada' };
const note = (path: string): NotePath => {
  const known = toNotePath(path);
  if (known === null) throw new Error(path);
  return known;
};

describe('commit', () => {
  it('creates, changes, moves and removes in one transaction', async () => {
    await withVault({ 'a.md': 'A\n', 'b.md': '---\nrev: 3\n---\nB [[a]]\n', 'c.md': 'C\n' }, async (vault) => {
      const writer = openTestWriter({ root: vault.root });
      await writer.recover();
      const done = await writer.write(meta, () => ({
        files: [
          { kind: 'create', path: 'neu/d.md', text: 'D\n' },
          {
            kind: 'change',
            path: note('b.md'),
            changes: [
              { op: 'set', key: ['x'], value: 1 },
              { op: 'touch', at: '2026-01-01T00:00:00.000Z' },
            ],
          },
          { kind: 'move', from: 'a.md', to: 'neu/e.md', changes: [] },
          { kind: 'remove', path: 'c.md', to: 'trash' },
        ],
      }));
      expect(vault.files()).toEqual(['b.md', 'neu/d.md', 'neu/e.md']);
      expect(vault.read('b.md')).toContain('rev: 4');
      expect(done.events.map((event) => event.action)).toEqual(['created', 'updated', 'moved', 'deleted']);
      expect(done.files[1]?.rev).toBe(4);
      await writer.close();
    });
  });
});
