import { expect, it, vi } from 'vitest';
import { allToolsets, operations } from '../../src/ops/all.ts';
import { VaultSession } from '../../src/ops/session.ts';
import type { Session } from '../../src/ops/session.ts';
import { SegmentLog } from '../../src/store/records/segments.ts';
import { openReady, withOpen } from '../support/open.ts';
import { withVault } from '../support/vault.ts';
import type { Vault } from '../../src/vault/vault.ts';

const sessionOf = (vault: Vault): Session =>
  new VaultSession(
    { openVault: () => Promise.resolve(vault), config: vault.settings.config, toolsets: async () => allToolsets },
    { id: 'test', agent: () => 'ada' },
  );
const NOTE = '---\naliases: [Start]\n---\nText\n';

it('F16 a reference that fits a note which is gone leads to the one that is there', () =>
  withVault({ 'One.md': NOTE, 'Two.md': NOTE }, (files) =>
    withOpen(
      files.root,
      async (vault) => {
        files.remove('One.md');
        expect((await sessionOf(vault).run(operations.get_node, { id: 'Start' })).output).toMatchObject({ id: 'Two.md' });
      },
      { isFollowing: false },
    ),
  ));

it.each([
  ['under two names', { 'One.md': NOTE, 'Two.md': NOTE }, {}],
  ['under none', { 'other.md': '' }, { 'Two.md': NOTE }],
] as const)('F16 a note that is found %s while a write is under way is looked for again when that has ended', (_how, before, after) =>
  withVault({ ...before, '.roux/journal/foreign': '' }, async (files) => {
    const vault = await openReady(files.root, { isFollowing: false });
    try {
      // What another process has in the journal until its history says what it did.
      const intent = `.roux/journal/${'0'.repeat(26)}.json`;
      files.write(intent, '{}');
      const answer = sessionOf(vault).run(operations.get_node, { id: 'Start' });
      setTimeout(() => {
        for (const path of Object.keys(before)) if (path === 'One.md') files.remove(path);
        for (const [path, text] of Object.entries(after)) files.write(path, text);
        files.write('.roux/history/2026-01.jsonl', event('Two.md') + event('One.md'));
        files.remove(intent);
      }, 50);
      expect((await answer).output).toMatchObject({ id: 'Two.md' });
    } finally {
      await vault.close();
    }
  }),
);

it('F16 a note that another process renames again while its former path is looked up is found, and one that is gone is not', () =>
  withVault({ 'Start.md': 'x\n' }, async (files) => {
    const other = await openReady(files.root, { isFollowing: false });
    const vault = await openReady(files.root, { isFollowing: false });
    try {
      const there = sessionOf(other);
      await there.run(operations.update_node, { id: 'Start', title: 'First' });
      // After the graph was brought up to date, and before the history is asked.
      let names = ['Second', 'Third'];
      let seen: readonly string[] = [];
      let comparisons = 0;
      const behind: Vault = {
        ...vault,
        refresh(depth) {
          comparisons += depth === 'strict' ? 1 : 0;
          return vault.refresh(depth);
        },
        history: {
          ...vault.history,
          async movedNotes() {
            const [name, ...later] = names;
            names = later;
            if (name !== undefined) await there.run(operations.update_node, { id: 'Start.md', title: name });
            for (const path of seen) await vault.notes.refresh(path);
            return vault.history.movedNotes();
          },
        },
      };
      const here = sessionOf(behind);
      expect((await here.run(operations.get_node, { id: 'Start.md' })).output).toMatchObject({ id: 'third.md' });
      names = ['Fourth'];
      expect(
        (await here.run(operations.update_node, { id: 'Start.md', properties: { k: 1 }, include_content: true })).output,
      ).toMatchObject({
        properties: { k: 1 },
      });
      expect(files.read('fourth.md')).toContain('k: 1');
      // That it is gone from its path is known, and not yet where it is.
      [names, seen] = [['Fifth'], ['fourth.md']];
      expect(
        (await here.run(operations.update_node, { id: 'Start.md', properties: { k: 2 }, include_content: true })).output,
      ).toMatchObject({
        properties: { k: 2 },
      });
      // Both are known, and not yet that one has become the other.
      [names, seen] = [['Sixth'], ['fifth.md', 'sixth.md']];
      expect(
        (await here.run(operations.update_node, { id: 'Start.md', properties: { k: 3 }, include_content: true })).output,
      ).toMatchObject({
        properties: { k: 3 },
      });
      comparisons = 0;
      await there.run(operations.delete_node, { id: 'Start.md' });
      await expect(here.run(operations.update_node, { id: 'Start.md', properties: { k: 4 } })).rejects.toMatchObject({
        code: 'NODE_NOT_FOUND',
      });
      expect(comparisons, 'the folder is not compared for a name that the history knows as gone').toBe(0);
    } finally {
      await vault.close();
      await other.close();
    }
  }));

let seq = 0;
const event = (path: string): string =>
  `${JSON.stringify({ seq: ++seq, timestamp: '2026-01-02T00:00:00.000Z', node: path, path, agent: 'bob', action: 'updated', changes: [] })}\n`;

it('X-05 a call for a note that has a copy holds nobody for the history: it is read in slices', () => {
  const line = { seq: 1, timestamp: '2026-01-01T00:00:00.000Z', node: 'n1', path: 'long.md', agent: 'eve', action: 'created', changes: [] };
  const history = `${JSON.stringify({ ...line, hash: '0123456789abcdef' })}\n`;
  const copy = '---\nid: n1\n---\nText\n';
  return withVault({ 'a.md': copy, 'long.md': copy, '.roux/history/2026-01.jsonl': history }, (files) =>
    withOpen(files.root, async (vault) => {
      const readAtOnce = vi.spyOn(SegmentLog.prototype, 'readAtOnce');
      try {
        expect((await sessionOf(vault).run(operations.get_node, { id: 'n1' })).output).toMatchObject({ path: 'long.md' });
        expect(readAtOnce).not.toHaveBeenCalled();
      } finally {
        readAtOnce.mockRestore();
      }
    }),
  );
});
